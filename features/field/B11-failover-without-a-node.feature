Feature: without a place for another a mon is kept
  rook/rook #2542: each health pass claimed to start a new mon, noted it at the
  headless service's placeholder instead of an IP address, found no free node, and
  did the same for the next mon.

  Background:
    Given these nodes
      | name | labels       |
      | n1   | role=storage |
      | n2   | role=storage |
      | n3   | role=storage |
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 3, allowMultiplePerNode: false}
        placement: {mon: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: role, operator: In, values: [storage]}]}]}}}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"

  @B11 @S53
  Scenario: no free node means no failover
    When the node "n2" loses the label "role"
    And 10m pass
    Then the operator wrote "create Deployment rook-ceph/rook-ceph-mon-d" 0 times
    And the operator ran "ceph mon remove" 0 times
    And the mons "a", "b" and "c" form a quorum
    And the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,b=<ip>:6789,c=<ip>:6789
      """
    And the condition "MonFailover" of the CephCluster "rook-ceph" says
      """
      the node n2 of mon b does not match the node affinity; it is kept, since there is no node for another
      3 mons are wanted and 2 nodes fit
      """
    And the operator logs warning "<any>the node n2 of mon b does not match<any>" no more time within 10m
    And an Event "MonFailover" says "the node n2 of mon b does not match the node affinity"

  @B11 @S53
  Scenario: once there is a place the mon moves
    When the node "n2" loses the label "role"
    And 5m pass
    And the mons are watched
    And these nodes
      | name | labels       |
      | n4   | role=storage |
    Then within 3m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"
    And at no time fewer than 3 mons were in quorum
    And within 1m the CephCluster "rook-ceph" has no condition "MonFailover"

  @B11 @S53
  Scenario: a dead mon without a place for another is kept, and comes back
    When the node "n2" loses its power
    And 30m pass
    Then there are 3 Deployments labelled "app=rook-ceph-mon"
    And the condition "MonFailover" of the CephCluster "rook-ceph" is "True" because of "NoNode"
    When the node "n2" comes back
    Then within 3m the mons "a", "b" and "c" form a quorum
    And within 1m the CephCluster "rook-ceph" has no condition "MonFailover"

  @B11 @S53
  Scenario: nodes that are cordoned or restart keep their mons
    Given these nodes
      | name | labels       |
      | n4   | role=storage |
    When the node "n2" is cordoned
    And the node "n3" reboots
    And 30m pass
    Then the mons "a", "b" and "c" form a quorum
    And the operator ran "ceph mon remove" 0 times

  @B11 @S90
  Scenario: a node without an IP address gives no mon, and nothing is recorded of it
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {network: {hostNetwork: true}}
      """
    And these nodes
      | name | labels       | address    |
      | n4   | role=storage | n4.example |
    And the node "n2" loses its power
    When 15m pass
    Then the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,b=<ip>:6789,c=<ip>:6789
      """
    And the operator ran "n4.example" 0 times
    And the condition "MonFailover" of the CephCluster "rook-ceph" says
      """
      n4 has no IP address ("n4.example")
      """
