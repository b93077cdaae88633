Feature: a fail-over that the operator did not live to finish is finished after it
  rook/rook #7797: the operator was evicted while it waited for a new mon. The
  next one knew nothing of that mon and took the dead one for a member; in the end
  the quorum was lost.

  Background:
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"

  @B04 @S53
  Scenario Outline: killed <when> <effect>
    Given the mons are watched
    And the operator is killed <when> its effect "<effect>"
    When the node "n2" loses its power
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 5m there are 3 Deployments labelled "app=rook-ceph-mon"
    And within 5m there is no Service "rook-ceph-mon-b"
    And within 5m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,c=<ip>:6789,d=<ip>:6789
      """
    And `ceph mon dump` answers
      """yaml
      mons: [{name: a}, {name: c}, {name: d}]
      """
    And at no time fewer than 2 mons were in quorum

    Examples:
      | when   | effect                                              |
      | after  | patch CephCluster                                   |
      | after  | create Service rook-ceph/rook-ceph-mon-d            |
      | after  | update ConfigMap rook-ceph/rook-ceph-mon-endpoints  |
      | after  | update ConfigMap rook-ceph/rook-ceph-config         |
      | after  | create Deployment rook-ceph/rook-ceph-mon-d         |
      | before | ceph mon remove b                                   |
      | after  | ceph mon remove b                                   |
      | after  | delete Deployment rook-ceph/rook-ceph-mon-b         |
      | after  | delete Service rook-ceph/rook-ceph-mon-b            |

  @B04
  Scenario: a mon that is in quorum and that nobody has recorded is taken in again
    Given the operator is stopped
    And a person edits the ConfigMap "rook-ceph-mon-endpoints" and turns ",c=[^,]*" into "" under "data"
    And the node "n2" loses its power
    And 1m pass
    When the operator starts
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 1m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,c=<ip>:6789,d=<ip>:6789
      """

  @B04
  Scenario: a mon in Ceph's monmap that is nobody's is taken out
    When the admin runs `ceph mon add x 10.99.99.99:6789`
    And 9m pass
    Then `ceph mon dump` answers
      """yaml
      mons: [{name: a}, {name: b}, {name: c}, {name: x}]
      """
    And within 3m `ceph mon dump` answers
      """yaml
      mons: [{name: a}, {name: b}, {name: c}]
      """
    And within 1m an Event "ForeignMonRemoved" says "mon x"

  @B04
  Scenario: the dead mon comes back before the new one has joined
    Given a webhook takes the mount "/var/lib/ceph/mon/ceph-d" away from pods labelled "mon=d"
    When the node "n2" loses its power
    Then within 15m there is a Deployment "rook-ceph-mon-d"
    When the node "n2" comes back
    Then within 15m there is no Deployment "rook-ceph-mon-d"
    And the mons "a", "b" and "c" form a quorum
    And within 1m the ConfigMap "rook-ceph-mon-endpoints" has under "maxMonId"
      """
      3
      """

  @B04
  Scenario: a mon that a person has removed from Ceph is replaced
    When the admin runs `ceph mon remove b`
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"
