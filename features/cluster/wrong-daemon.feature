Feature: a daemon that was started wrong does not run, and the resource says so
  The simulated mon reads what its pod really gives it. Whoever breaks the pod
  gets the real program's kind of complaint.

  Background:
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator is stopped

  Scenario: without its fsid
    When the arguments of "rook-ceph-mon-a" lose "--fsid"
    And the node "n1" loses the directory "/var/lib/rook/mon-a"
    Then within 5m the pod labelled "mon=a" is in "CrashLoopBackOff"
    And the container "init-mon-fs" of the pod labelled "mon=a" logs "fsid"

  Scenario: with another address than it is known by
    When the arguments of "rook-ceph-mon-a" change "--public-addr" to "10.9.9.9"
    Then within 5m `ceph quorum_status` fails

  Scenario: with the keyring of somebody else
    When the Secret "rook-ceph-mons-keyring" is changed with
      """yaml
      stringData: {keyring: "[client.nobody]\n\tkey = AQAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAA==\n"}
      """
    And the node "n1" loses the directory "/var/lib/rook/mon-a"
    And the pods labelled "mon=a" are deleted
    Then within 5m the pod labelled "mon=a" is in "CrashLoopBackOff"
    And the container "init-mon-fs" of the pod labelled "mon=a" logs "keyring"

  Scenario: on a data directory of another cluster
    Given the operator starts
    When the CephCluster "rook-ceph" is deleted
    And within 5m there is no Secret "rook-ceph-mon"
    And the CephCluster "rook-ceph" is applied
    Then within 5m the pod labelled "mon=a" is in "CrashLoopBackOff"
    And the container "mon" of the pod labelled "mon=a" logs "error: cluster_uuid file exists with value"
    And within 5m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      rook-ceph-mon-a
      """
