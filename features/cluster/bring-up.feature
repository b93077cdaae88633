Feature: a CephCluster comes up
  From one applied resource to a healthy Ceph: version detected, mons in quorum,
  mgr active, OSDs in, and the resource says so.

  @S1 @S2 @S14 @S15 @S17 @S52 @S133
  Scenario: the seed's cluster, applied as it was written down
    Given nodes "master-node" and "node1"
    When the backup "prod/api/v1/testdata/seed/second.yaml" is restored
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the mon "a" forms a quorum
    And the pods labelled "rook_cluster=rook-ceph" are running

  @S1 @S2 @S3 @S5 @S89
  Scenario Outline: three mons on three nodes, on <release>
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        cephVersion: {image: "<image>"}
        mon: {count: 3, allowMultiplePerNode: false}
        storage: {useAllNodes: true, useAllDevices: true}
      """
    Then within 10m the CephCluster "rook-ceph" is in state "Created"
    And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the mons "a", "b" and "c" form a quorum
    And the pods labelled "app=rook-ceph-mon" are on different nodes

    Examples:
      | release  | image                         |
      | mimic    | ceph/ceph:v13.2.3-20190410    |
      | nautilus | ceph/ceph:v14.2.0-20190410    |
      | pacific  | quay.io/ceph/ceph:v16.2.15    |
      | reef     | quay.io/ceph/ceph:v18.2.4     |
      | tentacle | quay.io/ceph/ceph:v20.2.0     |

  @S63
  Scenario: what an orchestration makes, it makes in order
    Given a node "n1" with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage: {useAllNodes: true, useAllDevices: true}
        rbdMirroring: {workers: 1}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator created in this order
      | kind       | name                   |
      | Job        | rook-ceph-detect-version |
      | ConfigMap  | rook-config-override   |
      | Secret     | rook-ceph-mon          |
      | ConfigMap  | rook-ceph-mon-endpoints |
      | Deployment | rook-ceph-mon-a        |
      | Deployment | rook-ceph-mgr-a        |
      | Job        | rook-ceph-osd-prepare-n1 |
      | Deployment | rook-ceph-osd-0        |
      | Deployment | rook-ceph-rbd-mirror-a |

  @S55 @S73
  Scenario: a cluster that is as it should be is left alone
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 3}
        storage: {useAllNodes: true, useAllDevices: true}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the operator is restarted
    And 2m pass
    Then the operator changes nothing for 1h
