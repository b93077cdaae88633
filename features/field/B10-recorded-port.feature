Feature: a recorded port is kept, and a new mon has the standard one
  rook/rook #2854, #3104, #3111, PR #3051, PR #3164: mons that an older release had
  made at port 6790 were bound to 6789 after the upgrade, and msgr2 was switched on
  although they could not have its standard port.

  Background:
    Given nodes "n1", "n2", "n3" and "n4"
    And the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: Secret
      metadata: {name: rook-ceph-mon, namespace: rook-ceph}
      type: kubernetes.io/rook
      stringData: {cluster-name: rook-ceph, fsid: dcef92d7-1f6a-4b9d-8ed0-0037d537d00b, mon-secret: AQBMpuZcAAAAABAAs0mEbMSzNHYAAAAAAAAAAA==, admin-secret: AQBNpuZcAAAAABAAs0mEbMSzNHYAAAAAAAAAAA==}
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-ceph-mon-endpoints, namespace: rook-ceph}
      data: {data: "a=10.200.33.128:6790", maxMonId: "0", mapping: '{"node":{"a":{"Name":"n1","Hostname":"n1","Address":"192.168.72.101"}},"port":{}}'}
      """
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 3, allowMultiplePerNode: false}}
      """
    And the operator starts
    And within 10m the CephCluster "rook-ceph" is in state "Created"

  @B10 @S117 @S119
  Scenario: a recorded port survives the operator
    Then the mons "a", "b" and "c" form a quorum
    And the Service "rook-ceph-mon-a" holds
      """yaml
      spec: {ports: [{name: msgr1, port: 6790, targetPort: 6790}]}
      """
    And the container "mon" of the pod labelled "mon=a" runs
      """
      ceph-mon <any> --public-addr=<ip>:6790 --public-bind-addr=<ip>:6790
      """
    And within 1m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=10.200.33.128:6790,b=<ip>:6789,c=<ip>:6789
      """

  @B10 @S100
  Scenario: msgr2 waits for standard ports, and says so once
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}}
      """
    Then within 10m the condition "Msgr2Enabled" of the CephCluster "rook-ceph" is "False" because of "Waiting"
    And the condition "Msgr2Enabled" of the CephCluster "rook-ceph" says
      """
      mon a (port 6790) is not on the standard port 6789
      """
    And the operator ran "mon enable-msgr2" 0 times
    And the operator logs warning "msgr2 is not enabled: mon a (port 6790) is not on the standard port 6789; <any>"
    And the operator logs warning "msgr2 is not enabled: <any>" no more time within 10m

  @B10 @S53
  Scenario: failing such a mon over gives the default port, and then msgr2 is on
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And the admin runs `ceph mon remove a`
    Then within 15m the mons "b", "c" and "d" form a quorum
    And within 1m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      b=<ip>:6789,c=<ip>:6789,d=<ip>:6789
      """
    And within 3m the condition "Msgr2Enabled" of the CephCluster "rook-ceph" is "True"
