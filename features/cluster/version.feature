Feature: the Ceph version of the image is found out before anything is made
  S41-S48 with what was settled (6, 7, 22): a Job runs `ceph --version`, its log
  is the answer, and the Job goes once the answer was taken.

  @S41
  Scenario: the version job
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}
        mon: {count: 1}
      """
    Then within 10s the Job "rook-ceph-detect-version" holds
      """yaml
      metadata: {labels: {rook-version: <any>}}
      spec:
        template:
          metadata: {labels: {job: rook-ceph-detect-version}}
          spec:
            restartPolicy: OnFailure
            initContainers: null
            containers:
            - name: version
              image: ceph/ceph:v13.2.3-20190410
              command: [ceph]
              args: [--version]
      """
    And the Job "rook-ceph-detect-version" is owned by the CephCluster "rook-ceph"

  @S41 @S9
  Scenario: the version job goes where mons may go
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec:
        mon: {count: 1}
        placement:
          osd: {tolerations: [{key: for-osds, operator: Exists}]}
          mon:
            nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}]}}
            podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: rook-ceph-mon}}}]}
            tolerations: [{key: for-mons, operator: Exists}]
      """
    Then within 10s the Job "rook-ceph-detect-version" holds
      """yaml
      spec:
        template:
          spec:
            affinity:
              nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}]}}
              podAntiAffinity: null
            tolerations: [{key: for-mons, operator: Exists}]
      """

  @S42 @S45
  Scenario: a job left from an earlier run is replaced, and the new one goes when it was read
    Given a node "n1"
    And the operator is stopped
    And this is applied
      """yaml
      apiVersion: batch/v1
      kind: Job
      metadata: {name: rook-ceph-detect-version, namespace: rook-ceph}
      spec:
        template:
          metadata: {labels: {job: rook-ceph-detect-version}}
          spec:
            restartPolicy: Never
            containers: [{name: version, image: "ceph/ceph:v12.2.11", command: [ceph], args: [--version]}]
      """
    And the CephCluster "rook-ceph" is applied
    And 1m pass
    When the operator starts
    Then within 2m the status of the CephCluster "rook-ceph" holds
      """yaml
      version: {image: "ceph/ceph:v14.2.0-20190410", version: "14.2.0"}
      """
    And within 1m there is no Job "rook-ceph-detect-version"
    And the operator wrote in this order
      | verb   | kind | name                     |
      | delete | Job  | rook-ceph-detect-version |
      | create | Job  | rook-ceph-detect-version |
      | delete | Job  | rook-ceph-detect-version |

  @S42
  Scenario Outline: a version job that cannot be made, or its forerunner not removed, is an error
    Given a node "n1"
    And the API server refuses the operator to <verb> a Job 3 times
    When the CephCluster "rook-ceph" is applied
    And 1m pass
    Then the operator logs error "failed to create cluster in namespace rook-ceph. <words><any>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | verb   | words                          |
      | create | failed to start version job.   |
      | delete | failed to delete version job.  |

  @S43
  Scenario: a job that fails for good is an error, and another one is made later
    Given a node "n1"
    And a webhook takes the argument "--version" away from pods labelled "job=rook-ceph-detect-version"
    When the CephCluster "rook-ceph" is applied
    Then within 15m the operator logs error "failed to create cluster in namespace rook-ceph. failed to complete version job. BackoffLimitExceeded<any>"
    When 16m pass
    Then the operator wrote in this order
      | verb   | kind | name                     |
      | create | Job  | rook-ceph-detect-version |
      | delete | Job  | rook-ceph-detect-version |
      | create | Job  | rook-ceph-detect-version |

  @S43 @S45 @B25
  Scenario: a log that cannot be read is read again, and the job stays until then
    Given a node "n1"
    And the log of the container "version" cannot be read
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. failed to complete version job. the log of pod <any> cannot be read<any>"
    And the Job "rook-ceph-detect-version" holds
      """yaml
      status: {succeeded: 1}
      """
    When the log of the container "version" can be read again
    Then within 10s there is no Job "rook-ceph-detect-version"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @S44
  Scenario Outline: the version is found in whatever stands around it
    Given a node "n1"
    And the log of the container "version" reads
      """
      <log>
      """
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v13.2.3-20190410"}, mon: {count: 1}}
      """
    Then within 1m the status of the CephCluster "rook-ceph" holds
      """yaml
      version: {version: "<version>"}
      """

    Examples:
      | log                                                                                | version  |
      | ceph version 13.2.3 (9bf3c8b1a04b0aa4a3cc78456a508f1c48e70279) mimic (stable)      | 13.2.3   |
      | ceph version 13.2.3 (9bf3c8b1a04b0aa4a3cc78456a508f1c48e70279                      | 13.2.3   |
      | a warning\nceph version 14.2.11-184.el8cp (44441323476fee97) nautilus (stable)     | 14.2.11  |
      | ceph version 12.2.11                                                               | 12.2.11  |

  @S48
  Scenario: an answer that names no version is an error
    Given a node "n1"
    And the log of the container "version" reads
      """
      exec format error
      """
    When the CephCluster "rook-ceph" is applied
    Then within 1m the operator logs error "failed to create cluster in namespace rook-ceph. unknown ceph major version. <any>exec format error<any>"
    And there is no ConfigMap "rook-config-override"
    When the log of the container "version" can be read again
    Then within 5m the CephCluster "rook-ceph" is in state "Created"

  @S43
  Scenario: a job that cannot finish is waited for in words, and the fix of the image is taken up
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/nosuch:v14"}, mon: {count: 1}}
      """
    Then within 1m the condition "Ready" of the CephCluster "rook-ceph" says
      """
      rook-ceph-detect-version
      ceph/nosuch:v14
      """
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}}
      """
    Then within 2m the CephCluster "rook-ceph" is in state "Created"

  @S44 @S46
  Scenario Outline: <version> is told from the log of <image>
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "<image>"}, mon: {count: 1}}
      """
    Then within 1m the status of the CephCluster "rook-ceph" holds
      """yaml
      version: {version: "<version>"}
      """
    And the operator logs info "detected ceph image version: <version> <release>"
    And within 5m the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | image                      | version | release  |
      | ceph/ceph:v12.2.13         | 12.2.13 | luminous |
      | ceph/ceph:v13.2.3-20190410 | 13.2.3  | mimic    |
      | ceph/ceph:v14.2.0-20190410 | 14.2.0  | nautilus |
      | ceph/ceph:v16              | 16.2.15 | pacific  |
      | ceph/ceph:v17.2.8          | 17.2.8  | quincy   |
      | ceph/ceph:v18.2.4          | 18.2.4  | reef     |
      | ceph/ceph:v19.2.3          | 19.2.3  | squid    |
      | ceph/ceph                  | 20.2.0  | tentacle |

  @S3 @S46 @S47
  Scenario Outline: <image> needs allowUnsupported and stops there; the fix goes on at once
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "<image>"}, mon: {count: 1}}
      """
    Then within 1m the CephCluster "rook-ceph" is in state "Error"
    And the operator logs error "unsupported ceph version detected: <version>. allowUnsupported must be set to true to run with this version."
    And the condition "VersionSupported" of the CephCluster "rook-ceph" is "False" because of "UnsupportedVersion"
    And an Event "UnsupportedVersion" says "allowUnsupported must be set to true"
    And there is no Secret "rook-ceph-mon"
    And there is no ConfigMap "rook-config-override"
    When the CephCluster "rook-ceph" is changed with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}}
      """
    Then within 2m the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | image              | version        |
      | ceph/ceph:v15.2.17 | 15.2.17 octopus |
      | ceph/ceph:v21.1.0  | 21.1.0<any>     |

  @S3 @S48
  Scenario: allowUnsupported lets any version run
    Given a node "n1"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {cephVersion: {image: "ceph/ceph:v15.2.17", allowUnsupported: true}, mon: {count: 1}}
      """
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
