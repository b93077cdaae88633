Feature: mons on the nodes' own network
  With host networking a mon has its node's address. A node that comes back with
  another one cannot keep its mon.

  @S53 @S90
  Scenario: the mon of a node with a new address is replaced
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}, network: {hostNetwork: true}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    When the node "n2" gets the address "192.168.72.77"
    Then within 5m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"
    And an Event "MonFailover" says "node n2 has the address 192.168.72.77, but mon b is recorded at 192.168.72.102"

  @S53 @S90
  Scenario: two new addresses are dealt with one after the other
    Given nodes "n1", "n2", "n3", "n4", "n5", "n6" and "n7"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 5, allowMultiplePerNode: false}, network: {hostNetwork: true}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And the mons are watched
    When the node "n1" gets the address "192.168.72.77"
    And the node "n2" gets the address "192.168.72.78"
    Then within 10m the mons "c", "d", "e", "f" and "g" form a quorum
    And at no time fewer than 3 mons were in quorum
    And within 2m there is no Deployment "rook-ceph-mon-b"
    And the operator wrote in this order
      | verb   | kind       | name            |
      | create | Deployment | rook-ceph-mon-f |
      | delete | Deployment | rook-ceph-mon-a |
      | create | Deployment | rook-ceph-mon-g |
      | delete | Deployment | rook-ceph-mon-b |
