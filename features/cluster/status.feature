Feature: the resource says how far its cluster is
  S49-S55 with what was settled (23): the first try comes at once, later ones back
  off to 6 s, and nothing is ever given up for good.

  @S49 @S52 @S54
  Scenario: from Creating to Created
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied
    Then within 5s the CephCluster "rook-ceph" is in state "Creating"
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the message of the CephCluster "rook-ceph" is ""
    And the condition "Ready" of the CephCluster "rook-ceph" is "True"
    And the CephCluster "rook-ceph" holds
      """yaml
      metadata: {finalizers: [cephcluster.ceph.rook.io]}
      """

  @S50 @S66
  Scenario: a step that fails is tried again until it works
    Given a node "n1"
    And the API server refuses the operator to create a ConfigMap 5 times
    When the CephCluster "rook-ceph" is applied
    Then within 30s the operator logs error "failed to create cluster in namespace rook-ceph. failed to create override configmap rook-ceph. <any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S50
  Scenario: a status that cannot be written is an error, and tried again
    Given a node "n1"
    And the API server refuses the operator to patch a CephCluster 5 times
    When the CephCluster "rook-ceph" is applied
    Then within 10s the operator logs error "failed to update cluster status in namespace rook-ceph: <any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S52
  Scenario: a change of the spec is worked on as Updating
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.9"}}
      """
    Then within 5s the CephCluster "rook-ceph" is in state "Updating"
    And the message of the CephCluster "rook-ceph" is ""
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S51 @S52
  Scenario: after an hour without success the state is Error, and it still goes on
    Given a node "n1"
    And the operator's "_status" fails with exit code 1 and "timed out"
    When the CephCluster "rook-ceph" is applied
    And 59m pass
    Then the CephCluster "rook-ceph" is in state "Creating"
    When 2m pass
    Then the CephCluster "rook-ceph" is in state "Error"
    And the message of the CephCluster "rook-ceph" is "giving up creating cluster in namespace rook-ceph after 1h0m0s"
    When the operator's "_status" works again
    Then within 1m the CephCluster "rook-ceph" is in state "Created"

  @S51 @S52
  Scenario: a late success takes the message of the error away
    Given a node "n1"
    And the operator's "_status" fails with exit code 1 and "timed out"
    And the CephCluster "rook-ceph" is applied
    And 61m pass
    And the CephCluster "rook-ceph" is in state "Error"
    When the operator's "_status" works again
    Then within 1m the CephCluster "rook-ceph" is in state "Created"
    And the message of the CephCluster "rook-ceph" is ""

  @S53
  Scenario: health is looked at every minute, and its changes are dated
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And in 5m the status of the CephCluster "rook-ceph" moves "ceph.lastChecked" and keeps "ceph.lastChanged" and "ceph.previousHealth"
    When the admin runs `ceph osd set noout`
    Then within 61s the CephCluster "rook-ceph" has health "HEALTH_WARN"
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      ceph:
        health: HEALTH_WARN
        previousHealth: HEALTH_OK
        lastChanged: <time>
        lastChecked: <time>
        details: {OSDMAP_FLAGS: {severity: HEALTH_WARN, message: "noout flag(s) set"}}
      """
    And in 62s the status of the CephCluster "rook-ceph" moves "ceph.lastChecked" and keeps "ceph.lastChanged" and "ceph.previousHealth"

  @S53
  Scenario: how often health is looked at is the spec's to say, and counts at once
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}, healthCheck: {daemonHealth: {status: {interval: 1h}}}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the admin runs `ceph osd set noout`
    And 50m pass
    Then the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {healthCheck: {daemonHealth: {status: {interval: 10s}}}}
      """
    Then within 2s the CephCluster "rook-ceph" has health "HEALTH_WARN"
    And in 11s the status of the CephCluster "rook-ceph" moves "ceph.lastChecked" and keeps "ceph.lastChanged" and "ceph.health"

  @S53
  Scenario: a health check that is disabled is not made
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, healthCheck: {daemonHealth: {status: {disabled: true}}}}
      """
    When within 5m the CephCluster "rook-ceph" is in state "Created"
    And 10m pass
    Then the status of the CephCluster "rook-ceph" holds
      """yaml
      ceph: null
      """

  @S53
  Scenario: the first health is no change
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    When within 5m the CephCluster "rook-ceph" is in state "Created"
    Then within 2s the status of the CephCluster "rook-ceph" holds
      """yaml
      ceph: {health: HEALTH_OK, lastChecked: <time>, lastChanged: null, previousHealth: null}
      """

  @S53
  Scenario: a check that fails leaves the status as it was
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the operator's "ceph status" fails with exit code 1 and "timed out"
    And 10m pass
    Then the CephCluster "rook-ceph" has health "HEALTH_OK"

  @S55
  Scenario: status writes leave the spec and what kubectl keeps alone
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    When within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the CephCluster "rook-ceph" holds
      """yaml
      metadata:
        generation: 1
        annotations:
          kubectl.kubernetes.io/last-applied-configuration: <any>"spec":<any>
      spec:
        cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}
        dataDirHostPath: /var/lib/rook
        mon: {count: 1}
      """
