Feature: a cluster's identity is made once and never again
  S64-S85: override ConfigMap, fsid and keys, the operator's own configuration,
  and what is recorded of the mons.

  Background:
    Given nodes "master-node"

  @S64 @S65
  Scenario: the override ConfigMap
    When the CephCluster "rook-ceph" is applied
    Then within 2m the ConfigMap "rook-config-override" holds
      """yaml
      data: {<only>: true, config: ""}
      """
    And the ConfigMap "rook-config-override" is owned by the CephCluster "rook-ceph"

  @S66
  Scenario: what a user wrote into the override ConfigMap stays
    Given the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-config-override, namespace: rook-ceph}
      data:
        config: |
          [global]
          osd crush update on start = false
      """
    And the CephCluster "rook-ceph" is applied
    When the operator starts
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the ConfigMap "rook-config-override" has under "config"
      """
      [global]
      osd crush update on start = false
      """

  @S69 @S70 @S71 @S72 @S73
  Scenario: keys are made by ceph-authtool
    When the CephCluster "rook-ceph" is applied
    Then within 2m there is a Secret "rook-ceph-mon"
    And the operator ran
      """
      ceph-authtool --create-keyring /var/lib/rook/rook-ceph/mon.keyring --gen-key -n mon. --cap mon 'allow *'
      ceph-authtool --create-keyring /var/lib/rook/rook-ceph/client.admin.keyring --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' --cap mds 'allow *'
      """
    And the Secret "rook-ceph-mon" is owned by the CephCluster "rook-ceph"
    And the Secret "rook-ceph-mon" holds
      """yaml
      type: kubernetes.io/rook
      data: {<only>: true, cluster-name: <any>, fsid: <any>, mon-secret: <any>, admin-secret: <any>}
      """
    And the Secret "rook-ceph-mon" has under "cluster-name"
      """
      rook-ceph
      """
    And the Secret "rook-ceph-mon" has under "fsid"
      """
      <uuid>
      """

  @S69 @S72 @S73
  Scenario: the keys are whole
    When the CephCluster "rook-ceph" is applied
    Then within 2m the Secret "rook-ceph-mon" has under "mon-secret"
      """
      <key>
      """
    And the Secret "rook-ceph-mon" has under "admin-secret"
      """
      <key>
      """

  @S67
  Scenario: a secret that cannot be read is not one that is missing
    Given the API server refuses the operator to get a Secret 3 times
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. <any>failed to get mon secrets. <any>"
    And the operator ran "ceph-authtool" 0 times
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S69
  Scenario: an identity that cannot be stored is an error
    Given the API server refuses the operator to create a Secret 2 times
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. failed to get cluster info. failed to create mon secrets. <any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same

  @S72
  Scenario: a keyring without a key is reported
    Given the operator's "ceph-authtool" answers
      """
      creating /var/lib/rook/rook-ceph/mon.keyring
      """
    And the operator has the file "/var/lib/rook/rook-ceph/mon.keyring"
      """
      [mon.]
      """
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. <any>failed to create mon secrets. failed to parse secret: <any>"
    And there is no Secret "rook-ceph-mon"

  @S69 @S72
  Scenario: a keyring tool that fails is reported
    Given the operator's "ceph-authtool" fails with exit code 1 and "error writing keyring"
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. <any>failed to create mon secrets. <any>failed to gen secret<any>"
    And there is no Secret "rook-ceph-mon"

  @S68 @S69 @B14
  Scenario: a lost secret of a living cluster is never replaced by a new identity
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the operator is stopped
    And the Secret "rook-ceph-mon" is deleted
    And the operator starts
    Then within 2m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      not expected to create new cluster info and did not find existing secret
      rook-ceph-mon
      """
    And there is no Secret "rook-ceph-mon"

  @S73 @S74
  Scenario: a restarted operator loads the identity and runs no tool
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the operator is restarted
    And 1m pass
    Then the operator logs debug "found existing monitor secrets for cluster rook-ceph"
    And the operator ran "ceph-authtool" 2 times
    And the mon "a" forms a quorum

  @S74
  Scenario: records of the mons that do not read are logged, and what they lack is found again
    Given nodes "node-2" and "node-3"
    And the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the ConfigMap "rook-ceph-mon-endpoints" is changed with
      """yaml
      data: {maxMonId: "-1", mapping: "{"}
      """
    And the operator is restarted
    Then within 1m the operator logs error "configmap rook-ceph-mon-endpoints of namespace rook-ceph: mapping is not JSON of the expected form: <any>"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 5m the mons "a", "b" and "c" form a quorum

  @S75 @S76 @S77 @S79
  Scenario: the operator's configuration, byte for byte
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}, mon: {count: 1}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the file "/var/lib/rook/rook-ceph/rook-ceph.config" of the operator is
      """
      [global]
      fsid                      = <uuid>
      run dir                   = /var/lib/rook/rook-ceph
      mon initial members       = a
      mon host                  = v1:<ip>:6789
      log file                  = /dev/stderr
      mon cluster log file      = /dev/stderr
      mon keyvaluedb            = rocksdb
      mon_allow_pool_delete     = true
      mon_max_pg_per_osd        = 1000
      debug default             = 0
      debug rados               = 0
      debug mon                 = 0
      debug osd                 = 0
      debug bluestore           = 0
      debug filestore           = 0
      debug journal             = 0
      debug leveldb             = 0
      filestore_omap_backend    = rocksdb
      osd pg bits               = 11
      osd pgp bits              = 11
      osd pool default size     = 1
      osd pool default min size = 1
      osd pool default pg num   = 100
      osd pool default pgp num  = 100
      rbd_default_features      = 3
      fatal signal handlers     = false

      [client.admin]
      keyring = /var/lib/rook/rook-ceph/client.admin.keyring
      """
    And the file "/var/lib/rook/rook-ceph/client.admin.keyring" of the operator is
      """
      [client.admin]
      	key = <key>
      	auid = 0
      	caps mds = "allow *"
      	caps mon = "allow *"
      	caps osd = "allow *"
      	caps mgr = "allow *"
      """

  @S78 @S79
  Scenario: the operator's configuration follows the mons, the log level and the release
    Given nodes "node-2" and "node-3"
    And the operator runs with ROOK_LOG_LEVEL=DEBUG
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.1-20190430"}, mon: {count: 1}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {mon: {count: 3}}
      """
    Then within 5m the mons "a", "b" and "c" form a quorum
    And the file "/var/lib/rook/rook-ceph/rook-ceph.config" of the operator is
      """
      [global]
      fsid                      = <uuid>
      run dir                   = /var/lib/rook/rook-ceph
      mon initial members       = a b c
      mon host                  = v1:<ip>:6789,v1:<ip>:6789,v1:<ip>:6789
      mon keyvaluedb            = rocksdb
      mon_allow_pool_delete     = true
      mon_max_pg_per_osd        = 1000
      debug default             = 10
      debug rados               = 10
      debug mon                 = 10
      debug osd                 = 10
      debug bluestore           = 10
      debug filestore           = 10
      debug journal             = 10
      debug leveldb             = 10
      filestore_omap_backend    = rocksdb
      osd pg bits               = 11
      osd pgp bits              = 11
      osd pool default size     = 1
      osd pool default min size = 1
      osd pool default pg num   = 100
      osd pool default pgp num  = 100
      rbd_default_features      = 3
      fatal signal handlers     = false

      [client.admin]
      keyring = /var/lib/rook/rook-ceph/client.admin.keyring
      """

  @S78
  Scenario Outline: Ceph's debug levels at the operator's level <level>
    Given the operator runs with ROOK_LOG_LEVEL=<level>
    When the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the ConfigMap "rook-ceph-config" holds
      """yaml
      data: {ceph.conf: "<any>debug default  <any>= <debug>\ndebug rados<any>"}
      """

    Examples:
      | level   | debug |
      | WARNING | -1    |
      | INFO    | 0     |
      | DEBUG   | 10    |
      | TRACE   | 100   |

  @S78
  Scenario: settings of a user that do not read are left out, with a warning
    Given the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-config-override, namespace: rook-ceph}
      data: {config: "osd max backfills = 2"}
      """
    And the CephCluster "rook-ceph" is applied
    When the operator starts
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator logs warning "the settings in configmap rook-config-override of namespace rook-ceph are left out: line 1: <any>"
    And an Event "OverrideIgnored" says "stands before any section"

  @S78
  Scenario: bare commands and the operator's own see a user's settings
    Given the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-config-override, namespace: rook-ceph}
      data: {config: "[client.admin]\nrados osd op timeout = 7"}
      """
    And the CephCluster "rook-ceph" is applied
    When the operator starts
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the file "/var/lib/rook/rook-ceph/rook-ceph.config" of the operator is
      """
      <any>
      [client.admin]
      keyring              = /var/lib/rook/rook-ceph/client.admin.keyring
      rados osd op timeout = 7
      """

  @S75
  Scenario: bare ceph commands find the same configuration
    When the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the files "/var/lib/rook/rook-ceph/rook-ceph.config" and "/etc/ceph/ceph.conf" of the operator are the same

  @S78 @S82
  Scenario: daemons get the configuration with the user's settings in it
    Given the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-config-override, namespace: rook-ceph}
      data:
        config: |
          [global]
          osd_pool_default_size = 3
          [osd]
          osd max backfills = 2
      """
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v16.2.15"}, mon: {count: 1}}
      """
    When the operator starts
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the Secret "rook-ceph-config" has under "mon_initial_members"
      """
      a
      """
    And the Secret "rook-ceph-config" has under "mon_host"
      """
      v1:<ip>:6789
      """
    And the ConfigMap "rook-ceph-config" holds
      """yaml
      data: {ceph.conf: "<any>size<any>= 3<any>[osd]<any>osd max backfills<any>= 2<any>"}
      """

  @S80 @S82
  Scenario: what is recorded of three mons
    Given nodes "node-2" and "node-3"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 3}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789,b=<ip>:6789,c=<ip>:6789
      """
    And the ConfigMap "rook-ceph-mon-endpoints" has under "maxMonId"
      """
      2
      """
    And the Secret "rook-ceph-config" has under "mon_host"
      """
      <ip>:6789,<ip>:6789,<ip>:6789
      """
    And the Secret "rook-ceph-config" has under "mon_initial_members"
      """
      a,b,c
      """

  @S80 @S81 @S92 @S114
  Scenario: what is recorded of the mons
    Given these nodes
      | name   | hostname | address        |
      | node-x | host-x   | 192.168.72.106 |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        placement: {mon: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [host-x]}]}]}}}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=<ip>:6789
      """
    And the ConfigMap "rook-ceph-mon-endpoints" has under "maxMonId"
      """
      0
      """
    And the ConfigMap "rook-ceph-mon-endpoints" has under "mapping"
      """
      {"node":{"a":{"Name":"node-x","Hostname":"host-x","Address":"192.168.72.106"}},"port":{}}
      """

  @S81
  Scenario: endpoints that cannot be saved are an error
    Given the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-config-override, namespace: rook-ceph}
      data: {config: ""}
      """
    And the API server refuses the operator to create a ConfigMap 3 times
    And the CephCluster "rook-ceph" is applied
    When the operator starts
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. failed to save mons. <any>"
    And there is no Secret "rook-ceph-mons-keyring"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S81
  Scenario: that there are no mons yet is recorded too, and corrected with the first
    Given the API server refuses the operator to create a Service 20 times
    When the CephCluster "rook-ceph" is applied
    Then within 1m the ConfigMap "rook-ceph-mon-endpoints" holds
      """yaml
      data: {<only>: true, data: "", maxMonId: "-1", mapping: '{"node":{},"port":{}}'}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the ConfigMap "rook-ceph-mon-endpoints" has under "maxMonId"
      """
      0
      """

  @S83 @S84
  Scenario: the keyrings that daemons share
    When the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then the Secret "rook-ceph-mons-keyring" holds
      """yaml
      type: kubernetes.io/rook
      """
    And the Secret "rook-ceph-mons-keyring" has under "keyring"
      """
      [mon.]
      	key = <key>
      	caps mon = "allow *"

      [client.admin]
      	key = <key>
      	auid = 0
      	caps mds = "allow *"
      	caps mon = "allow *"
      	caps osd = "allow *"
      	caps mgr = "allow *"
      """
    And the Secret "rook-ceph-admin-keyring" has under "keyring"
      """
      [client.admin]
      	key = <key>
      	auid = 0
      	caps mds = "allow *"
      	caps mon = "allow *"
      	caps osd = "allow *"
      	caps mgr = "allow *"
      """

  @S83 @S84
  Scenario Outline: a keyring that somebody changed is put right
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    When the Secret "<secret>" is changed with
      """yaml
      stringData: {keyring: "nothing"}
      """
    And the operator is restarted
    Then within 1m the Secret "<secret>" has under "keyring"
      """
      <any>[client.admin]
      	key = <key>
      	auid = 0
      <any>
      """

    Examples:
      | secret                  |
      | rook-ceph-mons-keyring  |
      | rook-ceph-admin-keyring |

  @S83 @S84
  Scenario Outline: a keyring that cannot be stored in <secret> is an error, and tried again
    Given the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator is stopped
    And the Secret "<secret>" is deleted
    And the API server refuses the operator to create a Secret 2 times
    When the operator starts
    Then within 1m the operator logs error "failed to update cluster in namespace rook-ceph. <any><words><any>"
    And within 1m there is a Secret "<secret>"

    Examples:
      | secret                  | words                             |
      | rook-ceph-mons-keyring  | failed to save mon keyring secret. |
      | rook-ceph-admin-keyring | failed to save admin keyring secret. |

  @S85
  Scenario: an identity that cannot be had ends the pass before anything uses it
    Given the API server refuses the operator to get a Secret 50 times
    When the CephCluster "rook-ceph" is applied
    And 20s pass
    Then the operator logs error "failed to create cluster in namespace rook-ceph. failed to get cluster info. <any>"
    And there is no ConfigMap "rook-ceph-mon-endpoints"

  @S85
  Scenario: identity, mons, keyrings: what is made first
    When the CephCluster "rook-ceph" is applied
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator created in this order
      | kind      | name                     |
      | Job       | rook-ceph-detect-version |
      | Secret    | rook-ceph-mon            |
      | ConfigMap | rook-ceph-mon-endpoints  |
      | Secret    | rook-ceph-mons-keyring   |
      | Secret    | rook-ceph-admin-keyring  |

  @S70 @S117
  Scenario: no key is ever logged or shown in a command line
    When the CephCluster "rook-ceph" is applied
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    Then no log line, command line, event or status of the operator shows a key
