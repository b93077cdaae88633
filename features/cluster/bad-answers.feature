Feature: answers that are none
  A program that prints garbage, half a JSON or nothing is reported by name. What
  the operator has stays, and it goes on by itself when the answers are back.

  Scenario Outline: while a cluster comes up `<command>` answers '<answer>'
    Given a node "n1" with disks "sdb" of 100Gi
    And the operator's "<command>" answers
      """
      <answer>
      """
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And 5m pass
    Then the CephCluster "rook-ceph" is in state "Creating"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      <command>
      """
    And the operator changes nothing for 10m
    When the operator's "<command>" works again
    Then within 2m the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | command        | answer                       |
      | mon_status     | Segmentation fault           |
      | mon_status     | {"name":"a","quorum":[0      |
      | mon_status     |                              |
      | mon_status     | {"name":"a"}                 |
      | auth get       | Segmentation fault           |
      | auth get       | [{"entity":"mgr.a"           |
      | auth get       |                              |
      | mgr module ls  | Segmentation fault           |
      | mgr module ls  | {"enabled_modules":[         |
      | mgr module ls  |                              |
      | osd dump       | Segmentation fault           |
      | osd dump       | {"osds":[{"osd":0,           |
      | osd dump       |                              |

  @S72
  Scenario: while the keys are made
    Given a node "n1"
    And the operator's "ceph-authtool" answers
      """
      creating /var/lib/rook/mon.keyring
      """
    When the CephCluster "rook-ceph" is applied
    And 1m pass
    Then there is no Secret "rook-ceph-mon"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      failed to read secret file
      """
    When the operator's "ceph-authtool" works again
    Then within 2m the CephCluster "rook-ceph" is in state "Created"

  @S53
  Scenario Outline: while health is looked at the answer is '<answer>'
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the operator's "ceph status" answers
      """
      <answer>
      """
    And 10m pass
    Then the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | answer                          |
      | Segmentation fault              |
      | {"health":{"status":"HEALTH     |
      |                                 |
      | {}                              |

  Scenario Outline: a program ends with <code>: <text>
    Given a node "n1"
    And the operator's "mon_status" fails with exit code <code> and "<text>"
    When the CephCluster "rook-ceph" is applied
    And 5m pass
    Then the CephCluster "rook-ceph" is in state "Creating"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      <says>
      """

    Examples:
      | code | text                                                                   | says              |
      | 1    | [errno 13] RADOS permission denied (error connecting to the cluster)   | permission denied |
      | 22   | Error EINVAL: unrecognized command                                     | unrecognized      |
      | 137  | Killed                                                                 | Killed            |
