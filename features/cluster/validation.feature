Feature: a mon count that cannot be right is put right, and said so
  S36-S40 with what was settled about them: the spec in effect is decided before
  anything is made, and the resource itself stays as the user wrote it.

  @S36 @S39 @B01
  Scenario Outline: a missing or too small count becomes three: <mon>
    Given nodes "n1", "n2" and "n3"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: <mon>}
      """
    Then within 10m the mons "a", "b" and "c" form a quorum
    And the operator logs warning "mon count is 0 or less, should be at least 1, will use default value of 3"
    And the pods labelled "app=rook-ceph-mon" are on different nodes
    And the CephCluster "rook-ceph" holds
      """yaml
      spec: {mon: <kept>}
      """
    And within 1m the status of the CephCluster "rook-ceph" holds
      """yaml
      mon: {count: 3}
      """

    Examples:
      | mon                                      | kept                                     |
      | {count: 0, allowMultiplePerNode: false}  | {count: 0, allowMultiplePerNode: false}  |
      | {count: -1, allowMultiplePerNode: false} | {count: -1, allowMultiplePerNode: false} |
      | {allowMultiplePerNode: false}            | {count: null}                            |

  @S36 @B01
  Scenario: with no word on sharing, the default mons may share a node
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 0}}
      """
    Then within 10m the mons "a", "b" and "c" form a quorum

  @S36 @B01
  Scenario: an explicit false is kept, and a lack of nodes is told
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 0, allowMultiplePerNode: false}}
      """
    Then within 5m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      no nodes available for mon placement
      """

  @S37 @S39
  Scenario: more than nine becomes nine
    Given nodes "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9" and "n10"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 12}}
      """
    Then within 1m the operator logs warning "mon count is bigger than 9 (given: 12), not supported, changing to 9"
    And within 20m the mons "a", "b", "c", "d", "e", "f", "g", "h" and "i" form a quorum
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      mon: {count: 9}
      """
    And the operator never logs "mon count is even"
    And the CephCluster "rook-ceph" holds
      """yaml
      spec: {mon: {count: 12}}
      """

  @S38
  Scenario: an even count is kept and warned about
    Given nodes "n1" and "n2"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 2}}
      """
    Then within 1m the operator logs warning "mon count is even (given: 2), should be uneven, continuing"
    And within 10m the mons "a" and "b" form a quorum
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      mon: {count: 2}
      """

  @S40
  Scenario: a second cluster that wants all devices
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the CephCluster "other/other" is applied with
      """yaml
      spec: {dataDirHostPath: /var/lib/other, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 1m the CephCluster "other/other" is in state "Error"
    And the message of the CephCluster "other/other" is "using all devices in more than one namespace not supported"
    And the CephCluster "rook-ceph" is in state "Created"

  @S88
  Scenario Outline: a spec that no mon could live with: <words>
    Given nodes "n1", "n2" and "n3"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: <shared>}, network: {hostNetwork: <hostNetwork>}, resources: {mon: {limits: {memory: <memory>}}}}
      """
    Then within 1m the condition "Ready" of the CephCluster "rook-ceph" is "False" because of "InvalidSpec"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      <words>
      """
    And there is no Deployment "rook-ceph-mon-a"

    Examples:
      | shared | hostNetwork | memory | words                         |
      | true   | true        | 2Gi    | hostNetwork                   |
      | false  | false       | 512Mi  | spec.resources.mon            |
