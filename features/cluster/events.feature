Feature: events that make the operator act, and those that do not
  S18-S35 as settled: what is watched is data, a real change is never missed, and what
  is no change starts nothing. A log line tells what was made of each node and device.

  Background:
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage: {useAllNodes: true, useAllDevices: true}
        placement:
          all:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms: [{matchExpressions: [{key: role, operator: NotIn, values: [other]}]}]
        healthCheck: {daemonHealth: {mon: {interval: 24h}, osd: {interval: 24h}, status: {interval: 24h}}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S18
  Scenario: a namespace holds one cluster, and the second is told so
    When the CephCluster "rook-ceph/second" is applied
    Then within 1m the condition "Ready" of the CephCluster "second" is "False" because of "SecondCluster"
    And the condition "Ready" of the CephCluster "second" says
      """
      namespace rook-ceph already has the CephCluster rook-ceph, and a namespace holds one
      """
    And the CephCluster "rook-ceph" is in state "Created"
    And there is 1 Deployment labelled "app=rook-ceph-mon"

  @S18 @S25
  Scenario: a restarted operator begins with nothing in memory and finds all as it was
    When the operator is restarted
    And 1m pass
    Then the operator changes nothing for 10m
    And the CephCluster "rook-ceph" is in state "Created"

  @S19
  Scenario: clusters of all namespaces are watched, those that come later too
    When the CephCluster "other/ceph" is applied with
      """yaml
      spec: {dataDirHostPath: /var/lib/other, mon: {count: 1}}
      """
    Then within 5m the CephCluster "other/ceph" is in state "Created"
    And the operator logs info "start watching clusters in all namespaces"

  @S20
  Scenario: a node that is gone is noticed at once
    Given a node "n2" with disks "sdb" of 100Gi
    And within 3m the operator logs info "Added n2 to cluster rook-ceph"
    And 1m pass
    When the node "n2" is removed from Kubernetes
    Then in the next 2s the operator makes at least 1 pass over the CephCluster "rook-ceph"

  @S21
  Scenario Outline: hotplug is on unless it is switched off: <value>
    When the operator runs with ROOK_DISABLE_DEVICE_HOTPLUG=<value>
    Then the operator logs info "Enabling hotplug orchestration: ROOK_DISABLE_DEVICE_HOTPLUG=<value>"

    Examples:
      | value |
      |       |
      | false |

  @S21
  Scenario: the first list of a node's devices that only says what is known starts nothing
    When the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
    And 1m pass
    Then the node "n1" has been prepared 1 time

  @S21
  Scenario Outline: a list that is <no list of devices> starts nothing
    When this is applied
      """yaml
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: local-device-n1, namespace: <namespace>, labels: {app: <app>, rook.io/node: n1}}
      data: {devices: '[{"name":"sdz","type":"disk","empty":true}]'}
      """
    And 1m pass
    Then the node "n1" has been prepared 1 time

    Examples:
      | no list of devices                | namespace        | app           |
      | not in the operator's namespace   | rook-ceph        | rook-discover |
      | not labelled as a discover daemon's | rook-ceph-system | other         |

  @S21 @B20
  Scenario: a disk that came while the operator was down is found
    Given the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
    And 1m pass
    And the operator is stopped
    And the disk "sdc" of 100Gi is added to the node "n1"
    And the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
      | sdc  |             |
    When the operator starts
    Then within 3m there are 2 Deployments labelled "app=rook-ceph-osd"
    And the node "n1" has been prepared 2 times

  @S22
  Scenario: switched off, hotplug starts nothing
    Given the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
    When the operator runs with ROOK_DISABLE_DEVICE_HOTPLUG=true
    And the disk "sdc" of 100Gi is added to the node "n1"
    And the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
      | sdc  |             |
    And 5m pass
    Then the operator logs info "Disabling hotplug orchestration via ROOK_DISABLE_DEVICE_HOTPLUG"
    And the node "n1" has been prepared 1 time

  @S23
  Scenario: a new disk becomes an OSD
    Given the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
    And 1m pass
    When the disk "sdc" of 100Gi is added to the node "n1"
    And the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
      | sdc  |             |
    Then within 3m there are 2 Deployments labelled "app=rook-ceph-osd"
    And the operator logs info "devices of node n1 have changed for cluster rook-ceph: sdc is new"
    And the node "n1" has been prepared 2 times

  @S23
  Scenario: a list that says the same is skipped, and said to be
    Given the discover daemon of the node "n1" lists
      | name | filesystem  | links                         |
      | sdb  | LVM2_member | /dev/disk/by-id/a /dev/disk/b |
    And 1m pass
    When the discover daemon of the node "n1" lists
      | name | filesystem  | links                         |
      | sdb  | LVM2_member | /dev/disk/b /dev/disk/by-id/a |
    Then in the next 10s the operator makes 0 passes over the CephCluster "rook-ceph"
    And the operator logs debug "device lists are equal. skipping orchestration"

  @S23
  Scenario: a cluster that is being created takes the devices that its jobs find
    Given the CephCluster "other/ceph" is applied with
      """yaml
      spec: {dataDirHostPath: /var/lib/other, mon: {count: 1}, storage: {useAllNodes: true, deviceFilter: "^sdc$"}}
      """
    When the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
      | sdc  |             |
    And the disk "sdc" of 100Gi is added to the node "n1"
    Then within 5m the CephCluster "other/ceph" is in state "Created"
    And the operator never logs "have changed for cluster other"

  @S23 @B20
  Scenario: a list that cannot be read is told once, and nothing is done
    Given the discover daemon of the node "n1" lists
      | name | filesystem  |
      | sdb  | LVM2_member |
    And 1m pass
    When the discover daemon of the node "n1" writes "[{"
    Then the operator logs warning "ConfigMap rook-ceph-system/local-device-n1 has under <any> what is no list of devices: <any>" 1 more time within 10s
    When the discover daemon of the node "n1" writes "[{,"
    Then the operator logs warning "ConfigMap rook-ceph-system/local-device-n1 <any>" no more times within 10s
    And the node "n1" has been prepared 1 time

  @S24
  Scenario: without the legacy definition the operator goes on without it
    Then the operator logs info "skipping watching for legacy rook cluster events (legacy cluster CRD probably doesn't exist): <any>"
    And the operator never logs "start watching legacy rook clusters"

  @S26
  Scenario: an object that is no node is logged and dropped
    When the operator is handed the ConfigMap "rook-config-override" where it watches Nodes
    Then in the next 10s the operator makes 0 passes over the CephCluster "rook-ceph"
    And the operator logs warning "Expected NodeList but handler received <any>"

  @S25
  Scenario: a stopped operator leaves nothing running
    When the operator is stopped
    Then the operator watches nothing
    And a node "n2" with disks "sdb" of 100Gi
    And in the next 5m the operator makes 0 passes over the CephCluster "rook-ceph"
    When the operator starts
    Then the operator watches each of CephClusters, Nodes, ConfigMaps and Secrets once
    And within 3m the operator logs info "Added n2 to cluster rook-ceph"

  @S27
  Scenario: a node that joins cordoned is left alone until it is uncordoned
    When this is applied
      """yaml
      {apiVersion: v1, kind: Node, metadata: {name: n9.example.org, labels: {kubernetes.io/hostname: n9}}, spec: {unschedulable: true}}
      """
    Then in the next 10s the operator makes 0 passes over the CephCluster "rook-ceph"
    And the operator logs debug "Skipping cluster update. Added node n9 is unschedulable"
    And the operator never logs "Adding n9"

  @S28
  Scenario: a cluster that names its nodes is not concerned by another one
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {storage: {useAllNodes: false, nodes: [{name: n1}]}}
      """
    And 5m pass
    When a node "n2" with disks "sdb" of 100Gi
    Then in the next 10s the operator makes 0 passes over the CephCluster "rook-ceph"
    And the operator logs debug "Skipping -> Do not use all Nodes"
    And the operator never logs "host n2"
    And there is no Job "rook-ceph-osd-prepare-n2"

  @S28
  Scenario: a node that the cluster names is waited for, and taken when it joins
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {storage: {useAllNodes: false, nodes: [{name: n1}, {name: n2}]}}
      """
    And 5m pass
    When a node "n2" with disks "sdb" of 100Gi
    Then within 3m there are 2 Deployments labelled "app=rook-ceph-osd"
    And the operator logs debug "Adding n2 to cluster rook-ceph"

  @S29
  Scenario: a cluster that is not ready takes a new node in the course of its creation
    Given the CephCluster "other/ceph" is applied with
      """yaml
      spec: {dataDirHostPath: /var/lib/other, mon: {count: 1}, storage: {useAllNodes: true, deviceFilter: "^sdx$"}}
      """
    When a node "n2" with disks "sdx" of 100Gi
    Then within 1s the operator logs info "Cluster other is not ready. Skipping orchestration."
    And within 5m the CephCluster "other/ceph" is in state "Created"
    And there is a Job "other/rook-ceph-osd-prepare-n2"

  @S30 @S32 @S34
  Scenario Outline: a node that <cannot be used> is not added, and added when it can be
    When these nodes
      | name           | hostname | disks     | labels   | taints   |
      | n2.example.org | n2       | sdb 100Gi | <labels> | <taints> |
    Then within 1m the operator logs info "Could not add host n2 . It is not valid"
    And there is no Job "rook-ceph-osd-prepare-n2"
    When the node "n2.example.org" loses the <what>
    Then within 3m the operator logs info "Added n2 to cluster rook-ceph"
    And the operator logs debug "Adding n2 to cluster rook-ceph"

    Examples:
      | cannot be used                       | labels     | taints          | what         |
      | does not match the node affinity     | role=other |                 | label "role" |
      | has a taint that is not tolerated    |            | k=v:NoSchedule  | taint "k"    |
      | has a taint that evicts              |            | k=v:NoExecute   | taint "k"    |

  @S30 @S32 @S34
  Scenario: a node that joins before its kubelet is ready is no valid node yet
    When this is applied
      """yaml
      {apiVersion: v1, kind: Node, metadata: {name: n9.example.org, labels: {kubernetes.io/hostname: n9}}}
      """
    Then in the next 10s the operator makes 0 passes over the CephCluster "rook-ceph"
    And the operator logs info "Could not add host n9 . It is not valid"
    And the operator never logs "n9.example.org to cluster"

  @S30 @S31
  Scenario Outline: a node is valid if <all holds>
    When these nodes
      | name | disks     | labels   | taints   |
      | n2   | sdb 100Gi | <labels> | <taints> |
    Then within 1s the operator logs debug "Adding n2 to cluster rook-ceph"
    And within 3m there are 2 Deployments labelled "app=rook-ceph-osd"

    Examples:
      | all holds                                  | labels       | taints              |
      | nothing speaks against it                  |              |                     |
      | the node affinity lets it in               | role=storage |                     |
      | a taint only prefers that nothing is there |              | k=v:PreferNoSchedule |

  @S31 @S33
  Scenario: a node that cannot be added is told of, and Added only when it is
    Given the API server refuses the operator to create a Job 1 time
    When a node "n2" with disks "sdb" of 100Gi
    Then within 10s the operator logs error "Failed to update cluster in namespace rook-ceph. Was not able to add n2. failed to start the OSD job of node n2: <any>"
    And the operator never logs "Added n2"
    And within 3m the operator logs info "Added n2 to cluster rook-ceph"
    And there are 2 Deployments labelled "app=rook-ceph-osd"

  @S33
  Scenario: a node is Added once
    Given a node "n2" with disks "sdb" of 100Gi
    And within 3m the operator logs info "Added n2 to cluster rook-ceph"
    And 1m pass
    When the operator is restarted
    Then the operator logs info "Added n2 to cluster rook-ceph" no more times within 5m
    And the operator never logs "Added n1"

  @S35
  Scenario Outline: a node that <changes> is looked at
    Given 1m pass
    When the node "n1" <changes>
    Then in the next 2s the operator makes at least 1 pass over the CephCluster "rook-ceph"
    And there is 1 Deployment labelled "app=rook-ceph-osd"

    Examples:
      | changes                           |
      | is cordoned                       |
      | gets the taint "k=v:NoSchedule"   |
      | gets the label "role=other"       |
      | gets the label "topology.kubernetes.io/zone=z1" |

  @S35
  Scenario: a node that is uncordoned is looked at again
    Given the node "n1" is cordoned
    And 1m pass
    When the node "n1" is uncordoned
    Then in the next 2s the operator makes at least 1 pass over the CephCluster "rook-ceph"

  @S35
  Scenario Outline: a node that <changes> starts nothing
    Given 1m pass
    When the node "n1" <changes>
    Then in the next 30s the operator makes 0 passes over the CephCluster "rook-ceph"

    Examples:
      | changes                                  |
      | sends a heartbeat                        |
      | gets the label "unrelated=x"             |
      | gets the annotation "unrelated=x"        |
      | gets the taint "k=v:PreferNoSchedule"    |

  @S20 @S31
  Scenario: a hundred nodes that join at once lead to few passes
    When 100 nodes join at once
    Then in the next 2s the operator makes at most 4 passes over the CephCluster "rook-ceph"
    And within 10m the CephCluster "rook-ceph" is in state "Created"

  @S20
  Scenario Outline: a machine that takes the name of one that is gone is looked at as a new one: its <disk>
    Given a node "n2" with the disk "sdb" of 10Gi
    And within 5m there are 2 Deployments labelled "app=rook-ceph-osd"
    And within 2m the CephCluster "rook-ceph" is in state "Created"
    When the node "n2" is removed from Kubernetes
    And 5m pass
    And a node "n2" with the disk "<disk>" of 10Gi
    Then within 2m the node "n2" has been prepared 2 times
    When 2m pass
    Then there are <count> Deployments labelled "app=rook-ceph-osd"

    # A device by whose name an OSD is missed waits until that OSD is removed.
    Examples:
      | disk | count |
      | sdc  | 3     |
      | sdb  | 2     |
