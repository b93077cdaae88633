Feature: a dead mon does not block the operator's start
  rook/rook #2570, #2378, PR #2631: a restarted operator waited for all recorded
  mons, the dead one among them, and so never came to remove it.

  @B05 @S53 @S98
  Scenario: one dead mon does not block operator startup
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And the operator is stopped
    And the node "n1" is cordoned
    And the pods labelled "mon=a" are deleted
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {note: new}}}
      """
    When the operator starts
    Then within 3m the Deployment "rook-ceph-mgr-a" holds
      """yaml
      spec: {template: {metadata: {annotations: {note: new}}}}
      """
    And within 12m the mons "b", "c" and "d" form a quorum
    And within 20s there is no Deployment "rook-ceph-mon-a"
    And within 1m the condition "MonsInQuorum" of the CephCluster "rook-ceph" says
      """
      mons b, c, d are in quorum
      """

  @B05 @S53
  Scenario: a dead mon is replaced while a later step cannot be done
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And the operator's "mgr module" fails with exit code 22 and "Error EINVAL: no"
    When the node "n2" loses its power
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"

  @B05 @S53
  Scenario: a dead mon is replaced although a change of the others waits for it
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    When the node "n1" loses its power
    And 1m pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mon: {note: new}}}
      """
    Then within 15m the mons "b", "c" and "d" form a quorum
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Deployment "rook-ceph-mon-c" holds
      """yaml
      spec: {template: {metadata: {annotations: {note: new}}}}
      """
