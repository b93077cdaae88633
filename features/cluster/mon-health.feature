Feature: the mons are looked after
  S53: every 45 s the mons are asked who is in quorum. One that is out for ten
  minutes is replaced by another with a new id on another node; mons that are too
  many are removed one by one. Since when a mon is out stands in the CephCluster's
  status, so that a restarted operator goes on where the last one was.

  Background:
    Given nodes "n1", "n2", "n3" and "n4"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: false}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"

  @S53 @B04
  Scenario: a mon that is out of quorum for ten minutes is replaced
    When the node "n2" loses its power
    Then within 2m the condition "MonFailover" of the CephCluster "rook-ceph" is "True" because of "OutOfQuorum"
    When 8m pass
    Then there are 3 Deployments labelled "app=rook-ceph-mon"
    And within 5m the mons "a", "c" and "d" form a quorum
    And within 1m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,c=<ip>:6789,d=<ip>:6789
      """
    And within 1m there is no Deployment "rook-ceph-mon-b"
    And within 1m there is no Service "rook-ceph-mon-b"
    And within 2m the CephCluster "rook-ceph" is in state "Created"

  @S53
  Scenario: the replacement is recorded before it starts, and the dead mon goes from Ceph first
    When the node "n2" loses its power
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Service "rook-ceph-mon-b"
    And the operator wrote in this order
      | verb   | kind       | name                    |
      | create | Service    | rook-ceph-mon-d         |
      | update | ConfigMap  | rook-ceph-mon-endpoints |
      | create | Deployment | rook-ceph-mon-d         |
      | update | ConfigMap  | rook-ceph-mon-endpoints |
      | delete | Deployment | rook-ceph-mon-b         |
      | delete | Service    | rook-ceph-mon-b         |
    And the operator ran "ceph mon remove b" 1 time
    And within 1m the operator logs info "<any>removed mon b: mon b is out of quorum; its data stays in /var/lib/rook/mon-b/data on node n2 and may be deleted"

  @S53
  Scenario: what depends on the list of mons follows each change of it
    When the node "n2" loses its power
    Then within 15m the mons "a", "c" and "d" form a quorum
    And within 1m the Secret "rook-ceph-config" has under "mon_initial_members"
      """
      a,c,d
      """
    And the file "/var/lib/rook/rook-ceph/rook-ceph.config" of the operator has the line
      """
      mon initial members = a c d
      """

  @S53
  Scenario Outline: <what>, a mon is <when>
    Given the operator runs with <env>
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {healthCheck: {daemonHealth: {mon: {<spec>}}}}
      """
    And the node "n2" loses its power
    And <before> pass
    Then there are 3 Deployments labelled "app=rook-ceph-mon"
    And within <after> there are <count> Deployments labelled "app=rook-ceph-mon"

    Examples:
      | what                                 | when               | env                              | spec                           | before | after | count |
      | with a short time-out                | replaced soon      | ROOK_MON_OUT_TIMEOUT=            | timeout: 3m, interval: 10s     | 150s   | 1m    | 4     |
      | with the operator's time-out         | replaced soon      | ROOK_MON_OUT_TIMEOUT=3m          | interval: 10s                  | 150s   | 1m    | 4     |
      | with the operator's interval         | replaced soon      | ROOK_MON_HEALTHCHECK_INTERVAL=5s | timeout: 3m                    | 170s   | 40s   | 4     |
      | with a time-out in both              | replaced as spec'd | ROOK_MON_OUT_TIMEOUT=3m          | timeout: 20m                   | 19m    | 3m    | 4     |
      | with the time-out 0                  | kept               | ROOK_MON_OUT_TIMEOUT=3m          | timeout: 0s                    | 2h     | 1m    | 3     |
      | with the check disabled              | kept               | ROOK_MON_OUT_TIMEOUT=3m          | disabled: true                 | 2h     | 1m    | 3     |

  @S53
  Scenario: a mon that comes and goes is not replaced
    When the node "n2" loses its power
    And 8m pass
    And the node "n2" comes back
    Then within 2m the mons "a", "b" and "c" form a quorum
    And within 2m the condition "Ready" of the CephCluster "rook-ceph" is "True"
    When the node "n2" loses its power
    And 8m pass
    Then there are 3 Deployments labelled "app=rook-ceph-mon"

  @S53
  Scenario: since when a mon is out outlives the operator
    When the node "n2" loses its power
    And 6m pass
    And the operator is restarted
    Then within 6m there is a Deployment "rook-ceph-mon-d"

  @S53
  Scenario: the mon of a node that is gone is replaced at once
    When the node "n2" loses its power
    And the node "n2" is removed from Kubernetes
    Then within 3m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"

  @S53
  Scenario: a replaced mon that comes back does not disturb the quorum
    When the node "n2" loses its power
    Then within 15m the mons "a", "c" and "d" form a quorum
    When the mons are watched
    And the node "n2" comes back
    And 10m pass
    Then the mons "a", "c" and "d" form a quorum
    And at no time fewer than 3 mons were in quorum
    And there are 3 Deployments labelled "app=rook-ceph-mon"

  @S53
  Scenario: a mon whose node lost its power and memory comes back with an empty directory
    When the node "n2" loses its power
    And the node "n2" loses the directory "/var/lib/rook/mon-b"
    And the node "n2" comes back
    Then within 3m the mons "a", "b" and "c" form a quorum

  @S53
  Scenario: without a quorum nothing is replaced
    When the node "n2" loses its power
    And the node "n3" loses its power
    And 30m pass
    Then there are 3 Deployments labelled "app=rook-ceph-mon"
    And the operator ran "ceph mon remove" 0 times
    When the node "n3" comes back
    Then within 3m the mons "a" and "c" form a quorum

  @S53
  Scenario: after all were out, each has its time to come back
    When the node "n2" loses its power
    And 9m pass
    And the node "n3" loses its power
    And 20m pass
    And the node "n3" comes back
    And the node "n2" comes back
    Then within 5m the mons "a", "b" and "c" form a quorum
    And the operator wrote "create Deployment rook-ceph/rook-ceph-mon-d" 0 times

  @S53
  Scenario: of two mons none is replaced
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 2}}
      """
    And within 5m the mons "a" and "b" form a quorum
    And the node "n2" loses its power
    And 30m pass
    Then there are 2 Deployments labelled "app=rook-ceph-mon"

  @S53
  Scenario: mons on both sides of a cut network
    When the network between the node "n2" and the others is cut
    Then within 2m the condition "MonFailover" of the CephCluster "rook-ceph" is "True" because of "OutOfQuorum"
    And within 15m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"
    When the network between the node "n2" and the others is whole again
    And 5m pass
    Then the mons "a", "c" and "d" form a quorum

  @S53
  Scenario: the leader is lost, and a new one is elected
    When the node "n1" loses its power
    Then within 30s the mons "b" and "c" form a quorum
    And within 2m `ceph health detail` prints
      """
      <any>MON_DOWN: 1/3 mons down, quorum b,c
          mon.a (rank 0) addr <any> is down (out of quorum)
      <any>
      """

  @S53
  Scenario: a clock that is ahead is told by Ceph
    When the clock of the node "n2" is 2s ahead
    Then within 2m `ceph health detail` prints
      """
      <any>MON_CLOCK_SKEW: clock skew detected on mon.b
          mon.b clock skew 2s > max 0.05s (latency <any>)
      <any>
      """

  @S53 @B11
  Scenario: a mon whose service has got another address is replaced, and never edited
    When a person makes the Service "rook-ceph-mon-b" anew
    Then within 5m the mons "a", "c" and "d" form a quorum
    And within 1m there is no Deployment "rook-ceph-mon-b"
    And within 1m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,c=<ip>:6789,d=<ip>:6789
      """
    And an Event "MonFailover" says "but mon b is recorded at"

  @S53
  Scenario: a deleted service is made again with the recorded address
    When the Service "rook-ceph-mon-b" is deleted
    Then within 2m the mons "a", "b" and "c" form a quorum
    When 20m pass
    Then the mons "a", "b" and "c" form a quorum
    And the operator ran "ceph mon remove" 0 times

  @S53
  Scenario Outline: a list of mons that a person has spoilt (<from> becomes <to>) changes nothing
    When a person edits the ConfigMap "rook-ceph-mon-endpoints" and turns "<from>" into "<to>" under "data"
    Then within 1m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      ConfigMap rook-ceph/rook-ceph-mon-endpoints
      """
    When 20m pass
    Then the mons "a", "b" and "c" form a quorum
    And there are 3 Deployments labelled "app=rook-ceph-mon"

    Examples:
      | from           | to                |
      | b=[^,]*        | b=nowhere:6789    |
      | b=[^,]*        | b                 |
      | b=[^,]*        | b=10.0.0.1        |
      | b=[^,]*        | B=10.0.0.1:6789   |
      | ,c=[^,]*       | ,b=10.0.0.1:6789  |
      | b=[^,]*        | b=10.9.9.9:6789   |

  @S53
  Scenario: a mon that a person has taken off the list is put on it again
    When a person edits the ConfigMap "rook-ceph-mon-endpoints" and turns ",b=[^,]*" into "" under "data"
    Then within 2m the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,b=<ip>:6789,c=<ip>:6789
      """
    When 10m pass
    Then the mons "a", "b" and "c" form a quorum
    And there are 3 Deployments labelled "app=rook-ceph-mon"

  @S5 @S53
  Scenario: as many mons as are preferred, as far as there are nodes
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {preferredCount: 5}}
      """
    And 3m pass
    Then the mons "a", "b" and "c" form a quorum
    When a node "n5"
    Then within 5m the mons "a", "b", "c", "d" and "e" form a quorum
    And within 1m the status of the CephCluster "rook-ceph" holds
      """yaml
      mon: {count: 5}
      """
    When the node "n5" is cordoned
    And 20m pass
    Then the mons "a", "b", "c", "d" and "e" form a quorum

  @S53 @B02
  Scenario: of too many mons the one whose node has just gone is the first to go
    When the node "n2" is removed from Kubernetes
    And the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 1}}
      """
    Then within 10m there are 1 Deployments labelled "app=rook-ceph-mon"
    And within 2m the CephCluster "rook-ceph" is in state "Created"
    And within 1m the condition "MonsInQuorum" of the CephCluster "rook-ceph" is "True"
