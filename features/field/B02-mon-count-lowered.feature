Feature: a lowered mon count takes the mons away one by one
  rook/rook PR #8011 (for #7999), #9920: a health pass that had read five members
  once went on removing until fewer were left than were asked for.

  Background:
    Given nodes "n1", "n2", "n3", "n4" and "n5"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 5, allowMultiplePerNode: false}}
      """
    And within 15m the CephCluster "rook-ceph" is in state "Created"

  @B02 @S53
  Scenario: scaling mons down is gradual
    Given the mons are watched
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 1m the mons "a", "b", "c" and "d" form a quorum
    And within 5m the mons "a", "b" and "c" form a quorum
    And the operator ran
      """
      ceph mon remove e <any>
      ceph mon_status <any>
      ceph mon remove d <any>
      """
    And at no time fewer than 3 mons were in quorum
    When 10m pass
    Then the mons "a", "b" and "c" form a quorum
    And the operator ran "ceph mon remove" 2 times
    And within 1m there are 3 Deployments labelled "app=rook-ceph-mon"

  @B02 @S53
  Scenario: of five mons and two more than wanted the one that is out goes first
    When the node "n2" loses its power
    And 5m pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 5m the mons "a", "c" and "d" form a quorum
    And the operator wrote in this order
      | verb   | kind       | name            |
      | delete | Deployment | rook-ceph-mon-b |
      | delete | Deployment | rook-ceph-mon-e |

  @B02 @S53
  Scenario: nothing is removed while another one is out
    When the node "n2" loses its power
    And the node "n3" loses its power
    And 5m pass
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 4}}
      """
    And 3m pass
    Then the operator ran "ceph mon remove" 0 times
    And the condition "SurplusMons" of the CephCluster "rook-ceph" says
      """
      5 mons run and spec.mon.count is 4: none is removed before all others are in quorum
      """

  @B02 @S53
  Scenario: what is too many is told until it is gone
    When the operator's "mon remove" fails with exit code 1 and "timed out"
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 1m the condition "SurplusMons" of the CephCluster "rook-ceph" is "True"
    When the operator's "mon remove" works again
    Then within 5m the mons "a", "b" and "c" form a quorum
    And within 2m the status of the CephCluster "rook-ceph" holds
      """yaml
      mon: {count: 3}
      """
    And within 1m the CephCluster "rook-ceph" has no condition "SurplusMons"

  @B02 @B04
  Scenario Outline: a removal that a crash interrupts after <effect> is finished
    Given the mons are watched
    And the operator is killed after its effect "<effect>"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 15m the mons "a", "b" and "c" form a quorum
    And within 5m there are 3 Deployments labelled "app=rook-ceph-mon"
    And within 5m there is no Service "rook-ceph-mon-e"
    And within 1m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,b=<ip>:6789,c=<ip>:6789
      """
    And at no time fewer than 3 mons were in quorum

    Examples:
      | effect                                     |
      | ceph mon remove e                          |
      | update ConfigMap rook-ceph/rook-ceph-mon-endpoints |
      | delete Deployment rook-ceph/rook-ceph-mon-e |
      | delete Service rook-ceph/rook-ceph-mon-e   |
