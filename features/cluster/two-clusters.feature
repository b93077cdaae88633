Feature: clusters of different namespaces do not know of each other
  What happens to one never delays another: broken, hung, being deleted or refused.
  The times are the same as if the other one were alone.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 10Gi and "sdc" of 10Gi

  Scenario: the time that one needs alone
    When the CephCluster "two/two" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 3}, storage: {useAllNodes: true, deviceFilter: sdc}}
      """
    Then within 55s the CephCluster "two/two" is in state "Created"
    And within 15s the CephCluster "two/two" has health "HEALTH_OK"

  Scenario: both at once
    When the CephCluster "one/one" is applied with
      """yaml
      spec: {dataDirHostPath: /data/one, mon: {count: 3}, storage: {useAllNodes: true, deviceFilter: sdb}}
      """
    And the CephCluster "two/two" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 3}, storage: {useAllNodes: true, deviceFilter: sdc}}
      """
    Then within 55s the CephCluster "two/two" is in state "Created"
    And within 5s the CephCluster "one/one" is in state "Created"
    And within 15s the CephCluster "one/one" has health "HEALTH_OK"
    And within 15s the CephCluster "two/two" has health "HEALTH_OK"
    And 2m pass
    And the operator changes nothing for 10m

  Scenario Outline: the other one <is>
    Given the CephCluster "one/one" is applied with
      """yaml
      spec: {dataDirHostPath: /data/one, mon: {count: 3}, storage: {useAllNodes: true, deviceFilter: sdb}}
      """
    And within 5m the CephCluster "one/one" is in state "Created"
    And <trouble>
    And <then>
    And 20s pass
    When the CephCluster "two/two" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 3}, storage: {useAllNodes: true, deviceFilter: sdc}}
      """
    Then within 55s the CephCluster "two/two" is in state "Created"
    And within 15s the CephCluster "two/two" has health "HEALTH_OK"

    Examples:
      | is                                   | trouble                                                       | then                                                                         |
      | hung: every command to its deadline  | the operator's "--cluster=one " takes 100h                    | 2m pass                                                                      |
      | without its identity                 | the Secret "one/rook-ceph-mon" is deleted                     | 1s pass                                                                      |
      | without a mon                        | the Deployment "one/rook-ceph-mon-a" is deleted               | the Deployment "one/rook-ceph-mon-b" is deleted                              |
      | being deleted, and a pool blocks it  | the CephBlockPool "one/pool" is applied                       | the CephCluster "one/one" is deleted                                         |
      | being deleted with its data          | the CephCluster "one/one" is to be destroyed with its data    | the CephCluster "one/one" is deleted                                         |
      | in a namespace that is being deleted | the Namespace "one" is deleted                                | 1s pass                                                                      |

  Scenario: five hung clusters, and a sixth comes up as if it were alone
    Given the CephClusters "h1/h", "h2/h", "h3/h", "h4/h" and "h5/h" are applied, each in a data directory of its own
    And 1m pass
    And the operator's "--cluster=h" takes 100h
    And 2m pass
    When the CephCluster "two/two" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 3}, storage: {useAllNodes: true, deviceFilter: sdc}}
      """
    Then within 55s the CephCluster "two/two" is in state "Created"
    And within 15s the CephCluster "two/two" has health "HEALTH_OK"

  Scenario: a hung cluster does not hold back the deletion of another
    Given the CephCluster "one/one" is applied with
      """yaml
      spec: {dataDirHostPath: /data/one, mon: {count: 1}}
      """
    And the CephCluster "two/two" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 1}}
      """
    And within 2m the CephCluster "one/one" is in state "Created"
    And within 2m the CephCluster "two/two" is in state "Created"
    And the operator's "--cluster=one " takes 100h
    And 2m pass
    When the CephCluster "two/two" is deleted
    Then within 5s there is no CephCluster "two/two"

  @S18
  Scenario: two of one namespace are refused in words
    Given the CephCluster "one/first" is applied with
      """yaml
      spec: {dataDirHostPath: /data/one, mon: {count: 1}}
      """
    And within 2m the CephCluster "one/first" is in state "Created"
    When the CephCluster "one/second" is applied with
      """yaml
      spec: {dataDirHostPath: /data/two, mon: {count: 1}}
      """
    Then within 5s the condition "Ready" of the CephCluster "one/second" is "False" because of "SecondCluster"
    And the condition "Ready" of the CephCluster "one/second" says
      """
      namespace one already has the CephCluster first, and a namespace holds one; delete one of the two, or use another namespace
      """
    And 2m pass
    And the operator changes nothing for 10m
    And the CephCluster "one/first" is in state "Created"
