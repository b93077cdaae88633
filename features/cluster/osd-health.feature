Feature: OSDs are looked after, and removed only when that is asked for
  Every 60 s the operator looks which OSDs are down or out, and says so with their
  nodes. With removeOSDsIfOutAndSafeToRemove, and only then, an OSD that is down
  and out, or whose node people have taken out, is removed for good as soon as
  Ceph says that it is safe: Deployment, map, key, host in the CRUSH map, record.
  Its device is never touched.

  Background: osd.0 on n1, osd.1 on n2 and osd.2 on n3, and a pool with two copies
    Given a node "n1" with the disk "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m there is a Deployment "rook-ceph-osd-0"
    And a node "n2" with the disk "sdb" of 100Gi
    And within 5m there is a Deployment "rook-ceph-osd-1"
    And a node "n3" with the disk "sdb" of 100Gi
    And within 5m the pod labelled "ceph-osd-id=2" is running
    And the admin runs `ceph osd pool create data 8`
    And the admin runs `ceph osd pool set data size 2`
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S56
  Scenario: an OSD that goes down is told with its node, and nothing is removed
    When the node "n3" loses its power
    Then within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" is "False" because of "OSDsNotHealthy"
    And the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      osd.2 of node n3 is down
      """
    And within 12m the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      osd.2 of node n3 is down and out: repair the disk, or set spec.removeOSDsIfOutAndSafeToRemove to have it removed for good
      """
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      state: Created
      storage: {nodes: [{name: n1}, {name: n2}, {name: n3, osds: [{id: 2, device: sdb, state: down and out}]}]}
      """
    And the operator changes nothing for 20m
    And there is a Deployment "rook-ceph-osd-2"

  @S56
  Scenario: an OSD that is back is no longer told
    Given the node "n3" loses its power
    And within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" is "False" because of "OSDsNotHealthy"
    When the node "n3" comes back
    Then within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"
    And the CephCluster "rook-ceph" is in state "Created"

  @S56
  Scenario Outline: how often OSDs are looked after: <health>
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {healthCheck: {daemonHealth: {osd: <health>}}}
      """
    And 5m pass
    When the admin runs `ceph osd set noup`
    And the admin runs `ceph osd down 2`
    And <after> pass
    Then the condition "OSDsReady" of the CephCluster "rook-ceph" is "<ready>"

    Examples:
      | health            | after | ready |
      | {}                | 62s   | False |
      | {interval: 10s}   | 12s   | False |
      | {interval: 20m}   | 15s   | True  |
      | {disabled: true}  | 30m   | True  |

  Scenario: an OSD that is down and out is removed for good
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {removeOSDsIfOutAndSafeToRemove: true}
      """
    When the disk "sdb" of the node "n3" is taken away
    And the pods labelled "ceph-osd-id=2" are deleted
    Then within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      osd.2 of node n3 is down
      """
    And within 15m there is no Deployment "rook-ceph-osd-2"
    And within 1m `ceph osd ls` answers
      """yaml
      [0, 1]
      """
    And `ceph auth get osd.2` fails
    And within 1m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"

  Scenario: what a removal leaves is nothing, in an order that can be taken up again
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {removeOSDsIfOutAndSafeToRemove: true}
      """
    When the disk "sdb" of the node "n3" is taken away
    And the pods labelled "ceph-osd-id=2" are deleted
    Then within 20m an Event "OSDRemoved" says "osd.2 of node n3 was removed for good; its device was not touched"
    And the operator wrote in this order
      | verb   | kind       | name                    |
      | delete | Deployment | rook-ceph-osd-2         |
      | update | ConfigMap  | rook-ceph-osd-n3-status |
    And the operator ran "osd purge 2 --yes-i-really-mean-it" 1 time
    And the operator ran "osd crush rm n3" 1 time
    And 5m pass
    And the operator changes nothing for 10m

  Scenario Outline: a removal that is cut off after "<effect>" is finished
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {removeOSDsIfOutAndSafeToRemove: true}
      """
    And the operator is killed after its effect "<effect>"
    When the disk "sdb" of the node "n3" is taken away
    And the pods labelled "ceph-osd-id=2" are deleted
    Then within 20m every fault has happened
    And within 2m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"
    And there is no Deployment "rook-ceph-osd-2"
    And `ceph osd ls` answers
      """yaml
      [0, 1]
      """
    And `ceph osd tree` answers
      """yaml
      nodes: [{name: default}, {name: n1}, {name: osd.0}, {name: n2}, {name: osd.1}]
      """

    Examples:
      | effect                                        |
      | delete Deployment rook-ceph/rook-ceph-osd-2   |
      | osd purge 2                                   |
      | osd crush rm n3                               |
      | update ConfigMap rook-ceph/rook-ceph-osd-n3-status |

  Scenario: a node that was taken out of the spec keeps its OSDs until they are out
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {removeOSDsIfOutAndSafeToRemove: true, storage: {useAllNodes: false, nodes: [{name: n1}, {name: n2}]}}
      """
    And within 2m the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      osd.2 of node n3, which spec.storage.nodes does not name any more, still is in Ceph: to have it removed, mark it out with `ceph osd out 2` and wait until the data has moved
      """
    And the operator changes nothing for 10m
    When the admin runs `ceph osd out 2`
    Then within 2m there is no Deployment "rook-ceph-osd-2"
    And within 1m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {storage: {useAllNodes: true}}
      """
    Then within 2m the status of the CephCluster "rook-ceph" holds
      """yaml
      storage: {nodes: [{name: n1}, {name: n2}, {name: n3, unused: [{name: sdb, reason: "it carries osd.2, which was removed from the cluster: wipe it to use it again"}]}]}
      """

  Scenario: without the switch a node that was taken out keeps its OSDs whatever happens
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {storage: {useAllNodes: false, nodes: [{name: n1}, {name: n2}]}}
      """
    When the admin runs `ceph osd out 2`
    Then within 2m the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      osd.2 of node n3, which spec.storage.nodes does not name any more, is out and kept: set spec.removeOSDsIfOutAndSafeToRemove to have it removed for good
      """
    And the operator changes nothing for 10m
    And the pod labelled "ceph-osd-id=2" is running

  Scenario: OSDs are removed one after the other, and Ceph is asked before each
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {removeOSDsIfOutAndSafeToRemove: true, storage: {useAllNodes: false, nodes: [{name: n1}]}}
      """
    And the admin runs `ceph osd pool set data size 1`
    When the admin runs `ceph osd out 1 2`
    Then within 5m there is 1 Deployment labelled "app=rook-ceph-osd"
    And within 1m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"
    And the operator ran
      """
      ceph osd safe-to-destroy 1 --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format plain --out-file <tmp>
      ceph osd purge 1 --yes-i-really-mean-it --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format json --out-file <tmp>
      ceph osd safe-to-destroy 2 --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format plain --out-file <tmp>
      ceph osd purge 2 --yes-i-really-mean-it --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format json --out-file <tmp>
      """

  Scenario: an OSD whose data is still needed stays
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {removeOSDsIfOutAndSafeToRemove: true}
      """
    And the admin runs `ceph osd pool set data size 3`
    When the disk "sdb" of the node "n3" is taken away
    And the pods labelled "ceph-osd-id=2" are deleted
    And 1h pass
    Then the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      osd.2 of node n3 is down and out: it will be removed as soon as Ceph says that it is safe
      """
    And there is a Deployment "rook-ceph-osd-2"

  Scenario: a disk that was replaced is used again once its OSD is removed
    Given the disk "sdb" of the node "n3" is wiped
    And the pods labelled "ceph-osd-id=2" are deleted
    And within 3m the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      osd.2 of node n3 is down
      container activate of pod
      """
    When the ConfigMap "rook-ceph-osd-n3-status" is changed with
      """yaml
      data: {again: "now"}
      """
    Then within 2m the status of the CephCluster "rook-ceph" holds
      """yaml
      storage: {nodes: [{name: n1}, {name: n2}, {name: n3, osds: [{id: 2, device: sdb, state: down}], unused: [{name: sdb, reason: "<any>carried osd.2, whose data is gone<any>"}]}]}
      """
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {removeOSDsIfOutAndSafeToRemove: true}
      """
    Then within 15m the operator ran "osd purge 2" 1 time
    And within 5m the pod labelled "ceph-osd-id=2" is running
    And within 1m the condition "OSDsReady" of the CephCluster "rook-ceph" is "True"

  Scenario: a disk that is added to a node that runs becomes an OSD when that is asked for
    Given the disk "sdc" of 100Gi is added to the node "n2"
    When the ConfigMap "rook-ceph-osd-n2-status" is changed with
      """yaml
      data: {again: "a disk more"}
      """
    Then within 2m the pod labelled "ceph-osd-id=3" is running
    And the operator wrote "Job rook-ceph/rook-ceph-osd-prepare-n2" 3 times
    And the operator wrote "Job rook-ceph/rook-ceph-osd-prepare-n1" 1 time
    And the operator wrote "Job rook-ceph/rook-ceph-osd-prepare-n3" 1 time
