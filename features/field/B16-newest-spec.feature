Feature: a corrected resource takes effect while the operator is busy or waits
  rook/rook #3047, PR #8216, PR #4418: a CephCluster that could not be satisfied
  was retried from memory for up to an hour, although its user had corrected it.

  @B16 @S50
  Scenario: what cannot be satisfied is corrected while it is tried again
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 5, allowMultiplePerNode: false}}
      """
    And 30m pass
    And the CephCluster "rook-ceph" is in state "Creating"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 1}}
      """
    Then within 1s the operator wrote "create Deployment rook-ceph/rook-ceph-mon-a" 1 time
    And within 2m the CephCluster "rook-ceph" is in state "Created"

  @B16 @S49
  Scenario: what is wrong in a spec is corrected while the operator waits for what will never come
    Given a node "n1" with disks "sdb" of 10Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        placement: {mgr: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: nosuch, operator: Exists}]}]}}}}
        storage: {useAllNodes: true, useAllDevices: true}
      """
    And 30m pass
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      deployment rook-ceph-mgr-a: pod rook-ceph-mgr-a-
      cannot be scheduled
      """
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {placement: {mgr: null}}
      """
    Then within 1m the pod labelled "app=rook-ceph-mgr" is running
    And within 2m the CephCluster "rook-ceph" is in state "Created"

  @B16
  Scenario: OSD jobs that never end do not hold a corrected spec back
    Given nodes "n1" and "n2", each with disks "sdb" of 10Gi
    And a webhook keeps pods labelled "app=rook-ceph-osd-prepare" from every node
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And 10m pass
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {note: new}}}
      """
    Then within 7s the Deployment "rook-ceph-mgr-a" holds
      """yaml
      spec: {template: {metadata: {annotations: {note: new}}}}
      """
    And the operator started 1 time

  @B16 @S60
  Scenario: a corrected spec is carried out right after a run that took long, and by it alone
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator's "mgr module ls" takes 40s
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/nosuch:v14"}}
      """
    And 10s pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.22"}}
      """
    Then within 2m the status of the CephCluster "rook-ceph" holds
      """yaml
      version: {image: "ceph/ceph:v14.2.22", version: "14.2.22"}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator wrote "update Deployment rook-ceph/rook-ceph-mon-a" 1 time
