Feature: who is in quorum is asked in a way that every release understands
  rook/rook PR #4168: the command by which the operator asked for the quorum was
  gone in the next release. It took "invalid command" for "no quorum", and waited
  or started fail-overs.

  @B23 @S95
  Scenario Outline: quorum is read on every supported release: <image>
    Given nodes "n1", "n2", "n3" and "n4"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "<image>", allowUnsupported: true}, mon: {count: 3, allowMultiplePerNode: false}}
      """
    Then within 10m the CephCluster "rook-ceph" is in state "Created"
    And the condition "MonsInQuorum" of the CephCluster "rook-ceph" says
      """
      mons a, b, c are in quorum
      """
    When the node "n2" loses its power
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"

    Examples:
      | image                      |
      | ceph/ceph:v12.2.11         |
      | ceph/ceph:v13.2.3-20190410 |
      | ceph/ceph:v14.2.0-20190410 |
      | ceph/ceph:v15.2.17         |
      | ceph/ceph:v16.2.15         |
      | ceph/ceph:v17.2.7          |
      | ceph/ceph:v18.2.4          |
      | ceph/ceph:v19.2.0          |
      | ceph/ceph:v20.1.0          |

  @B23 @S53
  Scenario: an answer that is no verdict never leads to a fail-over
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    And the node "n2" loses its power
    And 5m pass
    When the operator's "mon_status" fails with exit code 22 and "Error EINVAL: unrecognized command"
    And 30m pass
    Then there are 3 Deployments labelled "app=rook-ceph-mon"
    And the operator ran "ceph mon remove" 0 times
    When the operator's "mon_status" works again
    Then within 5m the mons "a", "c" and "d" form a quorum
