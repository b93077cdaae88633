Feature: nodes can be drained, and no data is missed
  With disruptionManagement.managePodBudgets the budget rook-ceph-osd lets one OSD
  go at a time. While a node is being drained its failure domain may go whole, all
  others keep every OSD, and its data stays where it is (noout) for 30 minutes.

  Background: two OSDs on each of three nodes, and a pool that needs two of three copies
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi and "sdc" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}, mon: {count: 3}, disruptionManagement: {managePodBudgets: true}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And this is applied
      """yaml
      {apiVersion: ceph.rook.io/v1, kind: CephBlockPool, metadata: {name: data, namespace: rook-ceph}, spec: {failureDomain: host, replicated: {size: 3}, parameters: {min_size: "2"}}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the placement groups are watched

  Scenario: ordinarily one OSD may go
    Then within 1m the PodDisruptionBudget "rook-ceph-osd" holds
      """yaml
      spec: {maxUnavailable: 1, selector: {matchLabels: {app: rook-ceph-osd, rook_cluster: rook-ceph}}}
      status: {expectedPods: 6, currentHealthy: 6, desiredHealthy: 5, disruptionsAllowed: 1}
      """
    And there is 1 PodDisruptionBudget labelled "app=rook-ceph-osd"
    And the PodDisruptionBudget "rook-ceph-osd" is owned by the CephCluster "rook-ceph"
    And the operator changes nothing for 10m

  Scenario: a drained node may go whole, and the others keep what they have
    When the node "n1" is drained
    Then within 3m the drain of the node "n1" is done
    And there is no PodDisruptionBudget "rook-ceph-osd"
    And the PodDisruptionBudget "rook-ceph-osd-host-n2" holds
      """yaml
      spec: {maxUnavailable: 0}
      status: {expectedPods: 2, disruptionsAllowed: 0}
      """
    And there are 2 PodDisruptionBudgets labelled "app=rook-ceph-osd"
    And `ceph osd dump` answers
      """yaml
      crush_node_flags: {n1: [noout]}
      """
    And an Event "OSDsDraining" says "n1 is being drained"
    And at no time a placement group had fewer OSDs than its pool's min_size

  Scenario: when the node is back all is as before
    Given the node "n1" is drained
    And within 3m the drain of the node "n1" is done
    And 5m pass
    When the node "n1" is uncordoned
    Then within 2m there is a PodDisruptionBudget "rook-ceph-osd"
    And within 10s there is 1 PodDisruptionBudget labelled "app=rook-ceph-osd"
    And within 1m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator ran "osd set-group noout n1" 1 time
    And the operator ran "osd unset-group noout n1" 1 time
    And 10s pass
    And the operator changes nothing for 10m

  Scenario: of two nodes that are drained at once one waits for the other
    When the node "n1" is drained
    And the node "n2" is drained
    And 10m pass
    Then the drain of the node "n2" waits for a pod labelled "app=rook-ceph-osd"
    And the drain of the node "n1" is done
    When the node "n1" is uncordoned
    Then within 5m the drain of the node "n2" is done
    And the pods labelled "rook-ceph-node=n1" each hold
      """yaml
      status: {phase: Running}
      """
    And at no time a placement group had fewer OSDs than its pool's min_size

  Scenario Outline: the data stays where it is for <given> minutes
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {disruptionManagement: {osdMaintenanceTimeout: <given>}}
      """
    And the node "n1" is drained
    And within 3m the drain of the node "n1" is done
    When <before> pass
    Then `ceph osd stat` answers
      """yaml
      num_up_osds: 4
      num_in_osds: 6
      """
    And within 4m `ceph osd dump` answers
      """yaml
      crush_node_flags: {<only>: true}
      """
    And within 11m `ceph osd stat` answers
      """yaml
      num_in_osds: <in>
      """
    And there is no PodDisruptionBudget "rook-ceph-osd"

    Examples:
      | given | before | in |
      | 0     | 26m    | 4  |
      | 60    | 56m    | 4  |

  Scenario Outline: the operator is killed after "<effect>" in a drain
    Given the operator is killed after its effect "<effect>"
    When the node "n1" is drained
    Then within 5m the drain of the node "n1" is done
    And within 1m there are 2 PodDisruptionBudgets labelled "app=rook-ceph-osd"
    When the node "n1" is uncordoned
    Then within 5m every fault has happened
    And within 2m there is a PodDisruptionBudget "rook-ceph-osd"
    And within 1m there is 1 PodDisruptionBudget labelled "app=rook-ceph-osd"
    And within 3m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And at no time a placement group had fewer OSDs than its pool's min_size

    Examples:
      | effect                                                         |
      | create ConfigMap rook-ceph/rook-ceph-pdbstatemap               |
      | osd set-group noout n1                                         |
      | create PodDisruptionBudget rook-ceph/rook-ceph-osd-host-n2     |
      | create PodDisruptionBudget rook-ceph/rook-ceph-osd-host-n3     |
      | delete PodDisruptionBudget rook-ceph/rook-ceph-osd             |
      | osd unset-group noout n1                                       |
      | delete PodDisruptionBudget rook-ceph/rook-ceph-osd-host-n2     |
      | update ConfigMap rook-ceph/rook-ceph-pdbstatemap               |

  Scenario: a flag that people have set stays
    Given the admin runs `ceph osd set-group noout n1`
    And the node "n1" is drained
    And within 3m the drain of the node "n1" is done
    When the node "n1" is uncordoned
    Then within 3m there is a PodDisruptionBudget "rook-ceph-osd"
    And `ceph osd dump` answers
      """yaml
      crush_node_flags: {n1: [noout]}
      """
    And the operator ran "noout" 0 times

  Scenario: an OSD that failed elsewhere holds a drain back until its data has moved
    Given the disk "sdb" of the node "n2" is taken away
    And the pods labelled "rook-ceph-node=n2" are deleted
    And 1m pass
    When the node "n1" is drained
    And 5m pass
    Then the drain of the node "n1" waits for a pod labelled "app=rook-ceph-osd"
    And within 20m the drain of the node "n1" is done
    And at no time a placement group had fewer OSDs than its pool's min_size

  Scenario: budgets go when they are no longer asked for
    Given the node "n1" is drained
    And within 3m the drain of the node "n1" is done
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {disruptionManagement: {managePodBudgets: false}}
      """
    Then within 1m there are 0 PodDisruptionBudgets labelled "app=rook-ceph-osd"
    And `ceph osd dump` answers
      """yaml
      crush_node_flags: {<only>: true}
      """
    And the operator ran "osd unset-group noout n1" 1 time
