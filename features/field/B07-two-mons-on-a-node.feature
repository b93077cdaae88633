Feature: two mons never share a node against the spec
  rook/rook #2826, PR #2870, #1386; counter-case #2130: the assignment wrapped
  round the list of nodes and put a second mon on one; and where every node had
  its mon already, a restarted operator asked for a free node and failed.

  @B07 @S88
  Scenario: too few nodes for the wanted mons
    Given nodes "n1" and "n2"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And 5m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      3 mons are wanted and 2 nodes fit
      """
    And there are 0 Deployments labelled "app=rook-ceph-mon"

  @B07 @S88
  Scenario: a tainted node is no place for a mon
    Given these nodes
      | name | taints              |
      | n1   |                     |
      | n2   |                     |
      | n3   | role=gpu:NoSchedule |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And 5m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      3 mons are wanted and 2 nodes fit
      n3 has the taint role=gpu:NoSchedule
      """

  @B07
  Scenario: a restart with every node in use changes nothing
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    When the operator is restarted
    Then the operator changes nothing for 10m
    And the condition "Ready" of the CephCluster "rook-ceph" is "True"

  @B07 @S53
  Scenario: a mon that shares a node is moved once there is a place
    Given nodes "n1" and "n2"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: true}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {allowMultiplePerNode: false}}
      """
    Then within 3m the condition "MonFailover" of the CephCluster "rook-ceph" is "True" because of "NoNode"
    And the mons "a", "b" and "c" form a quorum
    When a node "n3"
    Then within 3m the mons "a", "b" and "d" form a quorum
    And the pods labelled "app=rook-ceph-mon" are on different nodes

  @B07 @S53
  Scenario: without a free node a dead mon's own node takes the next one
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And a webhook takes the mount "/var/lib/ceph/mon/ceph-b" away from pods labelled "mon=b"
    When the pods labelled "mon=b" are deleted
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 1m there is no pod labelled "mon=b" in the namespace "rook-ceph"
    And the pods labelled "app=rook-ceph-mon" are on different nodes
