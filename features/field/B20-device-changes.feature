Feature: only changes that mean something prepare a node again
  rook/rook #3029, #12004, #16535 and PR #3256: the discover daemon wrote the same devices
  again and again, each time a little differently, and every time all nodes were prepared.

  Background:
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, deviceFilter: "^(sd|nbd|loop)"}, healthCheck: {daemonHealth: {mon: {interval: 24h}, osd: {interval: 24h}}}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the discover daemon of the node "n1" lists
      | name | serial | uuid | links                             | filesystem  | volumes |
      | sda  | S-sda  | u1   | /dev/disk/by-id/a /dev/disk/b     | ext4        |         |
      | sdb  | S-sdb  | u2   | /dev/disk/by-id/c                 | LVM2_member | osd-0   |
      | sdu  | S-sdu  | u3   | /dev/disk/by-id/d /dev/disk/e     |             |         |
    And within 1m the node "n1" has been prepared 2 times
    And 1m pass

  @B20 @S23
  Scenario Outline: the list changes by <change>: <times> preparations
    When the discover daemon of the node "n1" lists
      | name   | type   | serial | uuid | links   | filesystem | volumes | partitions |
      | sda    | disk   | S-sda  | u1   | <sda>   | ext4       |         |            |
      | sdb    | disk   | S-sdb  | u2   | /dev/disk/by-id/c <sdb> | LVM2_member | osd-0 | |
      | sdu    | disk   | S-sdu  | <uuid> | /dev/disk/by-id/d /dev/disk/e | <sdu> | <volumes> | |
      | <more> | <type> |        | u9   |         |            |         |            |
    Then in the next 3m the operator makes <passes> over the CephCluster "rook-ceph"
    And the node "n1" has been prepared <times> times

    Examples:
      | change                                   | sda                           | sdb           | uuid | sdu         | volumes | more | type | times | passes          |
      | the order of links                       | /dev/disk/b /dev/disk/by-id/a |               | u3   |             |         | sr0  | rom  | 2     | 0 passes        |
      | a link that LVM adds                     | /dev/disk/by-id/a /dev/disk/b | /dev/mapper/x | u3   |             |         | sr0  | rom  | 2     | 0 passes        |
      | a disk that an OSD uses now              | /dev/disk/by-id/a /dev/disk/b |               | u3   | LVM2_member | osd-1   | sr0  | rom  | 2     | 0 passes        |
      | the volumes of an OSD alone              | /dev/disk/by-id/a /dev/disk/b |               | u3   |             | osd-1   | sr0  | rom  | 2     | 0 passes        |
      | a network block device that appears      | /dev/disk/by-id/a /dev/disk/b |               | u3   |             |         | nbd0 | disk | 2     | 0 passes        |
      | a loop device that appears               | /dev/disk/by-id/a /dev/disk/b |               | u3   |             |         | loop0 | loop | 2    | 0 passes        |
      | another uuid of a disk that nobody uses  | /dev/disk/by-id/a /dev/disk/b |               | u7   |             |         | sr0  | rom  | 2     | 0 passes        |
      | a disk that the spec does not select     | /dev/disk/by-id/a /dev/disk/b |               | u3   |             |         | vdz  | disk | 2     | 0 passes        |
      | a new empty disk                         | /dev/disk/by-id/a /dev/disk/b |               | u3   |             |         | sdz  | disk | 3     | at least 1 pass |

  @B20 @S23
  Scenario Outline: <what> is a change: one preparation
    When the discover daemon of the node "n1" lists
      | name | serial | filesystem  |
      | sda  | S-sda  | <sda>       |
      | sdb  | S-sdb  | LVM2_member |
      | <u>  | S-sdu  |             |
    And 3m pass
    Then the node "n1" has been prepared <times> times

    Examples:
      | what                         | sda  | u   | times |
      | a disk that was wiped        |      | sdu | 3     |

  @B20 @S23
  Scenario: a disk that is gone is a change, and told
    When the discover daemon of the node "n1" lists
      | name | serial | filesystem  |
      | sda  | S-sda  | ext4        |
      | sdb  | S-sdb  | LVM2_member |
    Then within 3m the node "n1" has been prepared 3 times
    And the operator logs info "devices of node n1 have changed for cluster rook-ceph: sdu is gone"

  @B20
  Scenario: a disk that a boot gave another name is no change
    When the discover daemon of the node "n1" lists
      | name | serial | filesystem  |
      | sdb  | S-sda  | ext4        |
      | sda  | S-sdb  | LVM2_member |
      | sdu  | S-sdu  |             |
    And 3m pass
    Then the node "n1" has been prepared 2 times

  @B20
  Scenario: a disk that is used and wiped again and again is prepared each time it is wiped
    Given the discover daemon of the node "n1" lists
      | name | serial | filesystem  |
      | sda  | S-sda  | ext4        |
      | sdb  | S-sdb  | LVM2_member |
    And within 3m the node "n1" has been prepared 3 times
    When the discover daemon of the node "n1" lists
      | name | serial | filesystem  |
      | sda  | S-sda  |             |
      | sdb  | S-sdb  | LVM2_member |
    Then within 3m the node "n1" has been prepared 4 times
    When the discover daemon of the node "n1" lists
      | name | serial | filesystem  |
      | sda  | S-sda  | ext4        |
      | sdb  | S-sdb  | LVM2_member |
    And 3m pass
    And the discover daemon of the node "n1" lists
      | name | serial | filesystem  |
      | sda  | S-sda  |             |
      | sdb  | S-sdb  | LVM2_member |
    Then within 3m the node "n1" has been prepared 5 times
