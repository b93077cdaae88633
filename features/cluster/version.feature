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
            containers:
            - name: version
              image: ceph/ceph:v13.2.3-20190410
              command: [ceph]
              args: [--version]
      """
    And the Job "rook-ceph-detect-version" is owned by the CephCluster "rook-ceph"

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
    And within 5m the CephCluster "rook-ceph" is in state "Created"

    Examples:
      | image                      | version |
      | ceph/ceph:v12.2.13         | 12.2.13 |
      | ceph/ceph:v13.2.3-20190410 | 13.2.3  |
      | ceph/ceph:v14.2.0-20190410 | 14.2.0  |
      | ceph/ceph:v16              | 16.2.15 |
      | ceph/ceph:v17.2.8          | 17.2.8  |
      | ceph/ceph:v19.2.3          | 19.2.3  |
      | ceph/ceph                  | 20.2.0  |

  @S3 @S47
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
