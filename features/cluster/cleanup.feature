Feature: the data of a deleted CephCluster is destroyed only where its user confirms it
  spec.cleanupPolicy. A Job on each node asks the data itself whose it is, by the
  fsid, and takes away what is this cluster's: disks, mon directories, logs.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"

  @S58
  Scenario: confirmed, the cluster is configured no more, and says so
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 1}, cleanupPolicy: {confirmation: yes-really-destroy-data}}
      """
    Then within 5s the condition "Ready" of the CephCluster "rook-ceph" is "False" because of "CleanupConfirmed"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      spec.cleanupPolicy.confirmation is yes-really-destroy-data: nothing is configured any more
      delete CephCluster rook-ceph/rook-ceph to destroy its data on the hosts, or take the confirmation away
      """
    And the operator changes nothing for 10m
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}, cleanupPolicy: {confirmation: ""}}
      """
    Then within 1m the CephCluster "rook-ceph" is in state "Created"

  @S58
  Scenario: what it has on the nodes is gone with it, and a new cluster comes up there
    Given the CephCluster "rook-ceph" is to be destroyed with its data
    When the CephCluster "rook-ceph" is deleted
    Then within 2m there is no CephCluster "rook-ceph"
    And the nodes "n1", "n2" and "n3" have nothing below "/var/lib/rook"
    And the disk "sdb" of the nodes "n1", "n2" and "n3" is empty
    And within 1m nothing is left in the namespace "rook-ceph"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And there are 3 Deployments labelled "app=rook-ceph-osd"

  @S58
  Scenario: what is owned goes before the cluster, while a pool still blocks, and the data goes all the same
    Given the CephBlockPool "replicapool" is applied
    And within 2m the condition "Ready" of the CephBlockPool "replicapool" is "True"
    And the CephCluster "rook-ceph" is to be destroyed with its data
    When the CephCluster "rook-ceph" is deleted in the foreground
    And within 1m there are 0 Deployments labelled "rook_cluster=rook-ceph"
    And 1m pass
    And the CephBlockPool "replicapool" is deleted
    Then within 5m there is no CephCluster "rook-ceph"
    And the nodes "n1", "n2" and "n3" have nothing below "/var/lib/rook"
    And the disk "sdb" of the nodes "n1", "n2" and "n3" is empty

  @S58
  Scenario: the daemons end before their data is touched
    Given the CephCluster "rook-ceph" is to be destroyed with its data
    When the CephCluster "rook-ceph" is deleted
    Then within 2m there is no CephCluster "rook-ceph"
    And the operator wrote in this order
      | verb         | kind        | name                  |
      | patch        | CephCluster | rook-ceph             |
      | delete       | Deployment  | rook-ceph-mon-a       |
      | delete       | Deployment  | rook-ceph-osd-2       |
      | create       | Job         | rook-ceph-cleanup-n1  |
      | patch        | CephCluster | rook-ceph             |

  @S58 @B08
  Scenario: the disks of another cluster on the same nodes are left alone, and it never notices
    Given the disk "sdc" of 10Gi is added to the node "n1"
    And the CephCluster "other/other" is applied with
      """yaml
      spec: {dataDirHostPath: /var/lib/other, mon: {count: 1}, storage: {nodes: [{name: n1, devices: [{name: sdc}]}]}}
      """
    And within 10m the CephCluster "other/other" has health "HEALTH_OK"
    And the CephCluster "rook-ceph" is to be destroyed with its data
    When the CephCluster "rook-ceph" is deleted
    Then within 2m there is no CephCluster "rook-ceph"
    And the disk "sdb" of the nodes "n1", "n2" and "n3" is empty
    And the disk "sdc" of the node "n1" is not empty
    And 5m pass
    And the CephCluster "other/other" has health "HEALTH_OK"

  @S58 @B08
  Scenario: a mon's directory that another cluster has left in the same place is left alone, and told of
    Given the CephCluster "other/other" is applied with
      """yaml
      spec: {dataDirHostPath: /var/lib/other, mon: {count: 1}, placement: {mon: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}]}}}}}
      """
    And within 10m the CephCluster "other/other" is in state "Created"
    And the CephCluster "other/other" is deleted
    And within 1m there is no pod labelled "rook_cluster=other" in the namespace "other"
    And the directory "/var/lib/other/mon-a" of the node "n1" is moved to "/var/lib/rook/mon-x"
    And the CephCluster "rook-ceph" is to be destroyed with its data
    When the CephCluster "rook-ceph" is deleted
    Then within 2m there is no CephCluster "rook-ceph"
    And the node "n1" has something below "/var/lib/rook/mon-x/data"
    And the operator logs warning "<any>node n1: /var/lib/rook/mon-x: it belongs to the cluster with fsid <uuid>"

  @S58
  Scenario Outline: a <method> wipe of the disks with <source>, <times> times over
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cleanupPolicy: {confirmation: yes-really-destroy-data, sanitizeDisks: {method: <method>, dataSource: <source>, iteration: <times>}}}
      """
    When the CephCluster "rook-ceph" is deleted
    And within 30s the container "cleanup" of the pod labelled "job=rook-ceph-cleanup-n1" logs "<command>"
    Then within <time> the container "cleanup" of the pod labelled "job=rook-ceph-cleanup-n1" logs "EXEC ceph-volume lvm zap --destroy /dev/sdb"
    And within 1m there is no CephCluster "rook-ceph"
    And the disk "sdb" of the nodes "n1", "n2" and "n3" is empty

    Examples:
      | method   | source | times | time | command                                    |
      | quick    | zero   | 3     | 1s   | EXEC ceph-volume lvm zap                   |
      | complete | zero   | 1     | 55s  | EXEC shred --force --iterations=0 --zero   |
      | complete | zero   | 3     | 155s | EXEC shred --force --iterations=2 --zero   |
      | complete | random | 2     | 105s | EXEC shred --force --iterations=2 /dev/    |

  @S58
  Scenario: a node that is not ready does not hold the cluster for ever, and is told of
    Given the CephCluster "rook-ceph" is to be destroyed with its data
    And the node "n2" loses its power
    And 2m pass
    When the CephCluster "rook-ceph" is deleted
    And 20s pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      waiting for node n2, which is not ready: it is left as it is if that lasts for 10m0s
      """
    And within 10m there is no CephCluster "rook-ceph"
    And the nodes "n1" and "n3" have nothing below "/var/lib/rook"
    And the operator logs warning "<any>not wiped: node n2 has not been ready for 10m0s"

  @S58
  Scenario: a node that has left Kubernetes is not waited for
    Given the CephCluster "rook-ceph" is to be destroyed with its data
    And the node "n2" loses its power
    And the node "n2" is removed from Kubernetes
    When the CephCluster "rook-ceph" is deleted
    Then within 2m there is no CephCluster "rook-ceph"
    And the nodes "n1" and "n3" have nothing below "/var/lib/rook"
    And the operator logs warning "<any>not wiped: node n2 is not in Kubernetes any more"

  @S58
  Scenario: a wipe that fails is told of, and the user decides
    Given the disk "sdb" of the node "n3" cannot be written
    And the CephCluster "rook-ceph" is to be destroyed with its data
    When the CephCluster "rook-ceph" is deleted
    Then within 1m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      Job rook-ceph-cleanup-n3
      failed to wipe /dev/sdb
      take spec.cleanupPolicy.confirmation away to let the cluster go and keep what is left of its data
      """
    And within 30s the nodes "n1" and "n2" have nothing below "/var/lib/rook"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cleanupPolicy: {confirmation: ""}}
      """
    Then within 10s there is no CephCluster "rook-ceph"

  @S58
  Scenario Outline: killed <when> its effect "<effect>", the operator finishes after its restart
    Given the CephCluster "rook-ceph" is to be destroyed with its data
    And within 5s the condition "Ready" of the CephCluster "rook-ceph" is "False"
    And the operator is killed <when> its effect "<effect>"
    When the CephCluster "rook-ceph" is deleted
    Then within 5m there is no CephCluster "rook-ceph"
    And every fault has happened
    And the nodes "n1", "n2" and "n3" have nothing below "/var/lib/rook"
    And the disk "sdb" of the nodes "n1", "n2" and "n3" is empty
    And within 1m nothing is left in the namespace "rook-ceph"

    Examples:
      | when   | effect                                          |
      | before | patch status of CephCluster rook-ceph/rook-ceph |
      | after  | patch status of CephCluster rook-ceph/rook-ceph |
      | after  | delete Deployment rook-ceph/rook-ceph-mon-a     |
      | after  | delete Deployment rook-ceph/rook-ceph-osd-2     |
      | before | create Job rook-ceph/rook-ceph-cleanup-n1       |
      | after  | create Job rook-ceph/rook-ceph-cleanup-n2       |
      | before | patch CephCluster rook-ceph/rook-ceph           |
      | after  | patch CephCluster rook-ceph/rook-ceph           |

  @S14 @S58
  Scenario: OSDs in directories
    Given the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {storage: {directories: [{path: /srv/osds}]}}
      """
    And within 5m there are 6 Deployments labelled "app=rook-ceph-osd"
    And within 2m the CephCluster "rook-ceph" is in state "Created"
    And the node "n1" has the file "/srv/osds/osd99/ceph_fsid"
      """
      4a5e1f4c-0000-4000-8000-0123456789ab
      """
    And the CephCluster "rook-ceph" is to be destroyed with its data
    When the CephCluster "rook-ceph" is deleted
    Then within 2m there is no CephCluster "rook-ceph"
    And the nodes "n2" and "n3" have nothing below "/srv/osds"
    And the node "n1" has something below "/srv/osds/osd99"
