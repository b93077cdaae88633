Feature: another image upgrades the cluster daemon by daemon
  A new image is asked for its version first. Then its daemons take the place of
  the old ones: the mons one at a time, the mgr, the OSDs as Ceph lets them be
  stopped, and last the rbd-mirrors; nothing of a kind before all of the earlier
  kinds run the new version. What holds it up stands in the condition
  UpgradeBlocked, in Ceph's own words.

  Rule: a cluster of three mons and six OSDs

    Background:
      Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi and "sdc" of 10Gi
      And this is applied
        """yaml
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: rook-config-override, namespace: rook-ceph}
        data: {config: "[global]\nosd_pool_default_size = 3\n"}
        """
      And the CephCluster "rook-ceph" is applied with
        """yaml
        spec:
          cephVersion: {image: "ceph/ceph:v14.2.22"}
          mon: {count: 3}
          rbdMirroring: {workers: 2}
          storage: {useAllNodes: true, useAllDevices: true}
        """
      And within 10m the CephCluster "rook-ceph" is in state "Created"
      And the admin runs `ceph osd pool create data 64`
      And the admin runs `ceph osd pool application enable data rbd`
      And 2m pass
      And the mons are watched
      And the placement groups are watched

    @S57 @S63
    Scenario Outline: to <image> each kind of daemon follows when all of the earlier ones run the new version
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "<image>"}}
        """
      Then within 10s the CephCluster "rook-ceph" is in state "Updating"
      And within 15m the CephCluster "rook-ceph" is in state "Created"
      And the operator wrote in this order
        | verb   | kind       | name                     |
        | create | Job        | rook-ceph-detect-version |
        | delete | Job        | rook-ceph-detect-version |
        | update | Deployment | rook-ceph-mon-a          |
        | update | Deployment | rook-ceph-mon-b          |
        | update | Deployment | rook-ceph-mon-c          |
        | update | Deployment | rook-ceph-mgr-a          |
        | update | Deployment | rook-ceph-osd-0          |
        | update | Deployment | rook-ceph-rbd-mirror-a   |
        | update | Deployment | rook-ceph-rbd-mirror-b   |
      And the operator ran "ceph osd require-osd-release" <times>
      And at no time fewer than 2 mons were in quorum
      And at no time a placement group had fewer OSDs than its pool's min_size
      And within 2m the CephCluster "rook-ceph" has health "HEALTH_OK"

      Examples:
        | image              | times   |
        | ceph/ceph:v14.2.23 | 0 times |
        | ceph/ceph:v16.2.15 | 1 time  |

    Scenario: every daemon runs the new version in the end, and nothing is left to do
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      Then within 10s the CephCluster "rook-ceph" is in state "Updating"
      And within 15m the CephCluster "rook-ceph" is in state "Created"
      And within 2m every daemon of Ceph runs 16.2.15
      And within 1m `ceph osd dump` answers
        """yaml
        require_osd_release: pacific
        """
      And the operator changes nothing for 10m

    Scenario: an OSD that may not be stopped is named with Ceph's words, and waited for
      When the admin runs `ceph osd pool set data min_size 3`
      And the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      And 5m pass
      Then the condition "UpgradeBlocked" of the CephCluster "rook-ceph" says
        """
        Ceph to let osd.0 be stopped: unsafe to stop osd(s) at this time (
         PGs are or would become offline) (PGs 1.
        6 OSDs are to be updated
        """
      And the CephCluster "rook-ceph" is in state "Updating"
      And the operator wrote "update Deployment rook-ceph/rook-ceph-osd-" 0 times
      When the admin runs `ceph osd pool set data min_size 2`
      Then within 5m the CephCluster "rook-ceph" is in state "Created"
      And the CephCluster "rook-ceph" has no condition "UpgradeBlocked"

    Scenario Outline: with <field> an OSD that Ceph does not let go is stopped <when>
      When the admin runs `ceph osd pool set data min_size 3`
      And the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}, <field>: true<more>}
        """
      And <quiet> pass
      Then the operator wrote "update Deployment rook-ceph/rook-ceph-osd-0" <times>
      And within <end> the CephCluster "rook-ceph" is in state "Created"

      Examples:
        | field                                      | more                                    | when                 | quiet | times   | end |
        | skipUpgradeChecks                          |                                         | at once              | 1m    | 1 time  | 5m  |
        | continueUpgradeAfterChecksEvenIfNotHealthy |                                         | after ten minutes    | 9m    | 0 times | 80m |
        | continueUpgradeAfterChecksEvenIfNotHealthy | , waitTimeoutForHealthyOSDInMinutes: 2  | after the given time | 4m    | 1 time  | 20m |

    Scenario: upgradeOSDRequiresHealthyPGs waits for clean placement groups
      When the admin runs `ceph osd pool set data min_size 1`
      And the admin runs `ceph osd set noup`
      And the container "osd" of the pod labelled "ceph-osd-id=5" is killed
      And the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}, upgradeOSDRequiresHealthyPGs: true}
        """
      And 3m pass
      Then the condition "UpgradeBlocked" of the CephCluster "rook-ceph" says
        """
        all PGs to be active+clean before an OSD is stopped, as upgradeOSDRequiresHealthyPGs asks
        active+undersized
        """
      When the admin runs `ceph osd unset noup`
      Then within 10m the CephCluster "rook-ceph" is in state "Created"

    Scenario: a mgr that does not start holds up the OSDs
      When a webhook takes the argument "--id" away from pods labelled "app=rook-ceph-mgr"
      And the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      And 10m pass
      Then the operator wrote "update Deployment rook-ceph/rook-ceph-mgr-a" 1 time
      And the operator wrote "update Deployment rook-ceph/rook-ceph-osd-" 0 times
      And the condition "UpgradeBlocked" of the CephCluster "rook-ceph" says
        """
        a mgr to run 16.2.15 before a daemon of kind osd is stopped
        """

    Scenario: an upgrade that is taken back half-way
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      And within 2m the operator wrote "update Deployment rook-ceph/rook-ceph-mon-a" 1 time
      And the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v14.2.22"}}
        """
      Then within 10m the CephCluster "rook-ceph" is in state "Created"
      And every daemon of Ceph runs 14.2.22
      And the operator wrote "update Deployment rook-ceph/rook-ceph-mon-b" 0 times
      And the operator wrote "update Deployment rook-ceph/rook-ceph-mgr-a" 0 times
      And at no time fewer than 2 mons were in quorum
      And within 2m the CephCluster "rook-ceph" has health "HEALTH_OK"

    Scenario: a third image half-way is where the upgrade goes
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.14"}}
        """
      And within 2m the operator wrote "update Deployment rook-ceph/rook-ceph-osd-0" 1 time
      And the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      Then within 10s the CephCluster "rook-ceph" is in state "Updating"
      And within 15m the CephCluster "rook-ceph" is in state "Created"
      And within 2m every daemon of Ceph runs 16.2.15
      And at no time fewer than 2 mons were in quorum
      And at no time a placement group had fewer OSDs than its pool's min_size
      And within 2m the CephCluster "rook-ceph" has health "HEALTH_OK"

  Rule: an image that may not run leaves the cluster as it is

    Background:
      Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi
      And the CephCluster "rook-ceph" is applied with
        """yaml
        spec:
          cephVersion: {image: "ceph/ceph:v16.2.15"}
          mon: {count: 3}
          storage: {useAllNodes: true, useAllDevices: true}
        """
      And within 10m the CephCluster "rook-ceph" is in state "Created"

    @S47
    Scenario Outline: <image> is refused because of "<reason>", and the cluster lives on
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "<image>"}}
        """
      Then within 1m the CephCluster "rook-ceph" is in state "Error"
      And the condition "VersionSupported" of the CephCluster "rook-ceph" is "False" because of "<reason>"
      And the condition "Ready" of the CephCluster "rook-ceph" says
        """
        <says>
        """
      When the Deployment "rook-ceph-mon-a" is deleted
      Then within 1m the Deployment "rook-ceph-mon-a" holds
        """yaml
        spec: {template: {spec: {containers: [{name: mon, image: "ceph/ceph:v16.2.15"}]}}}
        """
      When 1m pass
      Then the operator changes nothing for 10m
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      Then within 10s the CephCluster "rook-ceph" is in state "Created"

      Examples:
        | image              | reason             | says                                                                                  |
        | ceph/ceph:v14.2.22 | Downgrade          | image ceph/ceph:v14.2.22 has ceph 14.2.22 nautilus, and ceph 16.2.15 pacific of image |
        | ceph/ceph:v16.2.14 | Downgrade          | image ceph/ceph:v16.2.14 has ceph 16.2.14 pacific, and ceph 16.2.15 pacific of image  |
        | ceph/ceph:v21.1.0  | UnsupportedVersion | unsupported ceph version detected: 21.1.0                                             |
        | ceph/ceph:v19.2.3  | UpgradeTooFar      | Upgrade to reef first                                                                 |

    Scenario: allowDowngrade lets an older version run
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.14", allowDowngrade: true}}
        """
      Then within 10s the CephCluster "rook-ceph" is in state "Updating"
      And within 15m the CephCluster "rook-ceph" is in state "Created"
      And every daemon of Ceph runs 16.2.14

    Scenario: an image that cannot be pulled is told of, and the cluster lives on
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/nosuch:v17"}, mon: {count: 1}}
        """
      And 10m pass
      Then the CephCluster "rook-ceph" is in state "Updating"
      And the condition "VersionSupported" of the CephCluster "rook-ceph" says
        """
        rook-ceph-detect-version of image ceph/nosuch:v17 to finish
        ImagePullBackOff
        """
      When the Deployment "rook-ceph-osd-1" is deleted
      Then within 1m there is a Deployment "rook-ceph-osd-1"
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v17.2.8"}}
        """
      Then within 15m the status of the CephCluster "rook-ceph" holds
        """yaml
        version: {image: "ceph/ceph:v17.2.8", version: "17.2.8"}
        """

    Scenario: a status that was lost does not make an old image a new one
      When the operator is stopped
      And the status of the CephCluster "rook-ceph" is lost
      And the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v14.2.22"}}
        """
      And the operator starts
      Then within 1m the condition "VersionSupported" of the CephCluster "rook-ceph" is "False" because of "Downgrade"
      And the operator wrote "update Deployment rook-ceph/rook-ceph-mon-a" 0 times

  Rule: where there are too few daemons it is done as well as it can be

    Scenario Outline: <mons> mons and <osds> disks on one node are upgraded, and the risk is told
      Given a node "n1" with disks <disks>
      And the CephCluster "rook-ceph" is applied with
        """yaml
        spec:
          cephVersion: {image: "ceph/ceph:v14.2.22"}
          mon: {count: <mons>, allowMultiplePerNode: true}
          storage: {useAllNodes: true, useAllDevices: true}
        """
      And within 5m the CephCluster "rook-ceph" is in state "Created"
      And the admin runs `ceph osd pool create data 8`
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      Then within 5m the condition "UpgradeAtRisk" of the CephCluster "rook-ceph" is "True" because of "NotOkToStop"
      And within 15m the CephCluster "rook-ceph" is in state "Created"
      And an Event "UpgradeAtRisk" says "<risk>"
      And the CephCluster "rook-ceph" has no condition "UpgradeAtRisk"

      Examples:
        | mons | osds | disks                                       | risk                                                                                     |
        | 1    | 1    | "sdb" of 10Gi                               | mon.a is stopped although Ceph does not let it, since the cluster has 1 of them          |
        | 1    | 1    | "sdb" of 10Gi                               | osd.0 is stopped although Ceph does not let it, since the cluster has 1 of them          |
        | 2    | 2    | "sdb" of 10Gi and "sdc" of 10Gi             | mon.b is stopped although Ceph does not let it, since the cluster has 2 of them          |

  Rule: a change during bring-up

    Scenario: an image of a later release in the middle of bring-up leaves nothing to warn of
      Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi
      And the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v14.2.22"}, mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      And within 5m the operator wrote "create Deployment rook-ceph/rook-ceph-osd-0" 1 time
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      Then within 10m the CephCluster "rook-ceph" is in state "Created"
      And within 10m every daemon of Ceph runs 16.2.15
      And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
      And within 1m `ceph osd dump` answers
        """yaml
        require_osd_release: pacific
        """

  Rule: many OSDs

    Scenario: at no time of an upgrade of many OSDs a placement group has too few
      Given 20 nodes join at once
      And the CephCluster "rook-ceph" is applied with
        """yaml
        spec:
          cephVersion: {image: "ceph/ceph:v14.2.22"}
          mon: {count: 3}
          storage: {useAllNodes: true, useAllDevices: true}
        """
      And this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephBlockPool
        metadata: {name: pool, namespace: rook-ceph}
        spec: {replicated: {size: 3}}
        """
      And within 20m the CephCluster "rook-ceph" is in state "Created"
      And 5m pass
      And the placement groups are watched
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}}
        """
      Then within 10s the CephCluster "rook-ceph" is in state "Updating"
      And within 60m the CephCluster "rook-ceph" is in state "Created"
      And at no time a placement group had fewer OSDs than its pool's min_size
      And within 1m `ceph osd dump` answers
        """yaml
        require_osd_release: pacific
        """
