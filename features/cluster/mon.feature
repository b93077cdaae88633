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

  @S88 @B07
  Scenario: each mon has a node of its own
    Given nodes "n1", "n2" and "n3"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    Then within 10m the mons "a", "b" and "c" form a quorum
    And the pods labelled "app=rook-ceph-mon" are on different nodes

  @S88
  Scenario: with too few nodes the mons that fit are kept, and the lack is told
    Given nodes "n1" and "n2"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    When 5m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      no nodes available for mon placement
      """
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

  @S96 @S97
  Scenario: a mon is in quorum if its rank is
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    Then the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "True"

  @S98
  Scenario: a mon that does not join is waited for in words
    Given nodes "n1", "n2" and "n3"
    And the operator's "_status" fails with exit code 1 and "timed out"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 3m the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "False"
    And the condition "MonsInQuorum" of the CephCluster "rook-ceph" says
      """
      a
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
