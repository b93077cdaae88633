@B17
Feature: one node that is never prepared holds up nobody
  rook/rook #2587, #4495, #4975, PR #3817. A node was cordoned, deleted or hung while
  its prepare job ran; the operator waited for that node without a limit, and OSDs of
  healthy nodes, mgr, pools and all that follows were never handled. Deleting the
  node did not help, since the list to wait for was made at the start.

  Scenario Outline: the others go on while the node n3 <is>
    Given nodes "n1" and "n2", each with the disk "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m there are 2 Deployments labelled "app=rook-ceph-osd"
    When a node "n3" with the disk "sdb" of 100Gi
    And within 1m there is a Job "rook-ceph-osd-prepare-n3"
    And the node "n3" <event>
    And this is applied
      """yaml
      {apiVersion: ceph.rook.io/v1, kind: CephBlockPool, metadata: {name: made-meanwhile, namespace: rook-ceph}, spec: {failureDomain: host, replicated: {size: 2}}}
      """
    Then within 1m `ceph osd pool get made-meanwhile size` answers
      """yaml
      size: 2
      """
    And the pods labelled "app=rook-ceph-osd" are on different nodes
    And within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      node n3 to be prepared, which <is>
      """
    And the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | event              | is           |
      | loses its power    | is not ready |
      | is cordoned        | is cordoned  |
      | gets the taint "node.kubernetes.io/disk-pressure:NoSchedule" | has the taint node.kubernetes.io/disk-pressure:NoSchedule, which is not tolerated |

  Scenario: a job that hangs is given up after 15 minutes, and told
    Given nodes "n1" and "n2", each with the disk "sdb" of 100Gi
    And a webhook keeps pods labelled "job=rook-ceph-osd-prepare-n2" from every node
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, rbdMirroring: {workers: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 2m the pod labelled "app=rook-ceph-osd" is running
    And within 1m the pod labelled "app=rook-ceph-rbd-mirror" is running
    And within 16m the condition "OSDsReady" of the CephCluster "rook-ceph" is "False" because of "TimedOut"
    And the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      node n2 has not been prepared for more than 15m0s
      """
    And within 1m the CephCluster "rook-ceph" is in state "Created"

  Scenario: a node that is deleted while it is waited for is no longer waited for
    Given nodes "n1" and "n2", each with the disk "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m there are 2 Deployments labelled "app=rook-ceph-osd"
    And a node "n3" with the disk "sdb" of 100Gi
    And within 1m there is a Job "rook-ceph-osd-prepare-n3"
    When the node "n3" is removed from Kubernetes
    Then within 1m there is no Job "rook-ceph-osd-prepare-n3"
    And within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"
    And the CephCluster "rook-ceph" is in state "Created"

  Scenario: a node that is back gets its OSDs
    Given nodes "n1" and "n2", each with the disk "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m there are 2 Deployments labelled "app=rook-ceph-osd"
    And a node "n3" with the disk "sdb" of 100Gi
    And within 1m there is a Job "rook-ceph-osd-prepare-n3"
    And the node "n3" loses its power
    And 1h pass
    When the node "n3" comes back
    Then within 10m the pod labelled "ceph-osd-id=2" is running
    And within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"
