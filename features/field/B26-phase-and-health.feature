Feature: a look at the health leaves the phase alone
  rook/rook #8989: a health check in the middle of an upgrade wrote the phase Ready,
  and tools that wait for it went on too early.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        cephVersion: {image: "ceph/ceph:v14.2.22"}
        mon: {count: 1}
        storage: {useAllNodes: true, useAllDevices: true}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And the admin runs `ceph osd pool create data 32`
    And the admin runs `ceph osd pool set data size 3`
    And the admin runs `ceph osd pool set data min_size 3`
    And the admin runs `ceph osd pool application enable data rbd`
    And 1m pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
      """
    And within 1m the CephCluster "rook-ceph" is in state "Updating"

  @B26 @S53
  Scenario: health is looked at while an upgrade goes on
    Then in 3m the status of the CephCluster "rook-ceph" moves "ceph.lastChecked" and keeps "phase" and "state"
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      phase: Progressing
      """
    When the admin runs `ceph osd pool set data min_size 2`
    Then within 10m the status of the CephCluster "rook-ceph" holds
      """yaml
      phase: Ready
      """
    And the operator logs info "cluster in namespace rook-ceph: the cluster is as the spec asks" no more time within 10m

  @B26 @S53
  Scenario: a write of the status in conflict with another keeps what both wrote
    When the operator's effect "patch status of CephCluster rook-ceph/rook-ceph" meets a conflict
    And the admin runs `ceph osd pool set data min_size 2`
    Then within 10m the status of the CephCluster "rook-ceph" holds
      """yaml
      phase: Ready
      version: {image: "ceph/ceph:v16.2.15"}
      ceph: {lastChecked: <time>}
      """
    And in 3m the status of the CephCluster "rook-ceph" moves "ceph.lastChecked" and keeps "phase" and "version.image"
