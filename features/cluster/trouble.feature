Feature: objects that somebody changed or took away
  What is derived is made again. What is not is never guessed: the CephCluster says
  which object, which value and what to do, and nothing is changed meanwhile.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi

  @B14 @S73
  Scenario Outline: the identity has <what>
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the Secret "rook-ceph-mon" is changed with
      """yaml
      data: <data>
      """
    And the operator is restarted
    Then within 1m the condition "Ready" of the CephCluster "rook-ceph" is "False" because of "IdentityMissing"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      Secret rook-ceph/rook-ceph-mon
      <says>
      restore it from a backup
      """
    And the operator changes nothing for 10m
    And the mon "a" forms a quorum

    Examples:
      | what                          | data                   | says                          |
      | no fsid                       | {fsid: null}           | lacks fsid                    |
      | an fsid that is none          | {fsid: "eHl6"}         | has the fsid "xyz"            |
      | no key of the mons            | {mon-secret: ""}       | lacks mon-secret              |
      | a key of the mons in binary   | {mon-secret: "//79"}   | under mon-secret what is not  |
      | a key of the admin that is none | {admin-secret: "eHl6"} | under admin-secret what is not |
      | a key of two lines            | {admin-secret: "YQpi"} | under admin-secret what is not |
      | nothing                       | null                   | lacks cluster-name, fsid, mon-secret, admin-secret |

  @S80 @B11
  Scenario Outline: the recorded mons are <what>
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the ConfigMap "rook-ceph-mon-endpoints" is changed with
      """yaml
      data: {data: "<data>"}
      """
    And 1m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      ConfigMap rook-ceph/rook-ceph-mon-endpoints
      <says>
      nothing is changed until then
      """
    And the operator changes nothing for 10m
    And the mons "a", "b" and "c" form a quorum

    Examples:
      | what              | data                              | says                     |
      | garbage           | garbage                           | "garbage" is not of the form a=10.0.0.1:6789 |
      | listed twice      | a=10.9.9.9:6789,a=10.9.9.8:6789   | mon a is listed twice    |
      | somebody else's   | a=10.9.9.9:6789,x=10.9.9.8:6789   | has mon a at 10.9.9.9:6789 |

  @S80 @S81
  Scenario Outline: of the recorded mons <what> is lost
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the ConfigMap "rook-ceph-mon-endpoints" is changed with
      """yaml
      data: <data>
      """
    Then within 2m the CephCluster "rook-ceph" is in state "Created"
    And the mons "a", "b" and "c" form a quorum
    And there are 3 Deployments labelled "app=rook-ceph-mon"
    And 2m pass
    And the operator changes nothing for 10m

    Examples:
      | what           | data                                |
      | everything     | {data: null, mapping: null, maxMonId: null} |
      | the list       | {data: ""}                          |
      | the mapping    | {mapping: "{{{"}                    |
      | the highest id | {maxMonId: "-7"}                    |
      | the number     | {maxMonId: "99999999999999999999"}  |

  Scenario: the only mon is not moved away from its data
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the ConfigMap "rook-ceph-mon-endpoints" is changed with
      """yaml
      data: {mapping: '{"node":{"a":{"Name":"n2","Hostname":"n2","Address":"192.168.72.102"}},"port":{}}'}
      """
    Then within 1m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      mon a on node n2, but it runs on node n1, where its data is
      """
    And the mon "a" forms a quorum
    And the operator changes nothing for 10m

  Scenario: no node for one mon more does not leave the others alone
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 2}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Node "n3" is changed with
      """yaml
      spec: {unschedulable: true}
      """
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 1m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      no nodes available for mon placement: 3 mons are wanted and 2 nodes fit
      """
    And the Deployment "rook-ceph-mon-a" is deleted
    Then within 2m there is a Deployment "rook-ceph-mon-a"
    And within 2m the mons "a" and "b" form a quorum

  Scenario Outline: a node's OSD result is <what>
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the ConfigMap "rook-ceph-osd-n1-status" is changed with
      """yaml
      data: <data>
      """
    And 5m pass
    Then the CephCluster "rook-ceph" is in state "Created"
    And there are 3 Deployments labelled "app=rook-ceph-osd"
    And the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator changes nothing for 10m

    Examples:
      | what                | data                                   |
      | garbage             | {status: "garbage"}                    |
      | half a JSON         | {status: '{"status":"completed","osds":[{"id":'} |
      | of no OSD           | {status: '{"status":"completed","osds":[{}]}'} |
      | of another's OSD    | {status: '{"status":"completed","osds":[{"id":1,"uuid":"x","store":"bluestore","device":"sdb"}]}'} |
      | empty               | null                                   |
      | of no node          | {node: null}                           |
      | of another node     | {node: n2}                             |

  Scenario Outline: <kind> <name> is deleted
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, dashboard: {enabled: true}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the <kind> "<name>" is deleted
    Then within 2m there is a <kind> "<name>"
    And 5m pass
    And the operator ran "ceph-authtool" 2 times
    And the CephCluster "rook-ceph" is in state "Created"
    And the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator changes nothing for 10m

    Examples:
      | kind       | name                         |
      | ConfigMap  | rook-ceph-config             |
      | ConfigMap  | rook-ceph-mon-endpoints      |
      | ConfigMap  | rook-ceph-osd-n1-status      |
      | Secret     | rook-ceph-mgr-a-keyring      |
      | Secret     | rook-ceph-mons-keyring       |
      | Secret     | rook-ceph-dashboard-password |
      | Service    | rook-ceph-mon-a              |
      | Deployment | rook-ceph-mon-a              |
      | Deployment | rook-ceph-osd-0              |

  Scenario Outline: the namespace is deleted after <after>
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, dashboard: {enabled: true}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And <after> pass
    When the Namespace "rook-ceph" is deleted
    Then within 5m there is no Namespace "rook-ceph"
    And the operator changes nothing for 10m

    Examples:
      | after |
      | 1s    |
      | 4s    |
      | 22s   |
      | 10m   |

  Scenario Outline: one mon, three and one again, <gap> apart
    Given the CephCluster "rook-ceph" is applied
    And <after> pass
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    And <gap> pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 1}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran "ceph-authtool" 2 times
    And 1m pass
    And the operator changes nothing for 10m

    Examples:
      | after | gap |
      | 4s    | 1s  |
      | 60s   | 1s  |
      | 60s   | 5s  |

  Scenario: a second cluster in the namespace takes over when the first is gone
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the CephCluster "second" is applied with
      """yaml
      spec: {mon: {count: 1}, dataDirHostPath: /var/lib/other}
      """
    Then within 1m the condition "Ready" of the CephCluster "second" says
      """
      namespace rook-ceph already has the CephCluster rook-ceph
      """
    When the CephCluster "rook-ceph" is deleted
    Then within 5m the CephCluster "second" is in state "Created"
    And the operator ran "ceph-authtool" 4 times
