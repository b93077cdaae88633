@B19
Feature: maintenance of a node is not its removal
  rook/rook #2253, PR #2936. A node was cordoned, tainted by Kubernetes, or not ready;
  the operator was restarted, missed the node among the valid ones, and took its OSDs
  for removed: Deployments deleted, data moved.

  Scenario Outline: the node n3 <state>, useAllNodes <all>, removal switched <switch>
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi and "sdc" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, removeOSDsIfOutAndSafeToRemove: <switch>, storage: {useAllNodes: <all>, nodes: <nodes>, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the node "n3" <state>
    And the operator is restarted
    And 40m pass
    Then there are 6 Deployments labelled "app=rook-ceph-osd"
    And the operator ran "osd out" 0 times
    And the operator ran "osd purge" 0 times
    And the operator ran "osd crush rm" 0 times

    Examples:
      | state                                                        | all   | nodes                                  | switch |
      | is cordoned                                                  | true  | []                                     | false  |
      | is cordoned                                                  | false | [{name: n1}, {name: n2}, {name: n3}]   | true   |
      | loses its power                                              | true  | []                                     | true   |
      | loses its power                                              | false | [{name: n1}, {name: n2}, {name: n3}]   | false  |
      | gets the taint "node.kubernetes.io/not-ready:NoExecute"      | true  | []                                     | true   |
      | gets the taint "node.kubernetes.io/not-ready:NoExecute"      | false | [{name: n1}, {name: n2}, {name: n3}]   | true   |
      | gets the taint "node.kubernetes.io/disk-pressure:NoSchedule" | true  | []                                     | true   |
      | gets the taint "node.kubernetes.io/disk-pressure:NoSchedule" | false | [{name: n1}, {name: n2}, {name: n3}]   | true   |
      | gets the taint "maintenance:NoExecute"                       | true  | []                                     | true   |

  Scenario Outline: an OSD that a person has marked out is kept while its node <state>
    Given nodes "n1" and "n2", each with the disk "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, removeOSDsIfOutAndSafeToRemove: true, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m there are 2 Deployments labelled "app=rook-ceph-osd"
    And a node "n3" with the disk "sdb" of 100Gi
    And within 5m the pod labelled "ceph-osd-id=2" is running
    And the node "n3" <state>
    And the admin runs `ceph osd out 2`
    When the operator is restarted
    And 40m pass
    Then there are 3 Deployments labelled "app=rook-ceph-osd"

    Examples:
      | state                                                        |
      | is cordoned                                                  |
      | gets the taint "node.kubernetes.io/disk-pressure:NoSchedule" |
      | gets the taint "maintenance:NoSchedule"                      |

  Scenario: OSDs of a node in maintenance that are out and safe to destroy are kept, and told
    Given nodes "n1", "n2" and "n3", each with the disk "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, removeOSDsIfOutAndSafeToRemove: true, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the node "n3" loses its power
    Then within 15m the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      of node n3 is down and out, and kept while the node is not ready
      """
    When the node "n3" is removed from Kubernetes
    Then within 3m there are 2 Deployments labelled "app=rook-ceph-osd"
    And within 1m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"
