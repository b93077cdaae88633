@B29 @S103 @S107
Feature: Ceph's own CRUSH map stays
  rook/rook #3138, PR #3414. At the first set-up the operator set an old profile of
  tunables and installed a map of its own: newer releases warned for ever, and with
  the marker lost the step could be repeated over what users had changed.

  Scenario Outline: a new <release> cluster keeps the map that Ceph makes
    Given nodes "n1", "n2" and "n3", each with the disk "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:<image>", allowUnsupported: true}, mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator ran "crush tunables" 0 times
    And the operator ran "setcrushmap" 0 times
    And the operator ran "crushtool" 0 times
    And `ceph osd crush show-tunables` answers
      """yaml
      profile: jewel
      """

    Examples:
      | release  | image    |
      | nautilus | v14.2.22 |
      | octopus  | v15.2.17 |
      | pacific  | v16.2.15 |
      | tentacle | v20.2.0  |

  Scenario Outline: a used <release> cluster keeps its map though the marker is lost
    Given nodes "n1", "n2" and "n3", each with the disk "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:<image>"}, mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m there are 3 Deployments labelled "app=rook-ceph-osd"
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the admin runs `ceph osd crush tunables jewel`
    And the operator is stopped
    And <marker>
    When the operator starts
    And 10m pass
    Then the operator ran "setcrushmap" <times> times
    And `ceph osd crush show-tunables` answers
      """yaml
      profile: jewel
      """

    Examples:
      | release  | image    | times | marker                                     |
      | luminous | v12.2.11 | 1     | the ConfigMap "rook-crush-config" is deleted |
      | mimic    | v13.2.3  | 1     | the ConfigMap "rook-crush-config" is deleted |
      | nautilus | v14.2.22 | 0     | there is no ConfigMap "rook-crush-config"    |
