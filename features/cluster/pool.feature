Feature: a CephBlockPool is a pool of its namespace's cluster
  Made when the mons are in quorum, changed when the resource changes, taken over
  when it is there, and never removed with what somebody has put into it.

  Scenario: today's test cluster, applied as it is published
    Given a node "n1" with disks "sdb" of 100Gi
    When the file "prod/api/v1/testdata/corpus/rook-v1.20.6/cluster-test.yaml" is applied
    Then within 10m the CephCluster "my-cluster" is in state "Created"
    And within 5m the condition "Ready" of the CephBlockPool "builtin-mgr" is "True"
    And `ceph osd pool get .mgr size` answers
      """yaml
      {pool: .mgr, size: 1}
      """
    And `ceph osd pool application get .mgr` answers
      """yaml
      {mgr: {}}
      """

  Scenario Outline: a pool of copies, on <release>
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        cephVersion: {image: "<image>"}
        mon: {count: 3}
        storage: {useAllNodes: true, useAllDevices: true}
      """
    And this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: replicapool, namespace: rook-ceph}
      spec:
        failureDomain: host
        replicated: {size: 3}
        parameters: {compression_mode: none}
        quotas: {maxSize: 10Gi, maxObjects: 1000}
      """
    Then within 10m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    And the operator ran
      """
      ceph osd crush rule create-replicated replicapool_host default host <any>
      ceph osd pool create replicapool 32 32 replicated replicapool_host <any>
      ceph osd pool application enable replicapool rbd --yes-i-really-mean-it <any>
      """
    And `ceph osd pool get replicapool crush_rule` answers
      """yaml
      {crush_rule: replicapool_host}
      """
    And `ceph osd pool get-quota replicapool` answers
      """yaml
      {quota_max_bytes: 10737418240, quota_max_objects: 1000}
      """
    And the CephBlockPool "replicapool" holds
      """yaml
      metadata: {finalizers: [cephblockpool.ceph.rook.io]}
      status: {phase: Ready, observedGeneration: 1, info: {type: Replicated, failureDomain: host, id: "<n>"}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator changes nothing for 10m

    Examples:
      | release  | image                         |
      | mimic    | ceph/ceph:v13.2.3-20190410    |
      | nautilus | ceph/ceph:v14.2.0-20190410    |
      | pacific  | quay.io/ceph/ceph:v16.2.15    |
      | tentacle | quay.io/ceph/ceph:v20.2.0     |

  Scenario: a pool waits for its cluster
    Given a node "n1"
    When this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: replicapool, namespace: rook-ceph}
      spec: {replicated: {size: 2}}
      """
    Then within 10s the condition "Ready" of the CephBlockPool "replicapool" is "False" because of "NoCluster"
    And the condition "Ready" of the CephBlockPool "replicapool" says
      """
      waiting for a CephCluster in namespace rook-ceph
      """
    When the CephCluster "rook-ceph" is applied
    Then within 10s the condition "Ready" of the CephBlockPool "replicapool" says
      """
      waiting for the mons of CephCluster rook-ceph/rook-ceph to form a quorum
      """
    And within 5m the condition "Ready" of the CephBlockPool "replicapool" is "True"

  Scenario: what changes in the resource changes in the pool
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied
    And this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: replicapool, namespace: rook-ceph}
      spec: {replicated: {size: 2}}
      """
    And within 5m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    When the CephBlockPool "replicapool" is changed with
      """yaml
      spec: {replicated: {size: 3}, parameters: {compression_mode: passive}, failureDomain: osd}
      """
    Then within 30s `ceph osd pool get replicapool size` answers
      """yaml
      {size: 3}
      """
    And within 30s `ceph osd pool get replicapool min_size` answers
      """yaml
      {min_size: 2}
      """
    And `ceph osd pool get replicapool compression_mode` answers
      """yaml
      {compression_mode: passive}
      """
    And within 30s the condition "SpecAdjusted" of the CephBlockPool "replicapool" says
      """
      the pool replicapool keeps its crush rule, which is not for failure domain osd below default; set enableCrushUpdates to true
      """
    When the CephBlockPool "replicapool" is changed with
      """yaml
      spec: {enableCrushUpdates: true}
      """
    Then within 30s `ceph osd pool get replicapool crush_rule` answers
      """yaml
      {crush_rule: replicapool_osd}
      """

  Scenario: a pool of chunks
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    When this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: ecpool, namespace: rook-ceph}
      spec: {failureDomain: osd, erasureCoded: {dataChunks: 2, codingChunks: 1}}
      """
    Then within 5m the condition "Ready" of the CephBlockPool "ecpool" is "True"
    And `ceph osd erasure-code-profile get ecpool_ecprofile` answers
      """yaml
      {k: "2", m: "1", crush-failure-domain: osd}
      """
    And the status of the CephBlockPool "ecpool" holds
      """yaml
      info: {type: Erasure Coded, failureDomain: osd}
      """

  Scenario Outline: a spec that cannot be meant is refused: <what>
    When applying this is refused with "<because>"
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: p, namespace: rook-ceph}
      spec: <spec>
      """

    Examples:
      | what             | spec                                                                              | because                                                                              |
      | one copy         | {replicated: {size: 1}}                                                           | a size of 1 needs requireSafeReplicaSize: false                                      |
      | one copy, safely | {replicated: {size: 1, requireSafeReplicaSize: true}}                             | spec.replicated.requireSafeReplicaSize: Invalid value                                |
      | no copies        | {replicated: {size: 0}}                                                           | needs replicated with a size of at least 1, or erasureCoded                          |
      | eleven copies    | {replicated: {size: 11}}                                                          | spec.replicated.size: Invalid value: 11                                              |
      | neither          | {failureDomain: host}                                                             | needs replicated with a size of at least 1, or erasureCoded                          |
      | both             | {replicated: {size: 3}, erasureCoded: {dataChunks: 2, codingChunks: 1}}           | replicated and erasureCoded exclude each other                                       |
      | one chunk        | {erasureCoded: {dataChunks: 1, codingChunks: 1}}                                  | needs at least 2 dataChunks and 1 codingChunks                                       |
      | any other name   | {name: mine, replicated: {size: 3}}                                               | spec.name: Unsupported value                                                         |
      | a size beside    | {replicated: {size: 3}, parameters: {size: "2"}}                                  | the number of copies is replicated.size                                              |
      | an odd quota     | {replicated: {size: 3}, quotas: {maxSize: lots}}                                  | spec.quotas.maxSize: Invalid value                                                   |

  Scenario: an empty pool goes with its resource, and the mons are strict again
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied
    And this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: replicapool, namespace: rook-ceph}
      spec: {replicated: {size: 2}}
      """
    And within 5m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    When the CephBlockPool "replicapool" is deleted
    Then within 1m there is no CephBlockPool "replicapool"
    And `ceph osd pool get replicapool size` fails
    And `ceph osd crush rule dump replicapool_host` fails
    And `ceph config get mon mon_allow_pool_delete` prints
      """
      false
      """

  Scenario: a pool that holds something stays until a person says otherwise
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: replicapool, namespace: rook-ceph}
      spec: {failureDomain: osd, replicated: {size: 1, requireSafeReplicaSize: false}}
      """
    And within 5m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the admin runs `rados -p replicapool create rbd_header.1`
    And the admin runs `rados -p replicapool create rbd_header.2`
    When 30s pass
    And the CephBlockPool "replicapool" is deleted
    Then within 10s the condition "DeletionBlocked" of the CephBlockPool "replicapool" says
      """
      the pool replicapool to be emptied: it holds 2 objects
      annotate the CephBlockPool with rook.io/force-deletion=true
      """
    And an Event "DeletionBlocked" says "it holds 2 objects"
    When the CephBlockPool "replicapool" is changed with
      """yaml
      metadata: {annotations: {rook.io/force-deletion: "true"}}
      """
    Then within 30s there is no CephBlockPool "replicapool"
    And `ceph osd pool get replicapool size` fails

  Scenario: a pool that somebody else uses is not taken
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the admin runs `ceph osd pool create files 8`
    And the admin runs `ceph osd pool application enable files cephfs`
    When this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: files, namespace: rook-ceph}
      spec: {replicated: {size: 2}}
      """
    Then within 10s the condition "Ready" of the CephBlockPool "files" is "False" because of "InvalidSpec"
    And the condition "Ready" of the CephBlockPool "files" says
      """
      the pool files is there and is used for cephfs, not rbd
      """
    When the CephBlockPool "files" is deleted
    Then within 10s there is no CephBlockPool "files"
    And `ceph osd pool get files pg_num` answers
      """yaml
      {pg_num: 8}
      """

  Scenario: fields that nothing is done with are kept and named
    When this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: replicapool, namespace: rook-ceph}
      spec:
        replicated: {size: 3, replicasPerFailureDomain: 1}
        enableRBDStats: true
        mirroring: {enabled: false, mode: image}
      """
    Then within 10s the condition "UnservedFields" of the CephBlockPool "replicapool" says
      """
      kept, but nothing is done with them: spec.enableRBDStats, spec.mirroring, spec.replicated.replicasPerFailureDomain
      """
    And the CephBlockPool "replicapool" holds
      """yaml
      spec: {replicated: {size: 3, replicasPerFailureDomain: 1}, mirroring: {enabled: false, mode: image}}
      """
