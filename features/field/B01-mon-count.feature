Feature: a CephCluster without a mon count gets the documented three
  rook/rook #1424 and PR #1710: the operator warned that the count was too low and then
  built a quorum of one; the later cure also let all mons share a node, unasked.

  @B01 @S36 @S37 @S38
  Scenario Outline: a mon count of <given> means <effective> before the first mon is made
    Given nodes "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8" and "n9"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: <given>, allowMultiplePerNode: false}}
      """
    Then within 10m the mons <mons> form a quorum
    And there are <effective> Deployments labelled "app=rook-ceph-mon"
    And the pods labelled "app=rook-ceph-mon" are on different nodes
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      mon: {count: <effective>}
      """
    And the CephCluster "rook-ceph" holds
      """yaml
      spec: {mon: {count: <given>, allowMultiplePerNode: false}}
      """

    Examples:
      | given | effective | mons                                                |
      | null  | 3         | "a", "b" and "c"                                    |
      | 0     | 3         | "a", "b" and "c"                                    |
      | -1    | 3         | "a", "b" and "c"                                    |
      | 4     | 4         | "a", "b", "c" and "d"                               |
      | 12    | 9         | "a", "b", "c", "d", "e", "f", "g", "h" and "i"      |
