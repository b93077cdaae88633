Feature: mons are made one at a time and known for good
  S86-S99: ids, nodes, services, endpoints, and quorum that is asked for again
  rather than waited on.

  @S86 @S87 @S91 @S93
  Scenario: a mon's service comes before its deployment, its address before its start
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Service "rook-ceph-mon-a" holds
      """yaml
      metadata: {labels: {app: rook-ceph-mon, mon: a}}
      spec:
        ports:
        - {name: msgr1, port: 6789, targetPort: 6789, protocol: TCP}
        - {name: msgr2, port: 3300, targetPort: 3300, protocol: TCP}
        selector: {app: rook-ceph-mon, mon: a, rook_cluster: rook-ceph}
        clusterIP: <ip>
      """
    And the Service "rook-ceph-mon-a" is owned by the CephCluster "rook-ceph"
    And the operator created in this order
      | kind       | name                    |
      | Service    | rook-ceph-mon-a         |
      | Deployment | rook-ceph-mon-a         |

  @S93
  Scenario: what is known of a mon is recorded before the mon is made
    Given nodes "n1", "n2" and "n3"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 5m the mons "a", "b" and "c" form a quorum
    And the operator wrote in this order
      | verb   | kind       | name                    |
      | create | ConfigMap  | rook-ceph-mon-endpoints |
      | create | Service    | rook-ceph-mon-a         |
      | update | ConfigMap  | rook-ceph-mon-endpoints |
      | create | Deployment | rook-ceph-mon-a         |
      | create | Service    | rook-ceph-mon-b         |
      | update | ConfigMap  | rook-ceph-mon-endpoints |
      | create | Deployment | rook-ceph-mon-b         |

  @S93 @S79
  Scenario: the configuration is written before the mon is made
    Given a node "n1"
    And the API server refuses the operator to create a Deployment 100 times
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "<any>failed to create mon deployment rook-ceph-mon-a<any>"
    And the files "/var/lib/rook/rook-ceph/rook-ceph.config" and "/etc/ceph/ceph.conf" of the operator are the same
    And the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789
      """

  @S91
  Scenario: before nautilus there is no port for msgr2
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}}
      """
    Then within 5m the Service "rook-ceph-mon-a" holds
      """yaml
      spec: {ports: [{name: msgr1, port: 6789}]}
      """

  @S86
  Scenario: ids are not given out twice
    Given nodes "n1", "n2" and "n3"
    And the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-ceph-mon-endpoints, namespace: rook-ceph}
      data: {data: "", maxMonId: "25", mapping: '{"node":{},"port":{}}'}
      """
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    When the operator starts
    Then within 10m the mons "aa", "ab" and "ac" form a quorum

  @S86 @B02
  Scenario: mons beyond a lowered count go one by one
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 1}}
      """
    Then within 1m the condition "SurplusMons" of the CephCluster "rook-ceph" says
      """
      3 mons run and spec.mon.count is 1
      """
    And within 5m the mons "a" form a quorum
    And within 1m there is 1 Deployment labelled "app=rook-ceph-mon"

  @S88 @B07
  Scenario: each mon has a node of its own
    Given nodes "n1", "n2" and "n3"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    Then within 10m the mons "a", "b" and "c" form a quorum
    And the pods labelled "app=rook-ceph-mon" are on different nodes

  @S5 @S88
  Scenario: with too few nodes no mon is started, and the lack is told
    Given nodes "n1" and "n2"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    When 5m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      no nodes available for mon placement: 3 mons are wanted and 2 nodes fit, of which 0 have a mon
      """
    And there are 0 Deployments labelled "app=rook-ceph-mon"
    When a node "n3"
    Then within 5m the mons "a", "b" and "c" form a quorum

  @S89
  Scenario: the next mon starts when the one before is in quorum
    Given nodes "n1", "n2" and "n3"
    And the operator's "_status" fails with exit code 1 and "timed out"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And 5m pass
    Then there is 1 Deployment labelled "app=rook-ceph-mon"
    When the operator's "_status" works again
    Then within 5m the mons "a", "b" and "c" form a quorum

  @S94
  Scenario: a deployment that is there already is updated if needed
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the Deployment "rook-ceph-mon-a" is changed with
      """yaml
      spec: {template: {spec: {restartPolicy: Always, containers: [{name: mon, image: "ceph/ceph:v12.2.11"}]}}}
      """
    Then within 1m the operator logs info "deployment for mon rook-ceph-mon-a already exists. updating if needed"
    And within 1m the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec: {template: {spec: {containers: [{image: "ceph/ceph:v14.2.0-20190410"}]}}}
      """

  @S94
  Scenario: a deployment that cannot be made is an error
    Given a node "n1"
    And the API server refuses the operator to create a Deployment 3 times
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. <any>failed to create mon deployment rook-ceph-mon-a<any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S94
  Scenario: a deployment that cannot be updated is an error
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the API server refuses the operator to update a Deployment 3 times
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mon: {note: new}}}
      """
    Then within 1m the operator logs error "failed to update cluster in namespace rook-ceph. <any>failed to update mon deployment rook-ceph-mon-a<any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S91
  Scenario: a service that cannot be made is an error
    Given a node "n1"
    And the API server refuses the operator to create a Service 3 times
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. <any>failed to create mon service. <any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S95 @S99
  Scenario Outline: how quorum is asked for, with <image>
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "<image>"}, mon: {count: 1}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran
      """
      ceph <command> --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format json --out-file <tmp>
      """

    Examples:
      | image                      | command       |
      | ceph/ceph:v13.2.3-20190410 | mon_status    |
      | ceph/ceph:v14.2.0-20190410 | mon_status    |
      | ceph/ceph:v16.2.15         | quorum_status |

  @S96
  Scenario: what a mon of mimic says of itself
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then `ceph mon_status` answers
      """yaml
      name: a
      rank: 0
      state: leader
      election_epoch: <n>
      quorum: [0]
      outside_quorum: []
      extra_probe_peers: []
      sync_provider: []
      features: {required_con: <n>, required_mon: [kraken, luminous, mimic, osdmap-prune], quorum_con: <n>, quorum_mon: [kraken, luminous, mimic, osdmap-prune]}
      monmap:
        epoch: 1
        fsid: <uuid>
        modified: <any>
        created: <any>
        features: {persistent: [kraken, luminous, mimic, osdmap-prune], optional: []}
        mons: [{rank: 0, name: a, addr: "<ip>:6789/0", public_addr: "<ip>:6789/0"}]
      feature_map:
        mon: [{features: "0x3ffddff8ffa4fffb", release: luminous, num: 1}]
        client: [{features: <any>, release: luminous, num: 1}]
        mgr: [{features: "0x3ffddff8ffa4fffb", release: luminous, num: 1}]
      """

  @S97 @S98
  Scenario Outline: a mon is in quorum if its rank is; a majority is enough to go on
    Given nodes "n1", "n2" and "n3"
    And a webhook gives the argument "--public-addr" the value "10.9.9.9" in pods labelled "mon=c"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "<image>"}, mon: {count: 3}}
      """
    Then within 10m the mons "a" and "b" form a quorum
    And within 1m there is a Deployment "rook-ceph-mon-c"
    When 80s pass
    Then the CephCluster "rook-ceph" is in state "Creating"
    And within 1m the CephCluster "rook-ceph" is in state "Created"
    And the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "True" because of "Waiting"
    And the condition "MonsInQuorum" of the CephCluster "rook-ceph" says
      """
      mons a, b are in quorum, c out
      """

    Examples:
      | image                      |
      | ceph/ceph:v14.2.0-20190410 |
      | ceph/ceph:v16.2.15         |

  @S97
  Scenario: a mon that is known and yet not among the ranks in quorum is out
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    When a webhook takes the mount "/var/lib/ceph/mon/ceph-c" away from pods labelled "mon=c"
    And the pods labelled "mon=c" are deleted
    Then within 2m the mons "a" and "b" form a quorum
    And within 5m the condition "MonsInQuorum" of the CephCluster "rook-ceph" says
      """
      mons a, b are in quorum, c out
      """

  @S96 @S97
  Scenario: all mons are in quorum
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    Then the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "True" because of "AsExpected"
    And the condition "MonsInQuorum" of the CephCluster "rook-ceph" says
      """
      mons a, b, c are in quorum
      """

  @S98
  Scenario: a mon that does not join is waited for in words
    Given nodes "n1", "n2" and "n3"
    And the operator's "_status" fails with exit code 1 and "timed out"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And 90s pass
    Then the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "False" because of "Waiting"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      mons a to reach quorum, of which a are out
      """
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      state: Creating
      """
    And within 1m the condition "MonsInQuorum" of the CephCluster "rook-ceph" says
      """
      exceeded max retry count waiting for monitors to reach quorum
      """

  Scenario: a command that hangs delays its cluster and no other
    Given nodes "n1" and "n2"
    And the operator's "--cluster=rook-ceph" hangs
    When the CephCluster "rook-ceph" is applied
    And the CephCluster "other/other" is applied with
      """yaml
      spec: {dataDirHostPath: /var/lib/other, mon: {count: 1}}
      """
    Then within 2m the CephCluster "other/other" is in state "Created"
    And the CephCluster "rook-ceph" is in state "Creating"
