Feature: a CephFilesystem is a file system of its namespace's cluster
  Its pools are made when the mons are in quorum, its metadata servers (MDS) keep
  to the wanted number and take over from each other, a new image reaches them
  after the OSDs and one by one, and nothing with files in it goes.

  Background:
    Given nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi

  Rule: what is made

    Scenario Outline: a file system on <release>
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "<image>"}, mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec:
          metadataPool: {replicated: {size: 3}}
          dataPools: [{failureDomain: host, replicated: {size: 3}}, {name: slow, replicated: {size: 2}}]
          metadataServer: {activeCount: 1}
        """
      Then within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And the operator ran
        """
        ceph osd pool create myfs-metadata 32 32 replicated myfs-metadata_host <any>
        ceph osd pool application enable myfs-metadata cephfs --yes-i-really-mean-it <any>
        ceph osd pool create myfs-data0 32 32 replicated myfs-data0_host <any>
        ceph osd pool create myfs-slow 32 32 replicated myfs-slow_host <any>
        ceph fs new myfs myfs-metadata myfs-data0 <any>
        ceph fs add_data_pool myfs myfs-slow <any>
        """
      And `ceph fs ls` answers
        """yaml
        [{name: myfs, metadata_pool: myfs-metadata, data_pools: [myfs-data0, myfs-slow]}]
        """
      And `ceph fs get myfs` answers
        """yaml
        mdsmap: {max_mds: 1, in: [0], failed: []}
        """
      And the CephFilesystem "myfs" holds
        """yaml
        metadata: {finalizers: [cephfilesystem.ceph.rook.io]}
        status: {phase: Ready, observedGeneration: 1, info: {id: "1"}}
        """
      And within 10m the CephCluster "rook-ceph" has health "HEALTH_OK"
      And the operator changes nothing for 10m

      Examples:
        | release  | image                       |
        | mimic    | ceph/ceph:v13.2.3-20190410  |
        | nautilus | ceph/ceph:v14.2.0-20190410  |
        | pacific  | quay.io/ceph/ceph:v16.2.15  |
        | tentacle | quay.io/ceph/ceph:v20.2.0   |

    Scenario: the MDS are Deployments of the cluster, each with a key of its own
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "quay.io/ceph/ceph:v16.2.15"}, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec:
          metadataPool: {replicated: {size: 3}}
          dataPools: [{replicated: {size: 3}}]
          metadataServer:
            activeCount: 1
            annotations: {example.org/a: b}
            labels: {team: files}
            priorityClassName: system-cluster-critical
            placement: {tolerations: [{key: mds-node, operator: Exists}]}
            resources: {limits: {memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}
        """
      Then within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And the Deployment "rook-ceph-mds-myfs-a" holds
        """yaml
        metadata:
          labels: {app: rook-ceph-mds, rook_cluster: rook-ceph, rook_file_system: myfs, ceph_daemon_id: myfs-a, mds: myfs-a, ceph-version: 16.2.15, rook-version: v0.1.0}
        spec:
          replicas: 1
          strategy: {type: Recreate}
          selector: {matchLabels: {app: rook-ceph-mds, rook_cluster: rook-ceph, rook_file_system: myfs, ceph_daemon_id: myfs-a, mds: myfs-a}}
          template:
            metadata: {annotations: {example.org/a: b}, labels: {team: files, mds: myfs-a}}
            spec:
              priorityClassName: system-cluster-critical
              tolerations: [{key: mds-node, operator: Exists}]
              affinity:
                podAntiAffinity:
                  preferredDuringSchedulingIgnoredDuringExecution:
                  - weight: 100
                    podAffinityTerm: {labelSelector: {matchLabels: {app: rook-ceph-mds, rook_file_system: myfs}}, topologyKey: kubernetes.io/hostname}
              containers:
              - name: mds
                image: quay.io/ceph/ceph:v16.2.15
                command: [ceph-mds]
                resources: {limits: {memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}
                securityContext: {privileged: false}
                env:
                - {name: CONTAINER_IMAGE, value: "quay.io/ceph/ceph:v16.2.15"}
                - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                - {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
                - {name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
                - {name: POD_MEMORY_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.memory}}}
                - {name: POD_MEMORY_REQUEST, valueFrom: {resourceFieldRef: {resource: requests.memory}}}
                - {name: POD_CPU_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: "1"}}}
                - {name: POD_CPU_REQUEST, valueFrom: {resourceFieldRef: {resource: requests.cpu}}}
                - {name: ROOK_CEPH_MON_HOST, valueFrom: {secretKeyRef: {name: rook-ceph-config, key: mon_host}}}
                - {name: ROOK_CEPH_MON_INITIAL_MEMBERS, valueFrom: {secretKeyRef: {name: rook-ceph-config, key: mon_initial_members}}}
                volumeMounts:
                - {name: rook-ceph-config, mountPath: /etc/ceph, readOnly: true}
                - {name: rook-ceph-mds-myfs-a-keyring, mountPath: /etc/ceph/keyring-store/, readOnly: true}
                - {name: rook-ceph-log, mountPath: /var/log/ceph}
                - {name: ceph-daemon-data, mountPath: /var/lib/ceph/mds/ceph-myfs-a}
              volumes:
              - {name: rook-ceph-config, configMap: {name: rook-ceph-config, defaultMode: 420, items: [{key: ceph.conf, path: ceph.conf, mode: 256}]}}
              - {name: rook-ceph-mds-myfs-a-keyring, secret: {secretName: rook-ceph-mds-myfs-a-keyring}}
              - {name: rook-ceph-log, hostPath: {path: /var/lib/rook/rook-ceph/log, type: ""}}
              - {name: ceph-daemon-data, emptyDir: {}}
        """
      And the container "mds" of the pod labelled "mds=myfs-a" runs
        """
        ceph-mds --fsid=<uuid> --keyring=/etc/ceph/keyring-store/keyring --log-to-stderr=true --err-to-stderr=true --mon-cluster-log-to-stderr=true --log-stderr-prefix=debug  --default-log-to-file=false --default-mon-cluster-log-to-file=false --mon-host=<any> --mon-initial-members=a --id=myfs-a --foreground --mds-join-fs=myfs --mds-cache-memory-limit=536870912
        """
      And the Secret "rook-ceph-mds-myfs-b-keyring" has under "keyring"
        """
        [mds.myfs-b]
        	key = <key>
        	caps mon = "allow profile mds"
        	caps osd = "allow *"
        	caps mds = "allow"

        """
      And the Deployment "rook-ceph-mds-myfs-a" is owned by the CephCluster "rook-ceph"
      And the pods labelled "rook_file_system=myfs" are on different nodes

    Scenario Outline: the manifest <file> is applied as it is published
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "<image>"}, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      And within 10m the CephCluster "rook-ceph" is in state "Created"
      And the resource "CephFilesystemSubVolumeGroup" of "ceph.rook.io/v1" is installed
      When the file "prod/api/v1/testdata/corpus/<file>" is applied
      Then within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And `ceph fs ls` answers
        """yaml
        [{name: myfs, metadata_pool: myfs-metadata, data_pools: [<data>]}]
        """
      And within 1m there are 2 Deployments labelled "app=rook-ceph-mds"

      Examples:
        | file                              | image                      | data            |
        | rook-v1.0.0/filesystem.yaml       | ceph/ceph:v14.2.0-20190410 | myfs-data0      |
        | rook-v1.0.0/filesystem-test.yaml  | ceph/ceph:v14.2.0-20190410 | myfs-data0      |
        | rook-v1.20.6/filesystem.yaml      | quay.io/ceph/ceph:v20.2.0  | myfs-replicated |
        | rook-v1.20.6/filesystem-test.yaml | quay.io/ceph/ceph:v20.2.0  | myfs-replicated |

    Scenario: two file systems keep their MDS apart
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: one, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 2}}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 1, activeStandby: true}}
        """
      And this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: two, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 2}}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 2}}
        """
      Then within 10m the condition "Ready" of the CephFilesystem "one" is "True"
      And within 1m the condition "Ready" of the CephFilesystem "two" is "True"
      And the operator ran "enable_multiple true" 1 time
      And there are 2 Deployments labelled "rook_file_system=one"
      And there are 4 Deployments labelled "rook_file_system=two"
      And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"

    Scenario: a file system of that name that is there is taken over
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "quay.io/ceph/ceph:v16.2.15"}, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      And within 10m the CephCluster "rook-ceph" is in state "Created"
      And the admin runs `ceph osd pool create meta 8`
      And the admin runs `ceph osd pool create files 8`
      And the admin runs `ceph fs new old meta files`
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: old, namespace: rook-ceph}
        spec:
          preservePoolNames: true
          metadataPool: {name: meta, replicated: {size: 3}}
          dataPools: [{name: files, replicated: {size: 3}}]
          metadataServer: {activeCount: 1}
        """
      Then within 5m the condition "Ready" of the CephFilesystem "old" is "True"
      And the operator ran "fs new" 0 times

  Rule: what it waits for, and what is refused

    Scenario: a file system waits for its cluster
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 2}}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 1}}
        """
      Then within 10s the condition "Ready" of the CephFilesystem "myfs" is "False" because of "NoCluster"
      And the condition "Ready" of the CephFilesystem "myfs" says
        """
        waiting for a CephCluster in namespace rook-ceph
        """
      When the CephCluster "rook-ceph" is applied
      Then within 10s the condition "Ready" of the CephFilesystem "myfs" says
        """
        waiting for the mons of CephCluster rook-ceph/rook-ceph to form a quorum
        """

    Scenario: without OSDs the MDS wait, and that is said
      Given the CephCluster "rook-ceph" is applied
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 2}}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 1}}
        """
      Then within 5m the condition "Ready" of the CephFilesystem "myfs" says
        """
        waiting for the file system myfs to have 1 active MDS, it has 0
        is up:creating
        """

    Scenario Outline: a spec that cannot be meant is refused: <what>
      When applying this is refused with "<because>"
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: <name>, namespace: rook-ceph}
        spec: {metadataPool: <metadata>, dataPools: <data>, metadataServer: <mds>}
        """

      Examples:
        | what             | name                                           | metadata                                                       | data                          | mds              | because                                                  |
        | no MDS           | myfs                                           | {replicated: {size: 3}}                                        | [{replicated: {size: 3}}]     | {activeCount: 0} | spec.metadataServer.activeCount: Invalid value: 0        |
        | chunks           | myfs                                           | {erasureCoded: {dataChunks: 2, codingChunks: 1}}               | [{replicated: {size: 3}}]     | {activeCount: 1} | the metadata of a file system are kept in whole copies   |
        | one copy, safely | myfs                                           | {replicated: {size: 1, requireSafeReplicaSize: true}}          | [{replicated: {size: 3}}]     | {activeCount: 1} | a size of 1 needs requireSafeReplicaSize: false          |
        | no copies        | myfs                                           | {replicated: {size: 3}}                                        | [{failureDomain: host}]       | {activeCount: 1} | spec.dataPools[0]: Invalid value                         |
        | a number first   | 1fs                                            | {replicated: {size: 3}}                                        | [{replicated: {size: 3}}]     | {activeCount: 1} | the name of a file system begins with a letter           |
        | a long name      | a-file-system-whose-name-goes-on-and-on-and-on | {replicated: {size: 3}}                                        | [{replicated: {size: 3}}]     | {activeCount: 1} | has at most 45 characters                                |

    Scenario Outline: a spec that cannot be carried out is told: <what>
      Given the CephCluster "rook-ceph" is applied
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 3}}, dataPools: <data>, metadataServer: {activeCount: 1}}
        """
      Then within 10s the condition "Ready" of the CephFilesystem "myfs" is "False" because of "InvalidSpec"
      And the condition "Ready" of the CephFilesystem "myfs" says
        """
        <because>
        """
      When the CephFilesystem "myfs" is deleted
      Then within 10s there is no CephFilesystem "myfs"

      Examples:
        | what         | data                                                                            | because                                                                             |
        | no data pool | []                                                                              | spec.dataPools is empty: a file system needs a pool for its files                   |
        | chunks first | [{erasureCoded: {dataChunks: 2, codingChunks: 1}}]                              | spec.dataPools[0] is erasure coded                                                  |
        | names twice  | [{name: a, replicated: {size: 3}}, {name: a, replicated: {size: 3}}]            | spec.dataPools[1] would be the pool myfs-a, which another one is already            |
        | a name taken | [{name: metadata, replicated: {size: 3}}]                                       | spec.dataPools[0] would be the pool myfs-metadata, which another one is already     |

    Scenario: the metadata of an earlier file system are not written over
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "quay.io/ceph/ceph:v16.2.15"}, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      And this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 2}}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 1}, preservePoolsOnDelete: true}
        """
      And within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And the CephFilesystem "myfs" is deleted
      And within 1m there is no CephFilesystem "myfs"
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 2}}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 1}}
        """
      Then within 1m the condition "Ready" of the CephFilesystem "myfs" says
        """
        the pool myfs-metadata holds the metadata of an earlier file system
        ceph fs new myfs myfs-metadata myfs-data0 --force --recover
        """

    Scenario: fields that nothing is done with are kept and named
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec:
          metadataPool: {replicated: {size: 3, targetSizeRatio: 0.2}}
          dataPools: [{replicated: {size: 3}}]
          metadataServer: {activeCount: 1, livenessProbe: {disabled: true}}
          mirroring: {enabled: true}
        """
      Then within 10s the condition "UnservedFields" of the CephFilesystem "myfs" says
        """
        kept, but nothing is done with them: spec.metadataPool.replicated.targetSizeRatio, spec.metadataServer.livenessProbe, spec.mirroring
        """
      And the CephFilesystem "myfs" holds
        """yaml
        spec: {metadataPool: {replicated: {size: 3, targetSizeRatio: 0.2}}, mirroring: {enabled: true}}
        """

  Rule: how it lives on

    Background:
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "quay.io/ceph/ceph:v16.2.15"}, mon: {count: 3}, storage: {useAllNodes: true, useAllDevices: true}}
        """
      And this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 3}}], metadataServer: {activeCount: 1, activeStandby: true}}
        """
      And within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And within 5m the CephCluster "rook-ceph" is in state "Created"

    Scenario: the MDS that follows takes over when the other one's process ends
      When the container "mds" of the pod labelled "mds=myfs-a" is killed
      Then within 15s `ceph fs get myfs` answers
        """yaml
        mdsmap: {in: [0], failed: [], max_mds: 1}
        """
      And within 1m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"

    Scenario: the MDS that follows takes over when the other one's node is lost
      Given the pods labelled "rook_file_system=myfs" are on different nodes
      When the node of the active MDS of "myfs" loses its power
      Then within 25s an MDS of "myfs" on another node is active
      And within 2m the condition "Ready" of the CephFilesystem "myfs" is "False"

    Scenario: more MDS serve, and fewer again
      When the CephFilesystem "myfs" is changed with
        """yaml
        spec: {metadataServer: {activeCount: 2}}
        """
      Then within 2m `ceph fs get myfs` answers
        """yaml
        mdsmap: {max_mds: 2, in: [0, 1], failed: []}
        """
      And within 2m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And there are 4 Deployments labelled "rook_file_system=myfs"
      When the CephFilesystem "myfs" is changed with
        """yaml
        spec: {metadataServer: {activeCount: 1}}
        """
      Then within 2m `ceph fs get myfs` answers
        """yaml
        mdsmap: {max_mds: 1, in: [0], failed: [], stopped: [1]}
        """
      And within 3m there are 2 Deployments labelled "rook_file_system=myfs"
      And within 2m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And `ceph auth get mds.myfs-d` fails
      And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"

    Scenario Outline: a new image reaches the MDS after the OSDs, one rank left and none followed, <checks>
      Given the CephFilesystem "myfs" is changed with
        """yaml
        spec: {metadataServer: {activeCount: 2}}
        """
      And within 3m there are 4 Deployments labelled "rook_file_system=myfs"
      And within 3m the condition "Ready" of the CephFilesystem "myfs" is "True"
      When the CephCluster "rook-ceph" is changed with
        """yaml
        spec: {cephVersion: {image: "quay.io/ceph/ceph:v17.2.6"}, skipUpgradeChecks: <skip>}
        """
      Then within 5m the operator ran
        """
        ceph fs set myfs allow_standby_replay false <any>
        ceph fs set myfs max_mds 1 <any>
        ceph fs set myfs max_mds 2 <any>
        ceph fs set myfs allow_standby_replay true <any>
        """
      And the operator wrote in this order
        | verb   | kind       | name                 |
        | update | Deployment | rook-ceph-osd-1      |
        | update | Deployment | rook-ceph-mds-myfs-a |
      And the operator wrote in this order
        | verb   | kind       | name                 |
        | update | Deployment | rook-ceph-osd-2      |
        | update | Deployment | rook-ceph-mds-myfs-b |
      And within 10m every daemon of Ceph runs 17.2.6
      And within 5m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And `ceph fs get myfs` answers
        """yaml
        mdsmap: {max_mds: 2, in: [0, 1], failed: []}
        """

      Examples:
        | checks            | skip  |
        | with Ceph's leave | false |
        | without asking it | true  |

    Scenario Outline: the operator is killed after "<effect>", and the file system is the same
      Given the operator is killed after its effect "<effect>"
      When this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: other, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 2}}, dataPools: [{replicated: {size: 2}}, {name: x, replicated: {size: 2}}], metadataServer: {activeCount: 1}}
        """
      Then within 5m the condition "Ready" of the CephFilesystem "other" is "True"
      And every fault has happened
      And `ceph fs get other` answers
        """yaml
        mdsmap: {max_mds: 1, in: [0], failed: []}
        """
      And there are 2 Deployments labelled "rook_file_system=other"
      When the CephFilesystem "other" is deleted
      Then within 2m there is no CephFilesystem "other"
      And `ceph osd pool get other-x size` fails

      Examples:
        | effect                                        |
        | osd pool create other-metadata                |
        | fs new other                                  |
        | fs add_data_pool other                        |
        | auth get-or-create-key mds.other-a            |
        | create Secret rook-ceph/rook-ceph-mds-other-a |
        | create Deployment rook-ceph/rook-ceph-mds-other-a |

  Rule: what goes

    Background:
      Given the CephCluster "rook-ceph" is applied with
        """yaml
        spec: {cephVersion: {image: "quay.io/ceph/ceph:v16.2.15"}, mon: {count: 1}, storage: {useAllNodes: true, useAllDevices: true}}
        """

    Scenario: file system, pools, MDS and keys go with the CephFilesystem, and the mons are strict again
      Given this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 3}}], metadataServer: {activeCount: 1, activeStandby: true}}
        """
      And within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And 30s pass
      When the CephFilesystem "myfs" is deleted
      Then within 1m there is no CephFilesystem "myfs"
      And the operator ran
        """
        ceph fs fail myfs <any>
        ceph fs rm myfs --yes-i-really-mean-it <any>
        ceph osd pool rm myfs-metadata myfs-metadata --yes-i-really-really-mean-it <any>
        ceph osd pool rm myfs-data0 myfs-data0 --yes-i-really-really-mean-it <any>
        """
      And within 1m there are 0 Deployments labelled "app=rook-ceph-mds"
      And there is no Secret "rook-ceph-mds-myfs-a-keyring"
      And `ceph auth get mds.myfs-b` fails
      And `ceph osd crush rule dump myfs-data0_host` fails
      And `ceph config get mon mon_allow_pool_delete` prints
        """
        false
        """
      And within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"

    Scenario: a file system with files in it stays until a person says otherwise
      Given this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 3}}], metadataServer: {activeCount: 1}}
        """
      And within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      And within 10m the CephCluster "rook-ceph" is in state "Created"
      And the admin runs `rados -p myfs-data0 create 10000000000.00000000`
      And 30s pass
      When the CephFilesystem "myfs" is deleted
      Then within 10s the condition "DeletionBlocked" of the CephFilesystem "myfs" says
        """
        the file system myfs to be emptied: there are files of 1 objects in its pool myfs-data0
        annotate the CephFilesystem with rook.io/force-deletion=true
        """
      And an Event "DeletionBlocked" says "the file system myfs to be emptied"
      And `ceph fs get myfs` answers
        """yaml
        mdsmap: {in: [0], failed: []}
        """
      When the CephFilesystem "myfs" is changed with
        """yaml
        metadata: {annotations: {rook.io/force-deletion: "true"}}
        """
      Then within 30s there is no CephFilesystem "myfs"
      And `ceph fs get myfs` fails

    Scenario Outline: what the spec preserves stays: <field>
      Given this is applied
        """yaml
        apiVersion: ceph.rook.io/v1
        kind: CephFilesystem
        metadata: {name: myfs, namespace: rook-ceph}
        spec: {metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 3}}], metadataServer: {activeCount: 1}, <field>: true}
        """
      And within 10m the condition "Ready" of the CephFilesystem "myfs" is "True"
      When the CephFilesystem "myfs" is deleted
      Then within 1m there is no CephFilesystem "myfs"
      And `ceph osd pool get myfs-data0 size` answers
        """yaml
        {size: 3}
        """
      And `ceph fs ls` answers
        """yaml
        <filesystems>
        """
      And within 1m there are 0 Deployments labelled "app=rook-ceph-mds"

      Examples:
        | field                      | filesystems    |
        | preservePoolsOnDelete      | []             |
        | preserveFilesystemOnDelete | [{name: myfs}] |
