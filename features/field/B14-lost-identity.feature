Feature: B14 a lost or unreadable identity is never replaced under a living cluster
  rook/rook #8369, #9314. The Secret with fsid and keys was deleted by mistake, or
  could not be read for a while; the operator took the cluster for a new one, minted
  another identity and changed the daemons to it, and nothing authenticated any more.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"

  @B14 @S68 @S69
  Scenario Outline: the Secret is gone, and so is <else>
    Given the operator is stopped
    And the Secret "rook-ceph-mon" is deleted
    And <gone>
    When the operator starts
    Then within 1m the condition "Ready" of the CephCluster "rook-ceph" is "False" because of "IdentityMissing"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      Secret rook-ceph/rook-ceph-mon with the cluster's fsid and keys is missing, but the cluster is not new: <evidence>
      Restore the Secret from a backup; nothing is changed until then
      """
    And the operator changes nothing for 10m
    And the operator ran "ceph-authtool" 2 times
    And there is no Secret "rook-ceph-mon"
    And the CephCluster "rook-ceph" has health "HEALTH_OK"

    Examples:
      | else             | gone                                              | evidence                                        |
      | nothing else     | 1s pass                                           | ConfigMap rook-ceph-mon-endpoints lists the mons |
      | the list of mons | the ConfigMap "rook-ceph-mon-endpoints" is deleted | there is Deployment rook-ceph-mgr-a             |

  @B14 @S68 @S69
  Scenario: everything else is gone too; the status still knows the cluster
    Given the operator is stopped
    And everything in the namespace "rook-ceph" but the CephCluster is deleted
    When the operator starts
    And 2m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" is "False" because of "IdentityMissing"
    And there is no Secret "rook-ceph-mon"
    And the operator ran "ceph-authtool" 2 times

  @B14 @S68
  Scenario Outline: it cannot be read: <fault>
    Given the API server refuses the operator to get a Secret from now on with "<fault>"
    When the operator is restarted
    And 5m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      failed to get mon secrets. Secret rook-ceph/rook-ceph-mon
      """
    And the operator changes nothing for 10m
    And the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the API server lets the operator get a Secret again
    Then within 1m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran "ceph-authtool" 2 times

    Examples:
      | fault         |
      | Unauthorized  |
      | Forbidden     |
      | Timeout       |
      | InternalError |

  @B14 @S68
  Scenario: restored from a backup, the cluster goes on
    Given the Secret "rook-ceph-mon" is kept as a backup
    And the Secret "rook-ceph-mon" is deleted
    And within 1m the condition "Ready" of the CephCluster "rook-ceph" is "False" because of "IdentityMissing"
    When the backup of the Secret "rook-ceph-mon" is restored
    Then within 1m the CephCluster "rook-ceph" is in state "Created"
    And 2m pass
    And the operator changes nothing for 10m
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same
