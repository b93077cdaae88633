Feature: msgr2 is turned on when every mon can, and the first crush map is set once
  S100-S107 with what was settled (13, 24).

  @S100 @S101 @S102
  Scenario: all mons are nautilus
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran
      """
      ceph mon_status --connect-timeout=15 <any>
      ceph version --connect-timeout=15 <any>
      ceph versions --connect-timeout=15 <any>
      ceph mon enable-msgr2
      ceph mgr module ls --connect-timeout=15 <any>
      """
    And the operator ran "mon enable-msgr2" 1 time
    And the operator logs info "successfully enabled msgr2 protocol"
    And `ceph mon dump` answers
      """yaml
      mons: [{name: a, public_addrs: {addrvec: [{type: v2, addr: "<ip>:3300"}, {type: v1, addr: "<ip>:6789"}]}}]
      """

  @S100
  Scenario: before nautilus nothing is asked
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran "enable-msgr2" 0 times

  @S100
  Scenario: not while mons are of two versions
    Given a node "n1"
    And the operator's "ceph versions" answers
      """
      {"mon": {"ceph version 13.2.3 (9bf3c8b1a04b0aa4a3cc78456a508f1c48e70279) mimic (stable)": 1, "ceph version 14.2.0 (3a54b2b6d167d4a2a19e003a705696d4fe619afc) nautilus (stable)": 2}, "mgr": {}, "osd": {}, "mds": {}, "overall": {"ceph version 14.2.0 (3a54b2b6d167d4a2a19e003a705696d4fe619afc) nautilus (stable)": 2}}
      """
    When the CephCluster "rook-ceph" is applied
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran "enable-msgr2" 0 times
    And the condition "Msgr2Enabled" of the CephCluster "rook-ceph" says
      """
      the mons run 2 versions
      """
    When the operator's "ceph versions" works again
    Then within 2m the condition "Msgr2Enabled" of the CephCluster "rook-ceph" is "True"

  @S100
  Scenario: not while the mons still run an older release than the image
    Given a node "n1"
    And the operator's "ceph version --connect" answers
      """
      {"version": "ceph version 13.2.3 (9bf3c8b1a04b0aa4a3cc78456a508f1c48e70279) mimic (stable)"}
      """
    When the CephCluster "rook-ceph" is applied
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran "enable-msgr2" 0 times
    And the operator ran "ceph versions" 0 times
    When the operator's "ceph version --connect" works again
    Then within 2m the condition "Msgr2Enabled" of the CephCluster "rook-ceph" is "True"

  @S101 @S102
  Scenario: a failure is told, orchestration goes on, and it is tried again
    Given a node "n1"
    And the operator's "enable-msgr2" fails with exit code 22 and "Error EINVAL: no"
    When the CephCluster "rook-ceph" is applied
    Then within 5m there is a Deployment "rook-ceph-mgr-a"
    And within 5m the condition "Msgr2Enabled" of the CephCluster "rook-ceph" is "False"
    And the operator logs error "failed to enable msgr2 protocol: <any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When 10m pass
    And the operator's "enable-msgr2" works again
    Then within 2m the condition "Msgr2Enabled" of the CephCluster "rook-ceph" is "True"

  @S100
  Scenario Outline: versions that cannot be asked by `<command>`
    Given a node "n1"
    And the operator's "<command>" fails with exit code 1 and "timed out"
    When the CephCluster "rook-ceph" is applied
    And 3m pass
    Then the operator ran "enable-msgr2" 0 times
    And the operator logs error "<any><words><any>"

    Examples:
      | command       | words                               |
      | ceph version  | failed to get ceph mon version.     |
      | ceph versions | failed to get ceph daemons versions. |

  @S103 @S104 @S105 @S106 @S107
  Scenario: mimic gets the first map, in three commands, once
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator ran
      """
      ceph osd crush tunables firefly --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format plain --out-file <tmp>
      crushtool -c <tmp> -o <tmp>
      ceph osd setcrushmap -i <tmp> --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format json --out-file <tmp>
      """
    And the ConfigMap "rook-crush-config" holds
      """yaml
      data: {<only>: true, initialCrushMapCreated: "1"}
      """
    And the ConfigMap "rook-crush-config" is owned by the CephCluster "rook-ceph"
    And `ceph osd crush dump` answers
      """yaml
      types: [{type_id: 0, name: osd}, {type_id: 1, name: host}, {type_id: 2, name: chassis}, {type_id: 3, name: rack}, {type_id: 4, name: row}, {type_id: 5, name: pdu}, {type_id: 6, name: pod}, {type_id: 7, name: room}, {type_id: 8, name: datacenter}, {type_id: 9, name: region}, {type_id: 10, name: root}]
      buckets: [{id: -1, name: default, type_name: root, alg: straw, hash: rjenkins1, items: []}]
      rules: [{rule_id: 0, rule_name: replicated_ruleset, type: 1, min_size: 1, max_size: 10, steps: [{op: take, item_name: default}, {op: chooseleaf_firstn, num: 0, type: host}, {op: emit}]}]
      tunables: {profile: firefly, choose_total_tries: 50, chooseleaf_descend_once: 1, chooseleaf_vary_r: 1, chooseleaf_stable: 0, straw_calc_version: 1}
      """

  @S106 @S107
  Scenario: temporary files go, and a restart does not set the map again
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the operator has no file in "/tmp"
    When the operator is restarted
    And 5m pass
    Then the operator ran "osd setcrushmap" 1 time

  @S103 @B29
  Scenario: from nautilus on Ceph's own map stays
    Given a node "n1" with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"
    And the operator ran "crush tunables" 0 times
    And the operator ran "setcrushmap" 0 times

  @S108 @S109
  Scenario: what Ceph says of its quorum
    Given nodes "n1", "n2" and "n3"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    Then `ceph quorum_status` answers
      """yaml
      election_epoch: <n>
      quorum: [0, 1, 2]
      quorum_names: [a, b, c]
      quorum_leader_name: a
      quorum_age: <n>
      monmap:
        epoch: <n>
        fsid: <uuid>
        min_mon_release: 14
        min_mon_release_name: nautilus
        features: {persistent: [kraken, luminous, mimic, osdmap-prune, nautilus], optional: []}
        mons:
        - {rank: 0, name: a, addr: "<ip>:6789/0", public_addr: "<ip>:6789/0", public_addrs: {addrvec: [{type: v2, addr: "<ip>:3300", nonce: 0}, {type: v1, addr: "<ip>:6789", nonce: 0}]}}
        - {rank: 1, name: b}
        - {rank: 2, name: c}
      """

  @S109
  Scenario: when the leader is lost the others elect a new one
    Given nodes "n1", "n2" and "n3"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3}}
      """
    And within 10m the CephCluster "rook-ceph" is in state "Created"
    When the operator is stopped
    And the Deployment "rook-ceph-mon-a" is deleted
    Then within 1m `ceph quorum_status` answers
      """yaml
      quorum: [1, 2]
      quorum_names: [b, c]
      quorum_leader_name: b
      """
    When the Deployment "rook-ceph-mon-b" is deleted
    Then within 2m `ceph quorum_status` fails

  @S110
  Scenario: a mon's fsid is that of its arguments
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same
