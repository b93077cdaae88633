Feature: an edited spec is carried out
  S56-S63: an edit takes effect at once, however the operator is busy. Edits
  during a run are carried out by one further run, with the newest spec.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage: {nodes: [{name: n1}, {name: n2}, {name: n3}], useAllDevices: true}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And 1m pass

  @S57
  Scenario: from Updating to Created
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {resources: {osd: {limits: {memory: 2Gi}}}}
      """
    Then within 1s the CephCluster "rook-ceph" is in state "Updating"
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      phase: Ready
      observedGeneration: 2
      """
    And the pods labelled "app=rook-ceph-osd" each hold
      """yaml
      spec: {containers: [{name: osd, resources: {limits: {memory: 2Gi}}}]}
      """

  @S57
  Scenario: a run that takes long says from its beginning that it is at work
    Given the operator's "quorum_status" takes 30s
    And the operator's "mon_status" takes 30s
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {note: new}}}
      """
    Then within 1s the CephCluster "rook-ceph" is in state "Updating"
    And within 10m the CephCluster "rook-ceph" is in state "Created"

  @S57
  Scenario: storage nodes in another order are the same spec
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {storage: {nodes: [{name: n3}, {name: n1}, {name: n2}]}}
      """
    And 10m pass
    Then the CephCluster "rook-ceph" is in state "Created"
    And the operator wrote "update Deployment" 0 times
    And the node "n1" has been prepared 1 time

  @S59 @S60
  Scenario: edits during a run are carried out by one further run, with the newest spec
    Given the operator's "mgr module ls" takes 20s
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {edit: "1"}}}
      """
    And 5s pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {edit: "2"}}}
      """
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {edit: "3"}}}
      """
    Then in the next 30s the operator makes 1 pass over the CephCluster "rook-ceph"
    And the Deployment "rook-ceph-mgr-a" holds
      """yaml
      metadata: {annotations: {edit: "3"}}
      """
    And the operator wrote "update Deployment rook-ceph/rook-ceph-mgr-a" 2 times

  @S61
  Scenario: a run that failed is followed by the one that is pending, whose outcome counts
    Given the operator's "mgr module ls" takes 20s
    And the operator's "mgr module ls" fails with exit code 1 and "boom"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {edit: "1"}}}
      """
    And 5s pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {edit: "2"}}}
      """
    And the operator's "mgr module ls" works again
    Then within 30s the operator logs error "There was an orchestration error, but there is another orchestration pending; proceeding with next orchestration run (which may succeed). <any>boom<any>"
    And within 2m the CephCluster "rook-ceph" is in state "Created"
    And the message of the CephCluster "rook-ceph" is ""

  @S62
  Scenario: a run works on the spec that it began with
    Given the operator's "osd dump" takes 20s
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {edit: "1"}, rbdmirror: {edit: "1"}}, rbdMirroring: {workers: 1}}
      """
    And 5s pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {mgr: {edit: "2"}, rbdmirror: {edit: "2"}}}
      """
    And 20s pass
    Then the Deployment "rook-ceph-rbd-mirror-a" holds
      """yaml
      metadata: {annotations: {edit: "1"}}
      """
    And within 2m the Deployment "rook-ceph-rbd-mirror-a" holds
      """yaml
      metadata: {annotations: {edit: "2"}}
      """

  @S63
  Scenario: the first error ends a run
    Given the operator's "mgr module ls" fails with exit code 1 and "boom"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {resources: {osd: {limits: {memory: 2Gi}}}}
      """
    And 1m pass
    Then the pods labelled "app=rook-ceph-osd" each hold
      """yaml
      spec: {containers: [{name: osd, resources: {<only>: true}}]}
      """
    And the operator wrote "update Deployment" 0 times
    When the operator's "mgr module ls" works again
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator wrote "update Deployment" 3 times

  @S63
  Scenario: the first crush map comes before the mgr
    Given the operator's "crush tunables" fails with exit code 1 and "boom"
    When the CephCluster "other/old" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}, dataDirHostPath: /var/lib/old}
      """
    And 5m pass
    Then there is a Deployment "other/rook-ceph-mon-a"
    And there is no Deployment "other/rook-ceph-mgr-a"
    When the operator's "crush tunables" works again
    Then within 1m there is a Deployment "other/rook-ceph-mgr-a"

  Scenario: a run that takes long is not followed by the next at once
    Given the operator's "quorum_status" hangs
    And the operator's "mon_status" hangs
    And 10m pass
    Then in the next 10m the operator makes 6 passes over the CephCluster "rook-ceph"

  @S56
  Scenario: what needs a cluster begins when it is created
    Given the CephCluster "other/late" is applied with
      """yaml
      spec: {mon: {count: 1}, dataDirHostPath: /var/lib/late, storage: {useAllNodes: false}}
      """
    And this is applied
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephBlockPool
      metadata: {name: pool, namespace: other}
      spec: {replicated: {size: 1, requireSafeReplicaSize: false}}
      """
    Then within 10s the condition "Ready" of the CephBlockPool "other/pool" is "False" because of "ClusterNotReady"
    And within 10s the CephCluster "other/late" is in state "Creating"
    And the status of the CephCluster "other/late" holds
      """yaml
      ceph: null
      """
    When within 5m the CephCluster "other/late" is in state "Created"
    Then within 10s the status of the CephCluster "other/late" holds
      """yaml
      ceph: {lastChecked: <time>}
      """
    And within 10s the condition "Ready" of the CephBlockPool "other/pool" is "True"
