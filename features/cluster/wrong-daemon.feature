Feature: a daemon that was started wrong does not run, and the resource says so
  The simulated mon reads what its pod really gives it. Whoever breaks the pod
  gets the real program's kind of complaint, and the CephCluster passes it on.

  Background:
    Given a node "n1"

  @S117 @S128
  Scenario: without its fsid
    Given a webhook takes the argument "--fsid" away from pods labelled "app=rook-ceph-mon"
    And a webhook takes the mount "/etc/ceph" away from pods labelled "app=rook-ceph-mon"
    When the CephCluster "rook-ceph" is applied
    Then within 5m the pod labelled "mon=a" is in "CrashLoopBackOff"
    And the container "init-mon-fs" of the pod labelled "mon=a" logs "generated monmap has no fsid; use '--fsid <uuid>'"
    And within 5m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      rook-ceph-mon-a
      generated monmap has no fsid
      """

  @S117 @S128
  Scenario: with another public address than it is known by
    Given a webhook gives the argument "--public-addr" the value "10.9.9.9" in pods labelled "app=rook-ceph-mon"
    When the CephCluster "rook-ceph" is applied
    And 5m pass
    Then the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "False"
    And the CephCluster "rook-ceph" is in state "Creating"

  @S117 @S126
  Scenario: with the keyring of somebody else
    Given a webhook mounts the Secret "rook-ceph-admin-keyring" in place of "rook-ceph-mons-keyring" in pods labelled "app=rook-ceph-mon"
    When the CephCluster "rook-ceph" is applied
    Then within 5m the pod labelled "mon=a" is in "CrashLoopBackOff"
    And within 5m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      rook-ceph-mon-a
      keyring
      """

  @S4
  Scenario: on the data directory of another cluster
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the CephCluster "rook-ceph" is deleted
    And within 5m there is no Secret "rook-ceph-mon"
    When the CephCluster "rook-ceph" is applied
    Then within 5m the pod labelled "mon=a" is in "CrashLoopBackOff"
    And the container "mon" of the pod labelled "mon=a" logs "error: cluster_uuid file exists with value"
    And within 5m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      rook-ceph-mon-a
      error: cluster_uuid file exists with value
      """
