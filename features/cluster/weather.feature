Feature: bad weather between the operator and the API server
  Whatever it answers, the operator says so in the resource, goes on by itself when
  the weather is better, and does not ask faster than its back-off lets it.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi

  Scenario Outline: each kind of request is answered once with "<error>"
    Given each kind of request of the operator is answered once with "<error>"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, dashboard: {enabled: true}, rbdMirroring: {workers: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And within 1m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same
    And there are 3 Deployments labelled "app=rook-ceph-osd"
    And 2m pass
    And the operator changes nothing for 10m
    And the operator started 1 time

    Examples:
      | error              |
      | InternalError      |
      | Forbidden          |
      | Unauthorized       |
      | Conflict           |
      | Timeout            |
      | TooManyRequests    |
      | ServiceUnavailable |

  Scenario Outline: each kind of request is answered once with "<error>", in a deletion
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the CephCluster "rook-ceph" is to be destroyed with its data
    And 10s pass
    And each kind of request of the operator is answered once with "<error>"
    When the CephCluster "rook-ceph" is deleted
    Then within 2m there is no CephCluster "rook-ceph"
    And within 1m nothing is left in the namespace "rook-ceph"
    And the nodes "n1", "n2" and "n3" have nothing below "/var/lib/rook"
    And the operator changes nothing for 10m

    Examples:
      | error              |
      | InternalError      |
      | Forbidden          |
      | Conflict           |
      | Timeout            |
      | TooManyRequests    |

  Scenario Outline: the operator may not <verb> a <kind>
    Given the API server refuses the operator to <verb> a <kind> from now on with "Forbidden"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, dashboard: {enabled: true}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And 3m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" is "False"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      cannot <verb> resource "<resource>"
      """
    And the operator works on the CephCluster "rook-ceph" at most 12 times in 1m
    When the API server lets the operator <verb> a <kind> again
    Then within 2m the CephCluster "rook-ceph" is in state "Created"
    And within 1m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator started 1 time

    Examples:
      | verb   | kind           | resource        |
      | get    | ConfigMap      | configmaps      |
      | get    | Secret         | secrets         |
      | get    | Service        | services        |
      | get    | Deployment     | deployments     |
      | get    | Job            | jobs            |
      | get    | ServiceAccount | serviceaccounts |
      | get    | Role           | roles           |
      | get    | RoleBinding    | rolebindings    |
      | list   | CephCluster    | cephclusters    |
      | list   | Node           | nodes           |
      | list   | Pod            | pods            |
      | list   | Deployment     | deployments     |
      | list   | ConfigMap      | configmaps      |
      | create | Job            | jobs            |
      | create | ConfigMap      | configmaps      |
      | create | Secret         | secrets         |
      | create | Service        | services        |
      | create | Deployment     | deployments     |
      | create | ServiceAccount | serviceaccounts |
      | create | Role           | roles           |
      | create | RoleBinding    | rolebindings    |
      | update | ConfigMap      | configmaps      |
      | update | Secret         | secrets         |
      | delete | Job            | jobs            |

  Scenario Outline: the operator may not <verb> a <kind>, of which the CephCluster cannot tell
    Given the API server refuses the operator to <verb> a <kind> from now on with "Forbidden"
    When the CephCluster "rook-ceph" is applied
    And 3m pass
    Then the operator logs error "<any>cannot <verb> resource <any><resource><any>"
    And the operator works on the CephCluster "rook-ceph" at most 60 times in 1m
    When the API server lets the operator <verb> a <kind> again
    Then within 2m the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | verb  | kind        | resource     |
      | get   | CephCluster | cephclusters |
      | patch | CephCluster | cephclusters |

  Scenario Outline: what is refused here keeps nothing from being done: <verb> a <kind>
    Given the API server refuses the operator to <verb> a <kind> from now on with "Forbidden"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And within 1m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator works on the CephCluster "rook-ceph" at most 12 times in 1m

    Examples:
      | verb   | kind  |
      | create | Event |
      | update | Event |

  Scenario Outline: the image of <daemon> cannot be pulled
    Given a webhook runs the image "quay.io/ceph/ceph:v99" in pods labelled "<labels>"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, rbdMirroring: {workers: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And 5m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" is "False"
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      <object>
      quay.io/ceph/ceph:v99
      """
    And the operator works on the CephCluster "rook-ceph" at most 20 times in 1m

    Examples:
      | daemon            | labels                       | object                   |
      | the version's job | job=rook-ceph-detect-version | rook-ceph-detect-version |
      | a mon             | mon=b                        | rook-ceph-mon-b          |
      | the mgr           | app=rook-ceph-mgr            | rook-ceph-mgr-a          |
      | a node's job      | app=rook-ceph-osd-prepare    | rook-ceph-osd-prepare    |
      | an OSD            | app=rook-ceph-osd            | rook-ceph-osd-           |
      | rbd-mirror        | app=rook-ceph-rbd-mirror     | rook-ceph-rbd-mirror-a   |

  Scenario: the image of the operator itself cannot be pulled by a node's job
    Given a webhook runs the image "quay.io/ceph/ceph:v99" in the init containers of pods labelled "app=rook-ceph-osd-prepare"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And 5m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      rook-ceph-osd-prepare
      quay.io/ceph/ceph:v99
      """

  Scenario Outline: the <kind> "<name>" is edited by hand: <edit>
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And within 1m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the <kind> "<name>" is changed with
      """yaml
      <edit>
      """
    And 2m pass
    Then the CephCluster "rook-ceph" is in state "Created"
    And the <kind> "<name>" holds
      """yaml
      <then>
      """
    And the mons "a", "b" and "c" form a quorum
    And the operator ran "ceph-authtool" 2 times
    And the operator changes nothing for 10m

    Examples:
      | kind      | name                   | edit                                     | then                                                 |
      | ConfigMap | rook-ceph-config       | data: {ceph.conf: "[["}                  | data: {ceph.conf: "<any>fsid<any>"}                  |
      | ConfigMap | rook-ceph-config       | data: null                               | data: {ceph.conf: "<any>fsid<any>"}                  |
      | ConfigMap | rook-config-override   | data: {config: "[[[garbage"}             | data: {config: "[[[garbage"}                         |
      | ConfigMap | rook-config-override   | data: null                               | data: null                                           |
      | Secret    | rook-ceph-config       | data: {mon_host: eHl6}                   | data: {mon_host: "<any>=", mon_initial_members: YSxiLGM=} |
      | Secret    | rook-ceph-mons-keyring | data: {keyring: eHl6}                    | data: {keyring: "W21vbi5d<any>"}                     |
      | Service   | rook-ceph-mon-a        | spec: {selector: {mon: z}}               | spec: {selector: {mon: a}}                           |

  Scenario: the marker of the first crush map is edited or lost
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    When the ConfigMap "rook-crush-config" is changed with
      """yaml
      data: null
      """
    And the operator is restarted
    And 2m pass
    Then the operator ran "setcrushmap" 1 time
    And the CephCluster "rook-ceph" is in state "Created"
    When the ConfigMap "rook-crush-config" is deleted
    And 2m pass
    Then the operator ran "setcrushmap" 1 time
    And the CephCluster "rook-ceph" has health "HEALTH_OK"

  Scenario Outline: a namespace is deleted around a cluster with <what>
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And <given>
    And 30s pass
    When the Namespace "rook-ceph" is deleted
    Then within 1m there is no Namespace "rook-ceph"
    And the operator ran "ceph-authtool" 2 times
    And the operator changes nothing for 10m
    And the operator has no file in "/var/lib/rook"

    Examples:
      | what                         | given                                                      |
      | a pool                       | the CephBlockPool "replicapool" is applied                 |
      | its data to be destroyed     | the CephCluster "rook-ceph" is to be destroyed with its data |
      | no operator until later      | the operator is restarted                                  |

  Scenario: a namespace that cannot be left for another finalizer's sake is not written to again and again
    Given the CephCluster "rook-ceph" is applied with
      """yaml
      metadata: {finalizers: [example.com/backup]}
      spec: {mon: {count: 3}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the Namespace "rook-ceph" is deleted
    And 1m pass
    Then there is a CephCluster "rook-ceph"
    And the CephCluster "rook-ceph" holds
      """yaml
      metadata: {finalizers: [example.com/backup]}
      status: {state: Deleting}
      """
    And the operator changes nothing for 10m
    And the operator works on the CephCluster "rook-ceph" at most 0 times in 10m
