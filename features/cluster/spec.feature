Feature: what a CephCluster's spec means
  S1-S17: the resource as a person writes it.

  @S4
  Scenario Outline: the data directory <path> is no usable host path
    Given a node "n1"
    When applying the CephCluster "rook-ceph" is refused with "spec.dataDirHostPath" by
      """yaml
      spec: {dataDirHostPath: <path>}
      """
    Then there is no CephCluster "rook-ceph"

    Examples:
      | path             |
      | ""               |
      | "/"              |
      | "var/lib/rook"   |
      | null             |

  @S4
  Scenario: what persists lies under the data directory of the spec
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {dataDirHostPath: /data/rook, mon: {count: 1}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            volumes:
            - name: rook-ceph-config
            - name: rook-ceph-mons-keyring
            - {name: rook-ceph-log, hostPath: {path: /data/rook/rook-ceph/log}}
            - {name: ceph-daemon-data, hostPath: {path: /data/rook/mon-a/data}}
      """

  @S2
  Scenario: all daemons run from the one image
    Given a node "n1" with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.9"}, mon: {count: 1}, rbdMirroring: {workers: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec: {template: {spec: {initContainers: [{image: "ceph/ceph:v14.2.9"}], containers: [{image: "ceph/ceph:v14.2.9"}]}}}
      """
    And the Deployment "rook-ceph-mgr-a" holds
      """yaml
      spec: {template: {spec: {initContainers: null, containers: [{image: "ceph/ceph:v14.2.9"}]}}}
      """
    And the Deployment "rook-ceph-osd-0" holds
      """yaml
      spec: {template: {spec: {initContainers: [{image: "ceph/ceph:v14.2.9"}], containers: [{image: "ceph/ceph:v14.2.9"}]}}}
      """
    And the Deployment "rook-ceph-rbd-mirror-a" holds
      """yaml
      spec: {template: {spec: {initContainers: null, containers: [{image: "ceph/ceph:v14.2.9"}]}}}
      """

  @S5 @S17
  Scenario: the number of mons is a number
    Given a node "n1"
    When applying the CephCluster "rook-ceph" is refused with "spec.mon.count" by
      """yaml
      spec: {mon: {count: three}}
      """
    Then there is no CephCluster "rook-ceph"

  @S5
  Scenario: several mons may share a node where that is allowed
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 3, allowMultiplePerNode: true}}
      """
    Then within 5m the mons "a", "b" and "c" form a quorum

  @S6 @S10
  Scenario: the dashboard is served as the spec says
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        dashboard: {enabled: true, urlPrefix: /ceph-dashboard, port: 7443, ssl: true}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Service "rook-ceph-mgr-dashboard" holds
      """yaml
      spec: {ports: [{name: https-dashboard, port: 7443, targetPort: 7443, protocol: TCP}]}
      """
    And `ceph config get mgr mgr/dashboard/url_prefix` prints
      """
      /ceph-dashboard
      """
    And `ceph config get mgr mgr/dashboard/server_port` prints
      """
      7443
      """
    And there is a Secret "rook-ceph-dashboard-password"

  @S6
  Scenario Outline: the dashboard's port and protocol
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, dashboard: {enabled: true, <settings>}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Service "rook-ceph-mgr-dashboard" holds
      """yaml
      spec: {ports: [{name: <name>, port: <port>, targetPort: <port>, protocol: TCP}]}
      """
    And `ceph config get mgr mgr/dashboard/ssl` prints
      """
      <ssl>
      """
    And `ceph config get mgr mgr/dashboard/server_port` prints
      """
      <port>
      """

    Examples:
      | settings               | name            | port | ssl   |
      | urlPrefix: /a          | https-dashboard | 8443 | true  |
      | ssl: true              | https-dashboard | 8443 | true  |
      | ssl: false             | http-dashboard  | 7000 | false |
      | ssl: false, port: 8080 | http-dashboard  | 8080 | false |

  @S6
  Scenario: a dashboard that is turned off goes
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, dashboard: {enabled: true}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And `ceph mgr module ls` answers
      """yaml
      enabled_modules: [dashboard, iostat, prometheus, restful]
      """
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {dashboard: {enabled: false}}
      """
    Then within 1m there is no Service "rook-ceph-mgr-dashboard"
    And within 1m `ceph mgr module ls` answers
      """yaml
      enabled_modules: [iostat, prometheus, restful]
      """

  @S6
  Scenario: a dashboard that is off has no service
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, dashboard: {}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there is no Service "rook-ceph-mgr-dashboard"
    And there is a Service "rook-ceph-mgr"

  @S7 @S90 @S115
  Scenario: mons on the host's network listen at the host's address
    Given these nodes
      | name | address       |
      | n1   | 192.168.72.11 |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1, allowMultiplePerNode: false}, network: {hostNetwork: true}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the operator logs info "setting mon endpoints for hostnetwork mode"
    And the ConfigMap "rook-ceph-mon-endpoints" has under "data"
      """
      a=192.168.72.11:6789
      """
    And the pod labelled "mon=a" holds
      """yaml
      spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet}
      status: {podIP: 192.168.72.11}
      """
    And there is no Service "rook-ceph-mon-a"
    And the pod labelled "app=rook-ceph-mgr" holds
      """yaml
      spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet}
      """

  @S8
  Scenario: as many rbd-mirror daemons as the spec says
    Given a node "n1"
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, rbdMirroring: {workers: 2}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And there are 2 Deployments labelled "app=rook-ceph-rbd-mirror"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {rbdMirroring: {workers: 0}}
      """
    Then within 5m there are 0 Deployments labelled "app=rook-ceph-rbd-mirror"

  @S9 @S113
  Scenario: placement keeps daemons to the nodes that it names
    Given these nodes
      | name | labels            | taints                    | disks      |
      | n1   | role=storage-node | storage-node=true:NoSchedule | sdb 100Gi |
      | n2   |                   |                           | sdb 100Gi  |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage: {useAllNodes: true, useAllDevices: true}
        placement:
          all:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions: [{key: role, operator: In, values: [storage-node]}]
            tolerations: [{key: storage-node, operator: Exists}]
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the pod labelled "app=rook-ceph-mon" holds
      """yaml
      spec: {nodeName: n1}
      """
    And the pod labelled "app=rook-ceph-mgr" holds
      """yaml
      spec: {nodeName: n1}
      """
    And there is 1 Deployment labelled "app=rook-ceph-osd"
    And there is no Job "rook-ceph-osd-prepare-n2"

  @S9
  Scenario: each daemon's own placement stands over the one for all
    Given a node "n1" with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage: {useAllNodes: true, useAllDevices: true}
        placement:
          all:
            podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: all, labelSelector: {}}}]}
            tolerations: [{key: all, operator: Exists}]
          mon: {tolerations: [{key: mon, operator: Exists}]}
          mgr:
            nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: mgr, operator: Exists}]}}]}
            tolerations: [{key: mgr, operator: Exists}]
          osd:
            podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: osd, labelSelector: {}}}]}
            podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: anti, labelSelector: {}}}]}
            tolerations: [{key: osd, operator: Exists}]
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec: {template: {spec: {tolerations: [{key: all, operator: Exists}, {key: mon, operator: Exists}]}}}
      """
    And the Deployment "rook-ceph-mgr-a" holds
      """yaml
      spec:
        template:
          spec:
            affinity:
              nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{preference: {matchExpressions: [{key: mgr}]}}]}
              podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{podAffinityTerm: {topologyKey: all}}]}
              podAntiAffinity: null
            tolerations: [{key: all, operator: Exists}, {key: mgr, operator: Exists}]
      """
    And the Deployment "rook-ceph-osd-0" holds
      """yaml
      spec:
        template:
          spec:
            affinity:
              nodeAffinity: null
              podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{podAffinityTerm: {topologyKey: osd}}]}
              podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{podAffinityTerm: {topologyKey: anti}}]}
            tolerations: [{key: all, operator: Exists}, {key: osd, operator: Exists}]
      """

  @S9
  Scenario: OSDs come to the nodes that their own placement names
    Given these nodes
      | name | labels    | disks     |
      | n1   | role=mon  | sdb 100Gi |
      | n2   | role=osd  | sdb 100Gi |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage: {useAllNodes: true, useAllDevices: true}
        placement:
          mon: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: role, operator: In, values: [mon]}]}]}}}
          osd: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: role, operator: In, values: [osd]}]}]}}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the pod labelled "app=rook-ceph-mon" holds
      """yaml
      spec: {nodeName: n1}
      """
    And the pod labelled "app=rook-ceph-osd" holds
      """yaml
      spec: {nodeName: n2}
      """

  @S10 @S112
  Scenario: the mgr is scraped by Prometheus unless it has annotations of its own
    Given a node "n1" with disks "sdb" of 100Gi
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"
    And the Deployment "rook-ceph-mgr-a" holds
      """yaml
      spec: {template: {metadata: {annotations: {prometheus.io/scrape: "true", prometheus.io/port: "9283"}}}}
      """
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {annotations: {all: {team: storage, note: all}, mgr: {owner: me}, mon: {note: m}, osd: {kind: o}}}
      """
    Then within 5m the Deployment "rook-ceph-mgr-a" holds
      """yaml
      spec: {template: {metadata: {annotations: {owner: me, team: storage, prometheus.io/scrape: null}}}}
      """
    And within 5m the Deployment "rook-ceph-mon-a" holds
      """yaml
      metadata: {annotations: {note: m, team: storage}}
      spec: {template: {metadata: {annotations: {note: m, team: storage}}}}
      """
    And within 5m the Deployment "rook-ceph-osd-0" holds
      """yaml
      metadata: {annotations: {note: all, kind: o, team: storage}}
      spec: {template: {metadata: {annotations: {note: all, kind: o, team: storage}}}}
      """

  @S11 @S130
  Scenario: resources of mgr, mon and OSD
    Given a node "n1" with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage: {useAllNodes: true, useAllDevices: true}
        resources:
          mon: {limits: {cpu: 500m, memory: 1024Mi}, requests: {cpu: 500m, memory: 1024Mi}}
          mgr: {limits: {memory: 512Mi}}
          osd: {requests: {cpu: 250m}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the pod labelled "mon=a" holds
      """yaml
      spec:
        containers: [{resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}}]
        initContainers: [{resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}}]
      status: {qosClass: Guaranteed}
      """
    And the Deployment "rook-ceph-mgr-a" holds
      """yaml
      spec: {template: {spec: {containers: [{resources: {limits: {memory: 512Mi}}}]}}}
      """
    And the Deployment "rook-ceph-osd-0" holds
      """yaml
      spec: {template: {spec: {containers: [{resources: {requests: {cpu: 250m}}}]}}}
      """

  @S12
  Scenario Outline: which devices become OSDs by <selection>
    Given these nodes
      | name | disks                                                                       |
      | n1   | sda 50Gi xfs mounted:/, sdb 100Gi, sdc 100Gi, nvme0n1 100Gi, sdd 100Gi ext4 |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, <selection>}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there are <count> Deployments labelled "app=rook-ceph-osd"

    Examples:
      | selection                                | count |
      | useAllDevices: true                      | 3     |
      | useAllDevices: false                     | 0     |
      | deviceFilter: "^sd."                     | 2     |
      | deviceFilter: "^nvme"                    | 1     |
      | deviceFilter: "/dev/sdb"                 | 1     |
      | deviceFilter: "/dev/sda"                 | 0     |
      | devices: [{name: sdb}]                   | 1     |
      | deviceFilter: "sd[bc]", location: "rack=r1" | 2     |

  @S12
  Scenario: all nodes are storage nodes, at the location that the spec names
    Given nodes "n1" and "n2", each with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true, location: "rack=r1"}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there is 1 Deployment labelled "app=rook-ceph-osd,rook-ceph-node=n1"
    And there is 1 Deployment labelled "app=rook-ceph-osd,rook-ceph-node=n2"
    And `ceph osd find 0` answers
      """yaml
      crush_location: {root: default, rack: r1, host: <any>}
      """

  @S12
  Scenario: a device that was not used has its reason in the status
    Given these nodes
      | name | disks                                         |
      | n1   | sda 50Gi xfs mounted:/, sdb 100Gi, sdd 100Gi ext4 |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the status of the CephCluster "rook-ceph" holds
      """yaml
      storage:
        nodes:
        - name: n1
          unused:
          - {name: sda, reason: <any>mounted<any>}
          - {name: sdd, reason: <any>ext4<any>}
      """

  @S12
  Scenario: a device filter that is no regular expression
    Given a node "n1" with disks "sdb" of 100Gi
    When applying the CephCluster "rook-ceph" is refused with "spec.storage.deviceFilter" by
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, deviceFilter: "sd["}}
      """
    Then there is no CephCluster "rook-ceph"

  @S13 @S16
  Scenario: a device's configuration overrides its node's, and that the cluster's
    Given these nodes
      | name | disks                                 |
      | n1   | sdb 100Gi, nvme0n1 400Gi              |
      | n2   | sdb 100Gi                             |
      | n3   | sdb 100Gi                             |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        storage:
          useAllNodes: false
          config: {osdsPerDevice: "1"}
          nodes:
          - name: n1
            devices:
            - name: sdb
            - {name: nvme0n1, config: {osdsPerDevice: "4"}}
          - name: n2
            config: {osdsPerDevice: "2"}
            deviceFilter: "^sd."
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there are 5 Deployments labelled "app=rook-ceph-osd,rook-ceph-node=n1"
    And there are 2 Deployments labelled "app=rook-ceph-osd,rook-ceph-node=n2"
    And there is no Job "rook-ceph-osd-prepare-n3"

  @S13
  Scenario: databases on a device of their own, and encryption
    Given these nodes
      | name | disks                                                           |
      | n1   | sdb 100Gi rotational, sdc 100Gi rotational, nvme0n1 400Gi       |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true, config: {metadataDevice: nvme0n1, databaseSizeMB: "1024", encryptedDevice: "true"}}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there are 2 Deployments labelled "app=rook-ceph-osd"
    And the container "provision" of the pod labelled "app=rook-ceph-osd-prepare" logs "EXEC ceph-volume lvm batch --prepare --bluestore --yes --osds-per-device 1 --dmcrypt /dev/sdb /dev/sdc --db-devices /dev/nvme0n1 --block-db-size 1073741824"
    And `ceph config-key ls` prints
      """
      [
          "dm-crypt/osd/<uuid>/luks",
          "dm-crypt/osd/<uuid>/luks"
      ]
      """

  @S13
  Scenario Outline: what holds without settings
    Given a node "n1" with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true, config: <config>}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the container "provision" of the pod labelled "app=rook-ceph-osd-prepare" logs "EXEC ceph-volume lvm batch --prepare --bluestore --yes --osds-per-device 1 /dev/sdb"
    And there is 1 Deployment labelled "app=rook-ceph-osd"
    And `ceph osd metadata 0` answers
      """yaml
      osd_objectstore: bluestore
      """
    And `ceph config-key ls` prints
      """
      []
      """

    Examples:
      | config                     |
      | {}                         |
      | {storeType: bluestore}     |
      | {encryptedDevice: "false"} |

  @S13 @S14
  Scenario: the journal of a directory
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, config: {journalSizeMB: "1024"}, directories: [{path: /srv/osd}]}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the container "provision" of the pod labelled "app=rook-ceph-osd-prepare" logs "--osd-objectstore=filestore --osd-journal=/srv/osd/osd0/journal --osd-journal-size=1024"
    And the Deployment "rook-ceph-osd-0" holds
      """yaml
      spec: {template: {spec: {volumes: [{name: rook-ceph-config}, {name: rook-ceph-log}, {name: ceph-daemon-data, hostPath: {path: /srv/osd/osd0}}]}}}
      """

  @S14
  Scenario: a directory becomes a filestore OSD
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, directories: [{path: /var/lib/rook}]}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And `ceph osd metadata 0` answers
      """yaml
      osd_objectstore: filestore
      hostname: n1
      """

  @S15
  Scenario: nodes are named by their hostname label
    Given these nodes
      | name     | hostname | disks     |
      | node-one | one      | sdb 100Gi |
      | node-two | two      | sdb 100Gi |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: false, useAllDevices: true, nodes: [{name: two}]}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there are 1 Deployments labelled "app=rook-ceph-osd"
    And the pod labelled "app=rook-ceph-osd" holds
      """yaml
      spec: {nodeName: node-two}
      """

  @S15
  Scenario: named nodes do not count where all are used
    Given nodes "n1" and "n2", each with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true, nodes: [{name: n1, config: {osdsPerDevice: "2"}}]}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there is 1 Deployment labelled "app=rook-ceph-osd,rook-ceph-node=n1"
    And there is 1 Deployment labelled "app=rook-ceph-osd,rook-ceph-node=n2"

  @S16
  Scenario: a node's own directories, resources and settings
    Given these nodes
      | name | disks                |
      | n1   | sdb 100Gi, sdc 100Gi |
      | n2   | sdb 100Gi            |
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        resources: {osd: {requests: {cpu: 100m}}}
        storage:
          useAllNodes: false
          config: {osdsPerDevice: "3", journalSizeMB: "512"}
          nodes:
          - name: n1
            config: {osdsPerDevice: "2"}
            devices: [{name: sdb, config: {osdsPerDevice: "1"}}, {name: sdc}]
          - name: n2
            resources: {requests: {cpu: 700m}}
            directories: [{path: /srv/osd}, {path: /srv/big, config: {journalSizeMB: "2048"}}]
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And there are 3 Deployments labelled "app=rook-ceph-osd,rook-ceph-node=n1"
    And there are 2 Deployments labelled "app=rook-ceph-osd,rook-ceph-node=n2"
    And the container "provision" of the pod labelled "job=rook-ceph-osd-prepare-n2" logs "--osd-journal-size=512"
    And the container "provision" of the pod labelled "job=rook-ceph-osd-prepare-n2" logs "--osd-journal-size=2048"
    And the pods labelled "app=rook-ceph-osd,rook-ceph-node=n1" each hold
      """yaml
      spec: {containers: [{resources: {requests: {cpu: 100m}}}]}
      """
    And the pods labelled "app=rook-ceph-osd,rook-ceph-node=n2" each hold
      """yaml
      spec: {containers: [{resources: {requests: {cpu: 700m}}}]}
      """

  @S15
  Scenario: a storage node that does not exist is named
    Given a node "n1" with disks "sdb" of 100Gi
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, storage: {useAllNodes: false, useAllDevices: true, nodes: [{name: n1}, {name: n9}]}}
      """
    Then within 5m the condition "OSDsReady" of the CephCluster "rook-ceph" is "False"
    And the condition "OSDsReady" of the CephCluster "rook-ceph" says
      """
      n9
      """
    And within 5m there is a Deployment "rook-ceph-osd-0"

  @S14 @S16
  Scenario: the seed's first sample, where a node stands among the directories
    Given nodes "master-node"
    When applying the file "prod/api/v1/testdata/seed/first.yaml" is refused with "spec.storage.directories[1].path"
    Then there is no CephCluster "rook-ceph"

  @S1 @S5 @S17
  Scenario: empty sub-objects come back as they were written
    Given nodes "master-node" and "node1"
    When the backup "prod/api/v1/testdata/seed/second.yaml" is restored
    Then the CephCluster "rook-ceph" holds
      """yaml
      apiVersion: ceph.rook.io/v1
      kind: CephCluster
      metadata: {name: rook-ceph, namespace: rook-ceph}
      spec:
        dashboard: {}
        mon: {allowMultiplePerNode: false, count: 1, preferredCount: 0}
        storage:
          nodes:
          - {config: null, directories: [{config: null, path: /var/lib/rook}], name: master-node, resources: {}}
          - {config: null, directories: [{config: null, path: /var/lib/rook}], name: node1, resources: {}}
      """

  Scenario Outline: the public example <file> applies without edits
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    When the file "prod/api/v1/testdata/corpus/<file>" is applied
    Then within 10m the CephCluster "<cluster>" is in state "Created"

    Examples:
      | file                              | cluster              |
      | rook-v1.0.0/cluster.yaml          | rook-ceph            |
      | rook-v1.0.0/cluster-test.yaml     | rook-ceph            |
      | rook-v1.0.0/cluster-minimal.yaml  | rook-ceph            |
      | rook-v1.20.6/cluster.yaml         | rook-ceph            |
      | rook-v1.20.6/cluster-test.yaml    | rook-ceph/my-cluster |

  Scenario: fields that are kept and not served are named
    Given nodes "n1", "n2" and "n3"
    When the file "prod/api/v1/testdata/corpus/rook-v1.20.6/cluster.yaml" is applied
    Then within 5m the condition "UnservedFields" of the CephCluster "rook-ceph" is "True" because of "FieldsKept"
    And the condition "UnservedFields" of the CephCluster "rook-ceph" says
      """
      spec.crashCollector
      """

  Scenario Outline: a value that cannot be is refused by the name of <field>
    When applying the CephCluster "rook-ceph" is refused with "<field>" by
      """yaml
      spec: <spec>
      """
    Then there is no CephCluster "rook-ceph"

    Examples:
      | field                              | spec                                                  |
      | spec.network.provider              | {network: {provider: carrier-pigeon}}                 |
      | spec.rbdMirroring.workers          | {rbdMirroring: {workers: -1}}                         |
      | spec.dashboard.port                | {dashboard: {port: 70000}}                            |
      | spec.cephVersion.image             | {cephVersion: {image: ""}}                            |
      | spec.storage.useAllNodes           | {storage: {useAllNodes: "yes please"}}                |
      | spec.storage.nodes[0].name         | {storage: {nodes: [{devices: [{name: sdb}]}]}}        |
      | spec.storage.config                | {storage: {config: {osdsPerDevice: many}}}            |

  Scenario: an image without a tag runs, with a warning
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: ceph/ceph}, mon: {count: 1}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
    And the condition "SpecAdjusted" of the CephCluster "rook-ceph" says
      """
      ceph/ceph has no tag
      """

  Scenario Outline: input that is no CephCluster is refused: <words>
    When applying this is refused with "<words>"
      """
      <document>
      """
    Then there is no CephCluster "rook-ceph"

    Examples:
      | words                            | document                                              |
      | error converting YAML to JSON    | apiVersion: ceph.rook.io/v1\nkind: "CephCluster\nspec: |
      | no matches for kind              | {apiVersion: ceph.rook.io/v7, kind: CephCluster, metadata: {name: rook-ceph, namespace: rook-ceph}} |
