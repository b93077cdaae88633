Feature: a CephCluster is deleted when nothing needs it any more
  S54, S58. A finalizer holds the CephCluster until pools and volumes on it are
  gone, and says which are not. What the operator made goes with it. What is on the
  hosts stays, unless the user has confirmed that it is to be destroyed.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"

  @S54
  Scenario: nothing needs it
    Given the CephCluster "rook-ceph" holds
      """yaml
      metadata: {finalizers: [cephcluster.ceph.rook.io]}
      """
    And what the nodes "n1", "n2" and "n3" hold is noted
    When the CephCluster "rook-ceph" is deleted
    Then within 10s there is no CephCluster "rook-ceph"
    And within 1m nothing is left in the namespace "rook-ceph"
    And the nodes still hold what was noted
    And the operator has no file in "/var/lib/rook"
    And the operator has no file in "/etc/ceph"
    And the operator changes nothing for 10m

  @S58
  Scenario: a pool holds it, and goes while Ceph still runs
    Given the CephBlockPool "replicapool" is applied
    And within 2m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    When the CephCluster "rook-ceph" is deleted
    Then within 5s the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "True" because of "DependentsLeft"
    And the CephCluster "rook-ceph" holds
      """yaml
      metadata: {finalizers: [cephcluster.ceph.rook.io]}
      status: {state: Deleting, phase: Deleting, message: "these need the cluster and must be deleted first: CephBlockPool replicapool"}
      """
    And the operator changes nothing for 10m
    When the CephBlockPool "replicapool" is deleted
    Then within 10s there is no CephBlockPool "replicapool"
    And the operator ran "ceph osd pool rm replicapool replicapool --yes-i-really-really-mean-it" 1 time
    And within 10s there is no CephCluster "rook-ceph"

  @S58
  Scenario: a blocked cluster is looked after as before, by an operator that was restarted too
    Given the CephBlockPool "replicapool" is applied
    And within 2m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    And the CephCluster "rook-ceph" is deleted
    And within 5s the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "True"
    When the operator is restarted
    And the Deployment "rook-ceph-mon-b" is deleted
    Then within 1m there is a Deployment "rook-ceph-mon-b"
    And within 2m the mons "a", "b" and "c" form a quorum
    When the CephBlockPool "replicapool" is deleted
    Then within 30s there is no CephCluster "rook-ceph"

  @S58
  Scenario Outline: a pool on a cluster that has lost its quorum for good is given up by <way>
    Given the CephBlockPool "replicapool" is applied
    And within 2m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    And the node "n1" loses its power
    And the node "n2" loses its power
    And within 5m the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "False"
    When the CephCluster "rook-ceph" is deleted
    And the CephBlockPool "replicapool" is deleted
    Then within 1m the condition "Ready" of the CephBlockPool "replicapool" says
      """
      the cluster is being deleted: if it does not come back, annotate the CephBlockPool with rook.io/force-deletion=true
      or set spec.cleanupPolicy.confirmation of the CephCluster to yes-really-destroy-data
      """
    When the <kind> is changed with
      """yaml
      <change>
      """
    Then within 15s there is no CephBlockPool "replicapool"
    And within <time> there is no CephCluster "rook-ceph"

    Examples:
      | way                  | kind                        | change                                                               | time |
      | its annotation       | CephBlockPool "replicapool" | metadata: {annotations: {rook.io/force-deletion: "true"}}            | 40s  |
      | the cluster's policy | CephCluster "rook-ceph"     | spec: {cleanupPolicy: {confirmation: yes-really-destroy-data}}       | 12m  |

  @S58
  Scenario: a file system on a cluster that has lost its quorum for good is given up by its annotation
    Given this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephFilesystem
      metadata: {name: myfs, namespace: rook-ceph}
      spec: {metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 3}}], metadataServer: {activeCount: 1}}
      """
    And within 2m the condition "Ready" of the CephFilesystem "myfs" is "True"
    And the node "n1" loses its power
    And the node "n2" loses its power
    And within 5m the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "False"
    When the CephCluster "rook-ceph" is deleted
    And the CephFilesystem "myfs" is deleted
    Then within 1m the condition "Ready" of the CephFilesystem "myfs" says
      """
      the cluster is being deleted: if it does not come back, annotate the CephFilesystem with rook.io/force-deletion=true
      """
    When the CephFilesystem "myfs" is changed with
      """yaml
      metadata: {annotations: {rook.io/force-deletion: "true"}}
      """
    Then within 15s there is no CephFilesystem "myfs"

  @S58
  Scenario: volumes may be left behind where the policy says so
    Given this is applied
      """yaml
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pvc-1}
      spec:
        accessModes: [ReadWriteOnce]
        capacity: {storage: 1Gi}
        csi: {driver: rook-ceph.rbd.csi.ceph.com, volumeHandle: x, volumeAttributes: {clusterID: rook-ceph}}
      """
    And the CephCluster "rook-ceph" is deleted
    And within 5s the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "True"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cleanupPolicy: {allowUninstallWithVolumes: true}}
      """
    Then within 5s there is no CephCluster "rook-ceph"

  @S58
  Scenario: resources of a kind that another operator serves hold it too
    Given the resource "CephObjectStore" of "ceph.rook.io/v1" is installed
    And this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephObjectStore
      metadata: {name: my-store, namespace: rook-ceph}
      """
    When the CephCluster "rook-ceph" is deleted
    Then within 5s the condition "DeletionBlocked" of the CephCluster "rook-ceph" says
      """
      CephObjectStore my-store
      """
    When the CephObjectStore "my-store" is deleted
    Then within 30s there is no CephCluster "rook-ceph"

  @S58
  Scenario: a second CephCluster of the namespace takes nothing with it
    Given the CephCluster "second" is applied with
      """yaml
      metadata: {finalizers: [cephcluster.ceph.rook.io]}
      spec: {mon: {count: 1}, cleanupPolicy: {confirmation: yes-really-destroy-data}}
      """
    When the CephCluster "second" is deleted
    Then within 5s there is no CephCluster "second"
    And 2m pass
    And the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator changes nothing for 10m
