Feature: any effect may be the last
  The operator is killed after, or instead of, one thing that it does, and starts
  again with empty memory; or one thing that it does is refused, or loses its
  answer. The cluster becomes the same, with one identity.

  Scenario Outline: killed after "<effect>"
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    And the operator is killed after its effect "<effect>"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 3}
        dashboard: {enabled: true}
        storage: {useAllNodes: true, useAllDevices: true}
      """
    Then within 10m the CephCluster "rook-ceph" is in state "Created"
    And every fault has happened
    And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the mons "a", "b" and "c" form a quorum
    And there are 3 Deployments labelled "app=rook-ceph-osd"
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same
    And within 10s `ceph mgr services` answers
      """yaml
      dashboard: <any>
      prometheus: <any>
      """

    Examples:
      | effect                                             |
      | create Job rook-ceph/rook-ceph-detect-version      |
      | create Secret rook-ceph/rook-ceph-mon              |
      | create ConfigMap rook-ceph/rook-ceph-mon-endpoints |
      | update ConfigMap rook-ceph/rook-ceph-mon-endpoints |
      | update Secret rook-ceph/rook-ceph-config           |
      | create Deployment rook-ceph/rook-ceph-mon-b        |
      | ceph mon enable-msgr2                              |
      | auth get-or-create-key mgr.a                       |
      | dashboard create-self-signed-cert                  |
      | dashboard ac-user-create                           |
      | create Job rook-ceph/rook-ceph-osd-prepare-n2      |
      | create Deployment rook-ceph/rook-ceph-osd-1        |

  Scenario Outline: "<effect>" <fault>
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    And the operator's effect "<effect>" <fault>
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 10m the CephCluster "rook-ceph" is in state "Created"
    And every fault has happened
    And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the mons "a", "b" and "c" form a quorum
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same

    Examples:
      | effect                                             | fault            |
      | patch status of CephCluster rook-ceph/rook-ceph    | is refused       |
      | create Secret rook-ceph/rook-ceph-mon              | loses its answer |
      | update ConfigMap rook-ceph/rook-ceph-mon-endpoints | loses its answer |
      | mon_status                                         | times out        |
      | auth get-or-create-key mgr.a                       | loses its answer |
      | create Job rook-ceph/rook-ceph-osd-prepare-n1      | loses its answer |
      | create Deployment rook-ceph/rook-ceph-mon-b        | meets a conflict |
      | update ConfigMap rook-ceph/rook-ceph-mon-endpoints | meets a conflict |
      | create ConfigMap rook-ceph/rook-ceph-osd-n2-status | meets a conflict |
      | mon_status                                         | is garbled       |
      | auth get-or-create-key mgr.a                       | is garbled       |

  Scenario: killed before the keys are stored, the operator makes new ones, and nothing knows of the first
    Given a node "n1"
    And the operator is killed before its effect "create Secret rook-ceph/rook-ceph-mon"
    When the CephCluster "rook-ceph" is applied
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran "ceph-authtool" 4 times
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same

  Scenario: killed by number
    Given a node "n1"
    And the operator is killed after its effect number 17
    When the CephCluster "rook-ceph" is applied
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And every fault has happened
    And the operator ran "ceph-authtool" 2 times

  Scenario Outline: the operator misses an event of a <kind>, and a list 5 minutes later shows it
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    And the operator misses the next event of a <kind>
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 10m the CephCluster "rook-ceph" is in state "Created"
    And every fault has happened
    And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And there are 3 Deployments labelled "app=rook-ceph-osd"

    Examples:
      | kind        |
      | CephCluster |
      | Deployment  |
      | ConfigMap   |
      | Secret      |
      | Job         |

  Scenario: an edit that the operator is not told of takes effect all the same
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator misses the next event of a CephCluster
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, rbdMirroring: {workers: 1}}
      """
    Then within 6m there is a Deployment "rook-ceph-rbd-mirror-a"

  Scenario Outline: the operator reads what was <ago> ago
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    And the operator reads what was <ago> ago
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 30m the CephCluster "rook-ceph" is in state "Created"
    And within 5m the mons "a", "b" and "c" form a quorum
    And there are 3 Deployments labelled "app=rook-ceph-osd"
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same
    And the operator wrote "create Secret rook-ceph/rook-ceph-mon" 1 time

    Examples:
      | ago |
      | 1s  |
      | 30s |
