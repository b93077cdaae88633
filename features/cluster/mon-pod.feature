Feature: the mon's pod, field by field
  S111-S132: the pod that the seed shows for mimic 13.2.3. Lists are checked whole
  and in order.

  Background:
    Given these nodes
      | name        | address       |
      | master-node | 192.168.74.57 |
    And the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}}
      """
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S111 @S112
  Scenario: labels, strategy and owner
    Then the Deployment "rook-ceph-mon-a" holds
      """yaml
      metadata:
        labels: {<only>: true, app: rook-ceph-mon, ceph_daemon_id: a, mon: a, mon_cluster: rook-ceph, rook_cluster: rook-ceph, rook-version: <any>, ceph-version: 13.2.3}
      spec:
        replicas: 1
        strategy: {type: Recreate, rollingUpdate: null}
        selector: {matchLabels: {<only>: true, app: rook-ceph-mon, ceph_daemon_id: a, mon: a, mon_cluster: rook-ceph, rook_cluster: rook-ceph}}
        template: {metadata: {annotations: null, labels: {<only>: true, app: rook-ceph-mon, ceph_daemon_id: a, mon: a, mon_cluster: rook-ceph, rook_cluster: rook-ceph}}}
      """
    And the Deployment "rook-ceph-mon-a" is owned by the CephCluster "rook-ceph"
    And the pod labelled "app=rook-ceph-mon,ceph_daemon_id=a,mon=a,mon_cluster=rook-ceph,rook_cluster=rook-ceph" holds
      """yaml
      metadata: {name: "rook-ceph-mon-a-<any>-<any>", labels: {<only>: true, app: rook-ceph-mon, ceph_daemon_id: a, mon: a, mon_cluster: rook-ceph, rook_cluster: rook-ceph, pod-template-hash: <any>}}
      """

  @S113 @S114 @S115
  Scenario: where and how it is scheduled
    Then the pod labelled "mon=a" holds
      """yaml
      spec:
        affinity: {nodeAffinity: null, podAffinity: null, podAntiAffinity: null}
        nodeSelector: {kubernetes.io/hostname: master-node}
        nodeName: master-node
        restartPolicy: Always
        dnsPolicy: ClusterFirst
        serviceAccountName: default
        terminationGracePeriodSeconds: 30
        enableServiceLinks: true
        schedulerName: default-scheduler
        securityContext: {}
        hostNetwork: null
      """

  @S116 @S117 @S124 @S125 @S130
  Scenario: the mon's container
    Then the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            containers:
            - name: mon
              image: ceph/ceph:v13.2.3-20190410
              imagePullPolicy: IfNotPresent
              command: [ceph-mon]
              args:
              - --fsid=<uuid>
              - --keyring=/etc/ceph/keyring-store/keyring
              - --log-to-stderr=true
              - --err-to-stderr=true
              - --mon-cluster-log-to-stderr=true
              - "--log-stderr-prefix=debug "
              - --mon-host=$(ROOK_CEPH_MON_HOST)
              - --mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS)
              - --id=a
              - --foreground
              - --public-addr=<ip>
              - --public-bind-addr=$(ROOK_POD_IP)
              ports: [{name: client, containerPort: 6789, protocol: TCP}]
              resources: {limits: null, requests: null}
              securityContext: {privileged: false}
      """

  @S120 @S121 @S122 @S123
  Scenario: environment
    Then the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            containers:
            - env:
              - {name: CONTAINER_IMAGE, value: "ceph/ceph:v13.2.3-20190410"}
              - {name: POD_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}
              - {name: POD_NAMESPACE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}}
              - {name: NODE_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}
              - {name: POD_MEMORY_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: "0"}}}
              - {name: POD_MEMORY_REQUEST, valueFrom: {resourceFieldRef: {resource: requests.memory, divisor: "0"}}}
              - {name: POD_CPU_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: "1"}}}
              - {name: POD_CPU_REQUEST, valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: "0"}}}
              - {name: ROOK_CEPH_MON_HOST, valueFrom: {secretKeyRef: {name: rook-ceph-config, key: mon_host}}}
              - {name: ROOK_CEPH_MON_INITIAL_MEMBERS, valueFrom: {secretKeyRef: {name: rook-ceph-config, key: mon_initial_members}}}
              - {name: ROOK_POD_IP, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: status.podIP}}}
            initContainers:
            - env:
              - {name: CONTAINER_IMAGE, value: "ceph/ceph:v13.2.3-20190410"}
              - {name: POD_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}
              - {name: POD_NAMESPACE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}}
              - {name: NODE_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}
              - {name: POD_MEMORY_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: "0"}}}
              - {name: POD_MEMORY_REQUEST, valueFrom: {resourceFieldRef: {resource: requests.memory, divisor: "0"}}}
              - {name: POD_CPU_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: "1"}}}
              - {name: POD_CPU_REQUEST, valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: "0"}}}
              - {name: ROOK_CEPH_MON_HOST, valueFrom: {secretKeyRef: {name: rook-ceph-config, key: mon_host}}}
              - {name: ROOK_CEPH_MON_INITIAL_MEMBERS, valueFrom: {secretKeyRef: {name: rook-ceph-config, key: mon_initial_members}}}
      """

  @S126 @S127 @S87
  Scenario: volumes and mounts
    Then the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            containers:
            - volumeMounts:
              - {name: rook-ceph-config, mountPath: /etc/ceph, readOnly: true}
              - {name: rook-ceph-mons-keyring, mountPath: /etc/ceph/keyring-store/, readOnly: true}
              - {name: rook-ceph-log, mountPath: /var/log/ceph, readOnly: null}
              - {name: ceph-daemon-data, mountPath: /var/lib/ceph/mon/ceph-a, readOnly: null}
            initContainers:
            - volumeMounts:
              - {name: rook-ceph-config, mountPath: /etc/ceph, readOnly: true}
              - {name: rook-ceph-mons-keyring, mountPath: /etc/ceph/keyring-store/, readOnly: true}
              - {name: rook-ceph-log, mountPath: /var/log/ceph, readOnly: null}
              - {name: ceph-daemon-data, mountPath: /var/lib/ceph/mon/ceph-a, readOnly: null}
            volumes:
            - name: rook-ceph-config
              configMap: {name: rook-ceph-config, defaultMode: 420, items: [{key: ceph.conf, path: ceph.conf, mode: 256}]}
            - name: rook-ceph-mons-keyring
              secret: {secretName: rook-ceph-mons-keyring, defaultMode: 420}
            - name: rook-ceph-log
              hostPath: {path: /var/lib/rook/rook-ceph/log, type: ""}
            - name: ceph-daemon-data
              hostPath: {path: /var/lib/rook/mon-a/data, type: ""}
      """

  @S128 @S124 @S125
  Scenario: the init container makes the store
    Then the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            initContainers:
            - name: init-mon-fs
              image: ceph/ceph:v13.2.3-20190410
              imagePullPolicy: IfNotPresent
              command: [ceph-mon]
              args:
              - --fsid=<uuid>
              - --keyring=/etc/ceph/keyring-store/keyring
              - --log-to-stderr=true
              - --err-to-stderr=true
              - --mon-cluster-log-to-stderr=true
              - "--log-stderr-prefix=debug "
              - --mon-host=$(ROOK_CEPH_MON_HOST)
              - --mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS)
              - --id=a
              - --public-addr=<ip>
              - --mkfs
              ports: null
              resources: {limits: null, requests: null}
              securityContext: {privileged: false}
      """

  @S119 @S131 @S132
  Scenario: the running pod
    Then the pod labelled "mon=a" holds
      """yaml
      metadata:
        labels: {pod-template-hash: <any>}
        ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, controller: true, blockOwnerDeletion: true}]
      status:
        phase: Running
        qosClass: BestEffort
        hostIP: 192.168.74.57
        podIP: <ip>
        conditions:
        - {type: Initialized, status: "True"}
        - {type: Ready, status: "True"}
        - {type: ContainersReady, status: "True"}
        - {type: PodScheduled, status: "True"}
      """
    And the pod labelled "mon=a" descends from the Deployment "rook-ceph-mon-a"
    And the pod labelled "mon=a" has an address that is neither its node's nor its service's
    And the container "mon" of the pod labelled "mon=a" runs
      """
      ceph-mon --fsid=<uuid> --keyring=/etc/ceph/keyring-store/keyring --log-to-stderr=true --err-to-stderr=true --mon-cluster-log-to-stderr=true --log-stderr-prefix=debug  --mon-host=<ip>:6789 --mon-initial-members=a --id=a --foreground --public-addr=<ip> --public-bind-addr=<ip>
      """

  @S129
  Scenario: a restarted pod finds its store and keeps its identity
    Given `ceph quorum_status` answers
      """yaml
      quorum_names: [a]
      """
    When the node "master-node" reboots
    Then within 5m the pod labelled "mon=a" holds
      """yaml
      status:
        initContainerStatuses: [{name: init-mon-fs, ready: true, restartCount: 1, state: {terminated: {exitCode: 0, reason: Completed}}}]
        containerStatuses: [{name: mon, ready: true, restartCount: 1}]
      """
    And within 2m the mon "a" forms a quorum
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same

  @S118
  Scenario: from 14.2.1 on the log does not go to files
    When the CephCluster "second/second" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.1-20190430"}, dataDirHostPath: /var/lib/second, mon: {count: 1}}
      """
    Then within 5m the Deployment "second/rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            containers:
            - args:
              - --fsid=<uuid>
              - --keyring=/etc/ceph/keyring-store/keyring
              - --log-to-stderr=true
              - --err-to-stderr=true
              - --mon-cluster-log-to-stderr=true
              - "--log-stderr-prefix=debug "
              - --default-log-to-file=false
              - --default-mon-cluster-log-to-file=false
              - --mon-host=$(ROOK_CEPH_MON_HOST)
              - --mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS)
              - --id=a
              - --foreground
              - --public-addr=<ip>
              - --public-bind-addr=$(ROOK_POD_IP)
      """

  @S125
  Scenario: where host paths need it, containers are privileged
    Given the operator runs with ROOK_HOSTPATH_REQUIRES_PRIVILEGED=true
    Then within 2m the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            containers: [{securityContext: {privileged: true}}]
            initContainers: [{securityContext: {privileged: true}}]
      """

  @S113
  Scenario: a user's pod affinities do not reach the mons, node affinity does
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec:
        placement:
          mon:
            nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [master-node]}]}]}}
            podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: rook-ceph-mgr}}}}]}
            podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: rook-ceph-mon}}}]}
            tolerations: [{key: storage-node, operator: Exists}]
      """
    Then within 2m the Deployment "rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            affinity:
              nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [master-node]}]}]}}
              podAffinity: null
              podAntiAffinity: null
            tolerations: [{key: storage-node, operator: Exists}]
      """

  @S86 @S117 @S119 @S128 @B10
  Scenario: a mon that is recorded on another port keeps it, and msgr2 waits
    Given the operator is stopped
    And this is applied
      """yaml
      apiVersion: v1
      kind: Namespace
      metadata: {name: second}
      ---
      apiVersion: v1
      kind: Secret
      metadata: {name: rook-ceph-mon, namespace: second}
      type: kubernetes.io/rook
      stringData: {cluster-name: second, fsid: dcef92d7-1f6a-4b9d-8ed0-0037d537d00b, mon-secret: AQBMpuZcAAAAABAAs0mEbMSzNHYAAAAAAAAAAA==, admin-secret: AQBNpuZcAAAAABAAs0mEbMSzNHYAAAAAAAAAAA==}
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: rook-ceph-mon-endpoints, namespace: second}
      data: {data: "a=10.200.33.128:6790", maxMonId: "0", mapping: '{"node":{"a":{"Name":"master-node","Hostname":"master-node","Address":"192.168.74.57"}},"port":{}}'}
      """
    And the CephCluster "second/second" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, dataDirHostPath: /var/lib/second, mon: {count: 1}}
      """
    When the operator starts
    Then within 5m the CephCluster "second/second" is in state "Created"
    And the Deployment "second/rook-ceph-mon-a" holds
      """yaml
      spec:
        template:
          spec:
            initContainers:
            - args: [--fsid=dcef92d7-1f6a-4b9d-8ed0-0037d537d00b, --keyring=/etc/ceph/keyring-store/keyring, --log-to-stderr=true, --err-to-stderr=true, --mon-cluster-log-to-stderr=true, "--log-stderr-prefix=debug ", --mon-host=$(ROOK_CEPH_MON_HOST), --mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS), --id=a, "--public-addr=10.200.33.128:6790", --mkfs]
            containers:
            - args: [--fsid=dcef92d7-1f6a-4b9d-8ed0-0037d537d00b, --keyring=/etc/ceph/keyring-store/keyring, --log-to-stderr=true, --err-to-stderr=true, --mon-cluster-log-to-stderr=true, "--log-stderr-prefix=debug ", --mon-host=$(ROOK_CEPH_MON_HOST), --mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS), --id=a, --foreground, "--public-addr=10.200.33.128:6790", "--public-bind-addr=$(ROOK_POD_IP):6790"]
              ports: [{name: client, containerPort: 6790, protocol: TCP}]
      """
    When the CephCluster "second/second" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}}
      """
    Then within 5m the condition "Msgr2Enabled" of the CephCluster "second/second" says
      """
      mon a (port 6790) is not on the standard port 6789
      """
    And within 5m the CephCluster "second/second" is in state "Created"
    And the operator ran "enable-msgr2" 0 times
