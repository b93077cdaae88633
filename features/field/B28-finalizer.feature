Feature: B28 a deletion waits for the volumes that exist, and for nothing else
  rook/rook #3912, PR #3919, #5238, #3913; red-hat-storage/ocs-operator #81. The
  check of the finalizer asked for a kind that was not installed, took the answer for
  a failure, and the CephCluster was never let go; the volumes of the CSI driver were
  not looked at, and pods hung on a cluster that was gone.

  Background:
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @B28 @S58
  Scenario: the kind of the legacy attachments is not installed
    When the CephCluster "rook-ceph" is deleted
    Then within 5s there is no CephCluster "rook-ceph"

  @B28 @S58
  Scenario: it is installed, and nothing is attached
    Given the resource "Volume" of "rook.io/v1alpha2" is installed
    When the CephCluster "rook-ceph" is deleted
    Then within 5s there is no CephCluster "rook-ceph"

  @B28 @S58
  Scenario Outline: a legacy volume is attached to <whose> cluster
    Given the resource "Volume" of "rook.io/v1alpha2" is installed
    And this is applied
      """yaml
      apiVersion: rook.io/v1alpha2
      kind: Volume
      metadata: {name: pvc-1, namespace: rook-ceph-system}
      attachments: [{node: n1, podName: mysql-0, podNamespace: default, clusterName: <cluster>, mountDir: /x, readOnly: false}]
      """
    When the CephCluster "rook-ceph" is deleted
    And 20s pass
    Then <there is>
    When the Volume "rook-ceph-system/pvc-1" is deleted
    Then within <time> there is no CephCluster "rook-ceph"

    Examples:
      | whose   | cluster   | there is                                                                                            | time |
      | this    | rook-ceph | the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "True" because of "DependentsLeft" | 5s   |
      | another | other     | there is no CephCluster "rook-ceph"                                                                 | 0s   |

  @B28 @S58
  Scenario Outline: there is a volume of <what>
    Given this is applied
      """yaml
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pvc-1}
      spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, <source>}
      """
    When the CephCluster "rook-ceph" is deleted
    And 20s pass
    Then <there is>
    When the PersistentVolume "pvc-1" is deleted
    Then within <time> there is no CephCluster "rook-ceph"

    Examples:
      | what                          | source                                                                                                  | there is                                                                 | time |
      | the CSI driver for images     | csi: {driver: rook-ceph.rbd.csi.ceph.com, volumeHandle: x, volumeAttributes: {clusterID: rook-ceph}}    | the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "True" | 5s   |
      | the CSI driver for files      | csi: {driver: cephfs.csi.ceph.com, volumeHandle: x, volumeAttributes: {clusterID: rook-ceph}}           | the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "True" | 5s   |
      | the driver before CSI         | flexVolume: {driver: ceph.rook.io/rook-ceph, options: {clusterNamespace: rook-ceph}}                    | the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "True" | 5s   |
      | another cluster               | csi: {driver: rook-ceph.rbd.csi.ceph.com, volumeHandle: x, volumeAttributes: {clusterID: other}}        | there is no CephCluster "rook-ceph"                                      | 0s   |
      | no Ceph                       | csi: {driver: ebs.csi.aws.com, volumeHandle: x}                                                         | there is no CephCluster "rook-ceph"                                      | 0s   |
      | the host                      | hostPath: {path: /x}                                                                                    | there is no CephCluster "rook-ceph"                                      | 0s   |

  @B28 @S58
  Scenario: a volume and its attachment are both named
    Given this is applied
      """yaml
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pvc-1}
      spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, csi: {driver: rook-ceph.rbd.csi.ceph.com, volumeHandle: x, volumeAttributes: {clusterID: rook-ceph}}}
      """
    And this is applied
      """yaml
      apiVersion: storage.k8s.io/v1
      kind: VolumeAttachment
      metadata: {name: csi-1}
      spec: {attacher: rook-ceph.rbd.csi.ceph.com, nodeName: n1, source: {persistentVolumeName: pvc-1}}
      """
    When the CephCluster "rook-ceph" is deleted
    And 10s pass
    Then the condition "DeletionBlocked" of the CephCluster "rook-ceph" says
      """
      these need the cluster and must be deleted first: PersistentVolume pvc-1; VolumeAttachment csi-1
      """
    And the operator changes nothing for 10m

  @B28 @S58
  Scenario Outline: what cannot be read is not taken for absent: <kind>
    Given the API server refuses the operator to list a <kind> from now on with "<error>"
    When the CephCluster "rook-ceph" is deleted
    And 10m pass
    Then the condition "DeletionBlocked" of the CephCluster "rook-ceph" is "Unknown" because of "Failed"
    And the condition "DeletionBlocked" of the CephCluster "rook-ceph" says
      """
      failed to list the objects of kind <kind>
      """
    When the API server lets the operator list a <kind> again
    Then within 10s there is no CephCluster "rook-ceph"

    Examples:
      | kind             | error              |
      | PersistentVolume | Forbidden          |
      | VolumeAttachment | ServiceUnavailable |
      | CephBlockPool    | Timeout            |
