Feature: one trouble does not hide another
  What random histories (`tidepool explore --histories`) found: each scenario is
  one of them, shortened to what mattered.

  @S53 @S56
  Scenario: a lost mon is replaced although the spec was edited before the others were back in quorum
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 5m the mons "a", "b" and "c" form a quorum
    When the node "n3" is removed from Kubernetes
    And the node "n2" loses its power
    And 12m pass
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, resources: {mon: {requests: {memory: 512Mi}}}}
      """
    And the node "n2" comes back
    Then within 20m the mons "a", "b" and "d" form a quorum
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S53
  Scenario: the leader of the mons dies for good a moment after it came back
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 5m the mons "a", "b" and "c" form a quorum
    When the container "mon" of the pod labelled "mon=a" is killed
    And 3s pass
    And the node "n1" is removed from Kubernetes
    Then within 30s the mons "b" and "c" form a quorum
    And within 20m the mons "b", "c" and "d" form a quorum
