Feature: B08 two clusters on the same nodes never meet in one host directory
  rook/rook #2968, #2696. Two CephClusters with data directories of their own got the
  same host path for mons of the same name; the second mon could damage the store of
  the first.

  @B08 @S87 @S127
  Scenario: each cluster's host paths lie under its own directory
    Given a node "n1" with disks "sdb" of 10Gi and "sdc" of 10Gi
    When the CephCluster "ns-1/one" is applied with
      """yaml
      spec: {dataDirHostPath: /data/one, mon: {count: 1}, storage: {nodes: [{name: n1, devices: [{name: sdb}]}]}}
      """
    And the CephCluster "ns-2/two" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 1}, storage: {nodes: [{name: n1, devices: [{name: sdc}]}]}}
      """
    Then within 10m the CephCluster "ns-1/one" has health "HEALTH_OK"
    And within 10m the CephCluster "ns-2/two" has health "HEALTH_OK"
    And the host paths of the namespace "ns-1" lie below "/data/one", "/dev" and "/run/udev"
    And the host paths of the namespace "ns-2" lie below "/data/two", "/dev" and "/run/udev"

  @B08 @S87
  Scenario: a cluster that would use another's path on a node is held back, naming both
    Given a node "n1"
    And the CephCluster "ns-1/one" is applied with
      """yaml
      spec: {mon: {count: 1}}
      """
    And within 5m the CephCluster "ns-1/one" is in state "Created"
    When the CephCluster "ns-2/two" is applied with
      """yaml
      spec: {mon: {count: 1}}
      """
    Then within 1m the condition "Ready" of the CephCluster "ns-2/two" is "False" because of "HostPathInUse"
    And the condition "Ready" of the CephCluster "ns-2/two" says
      """
      mon a of CephCluster ns-2/two would keep its data in /var/lib/rook/mon-a/data on node n1
      which is in use by mon a of CephCluster ns-1/one
      """
    And 5m pass
    And there is no Deployment "ns-2/rook-ceph-mon-a"
    And the CephCluster "ns-1/one" is in state "Created"

  @B08 @S14
  Scenario: neither do directories of OSDs that two clusters share make them meet
    Given a node "n1"
    And the CephCluster "ns-1/one" is applied with
      """yaml
      spec: {dataDirHostPath: /data/one, mon: {count: 1}, storage: {useAllNodes: true, directories: [{path: /srv/osds}]}}
      """
    And within 5m the CephCluster "ns-1/one" has health "HEALTH_OK"
    When the CephCluster "ns-2/two" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 1}, storage: {useAllNodes: true, directories: [{path: /srv/osds}]}}
      """
    Then within 5m the CephCluster "ns-2/two" holds
      """yaml
      status: {storage: {nodes: [{name: n1, unused: [{name: /srv/osds, reason: "it holds osd0 of another cluster (fsid <uuid>)"}]}]}}
      """
    And 5m pass
    And the CephCluster "ns-1/one" has health "HEALTH_OK"

  @B08 @S87
  Scenario: it goes on by itself when the other cluster is deleted with its data
    Given nodes "n1" and "n2"
    And the CephCluster "ns-1/one" is applied with
      """yaml
      spec: {mon: {count: 1}, placement: {mon: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}]}}}}}
      """
    And within 5m the CephCluster "ns-1/one" is in state "Created"
    And the CephCluster "ns-2/two" is applied with
      """yaml
      spec: {mon: {count: 1}, placement: {mon: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}]}}}}}
      """
    And within 1m the condition "Ready" of the CephCluster "ns-2/two" is "False" because of "HostPathInUse"
    When the CephCluster "ns-1/one" is to be destroyed with its data
    And the CephCluster "ns-1/one" is deleted
    Then within 3m the CephCluster "ns-2/two" is in state "Created"
