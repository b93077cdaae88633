Feature: mons may be evicted as long as the quorum can spare them
  With spec.disruptionManagement.managePodBudgets the PodDisruptionBudget
  rook-ceph-mon-pdb lets one mon go, from five on two, less those that are out.

  Scenario Outline: of <count> mons <most> may go
    Given nodes "n1", "n2", "n3", "n4" and "n5"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: <count>, allowMultiplePerNode: false}, disruptionManagement: {managePodBudgets: true}}
      """
    Then within 15m the CephCluster "rook-ceph" is in state "Created"
    And within 1m the PodDisruptionBudget "rook-ceph-mon-pdb" holds
      """yaml
      spec: {maxUnavailable: <most>, selector: {matchLabels: {app: rook-ceph-mon}}}
      """
    And the PodDisruptionBudget "rook-ceph-mon-pdb" is owned by the CephCluster "rook-ceph"
    When the node "n2" loses its power
    Then within 2m the PodDisruptionBudget "rook-ceph-mon-pdb" holds
      """yaml
      spec: {maxUnavailable: <less>}
      """

    Examples:
      | count | most | less |
      | 3     | 1    | 0    |
      | 5     | 2    | 1    |

  Scenario Outline: no budget <when>
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}, disruptionManagement: {managePodBudgets: true}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And there is a PodDisruptionBudget "rook-ceph-mon-pdb"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {<change>}
      """
    Then within 1m there is no PodDisruptionBudget "rook-ceph-mon-pdb"

    Examples:
      | when                     | change                                         |
      | when it is switched off  | disruptionManagement: {managePodBudgets: false} |
      | of two mons              | mon: {count: 2}                                |

  Scenario: nodes are drained one after the other, and the quorum stays
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}, disruptionManagement: {managePodBudgets: true}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And the mons are watched
    When the node "n1" is drained
    And within 5m the drain of the node "n1" is done
    And the node "n2" is drained
    And 5m pass
    Then the drain of the node "n2" waits for a pod labelled "app=rook-ceph-mon"
    And at no time fewer than 2 mons were in quorum
