Feature: a log that cannot be read for a while does not end the set-up
  rook/rook #3227, PR #3257: the version job was fine, the log of its pod could not
  be read once, and nothing was tried again until the resource was edited.

  @B25 @S43
  Scenario: the log of the version job is unavailable for a while
    Given a node "n1"
    And the log of the container "version" cannot be read
    When the CephCluster "rook-ceph" is applied
    And 1m pass
    And the log of the container "version" can be read again
    Then within 7s the status of the CephCluster "rook-ceph" holds
      """yaml
      version: {version: "14.2.0"}
      """
    And the operator wrote "create Job rook-ceph/rook-ceph-detect-version" 1 time
    And within 5m the CephCluster "rook-ceph" is in state "Created"

  @B25 @S43
  Scenario: a log that stays unavailable is shown, and after a quarter of an hour another job is run
    Given a node "n1"
    And the log of the container "version" cannot be read
    When the CephCluster "rook-ceph" is applied
    And 14m pass
    Then the condition "Ready" of the CephCluster "rook-ceph" says
      """
      failed to complete version job. the log of pod rook-ceph-detect-version-
      """
    And the operator wrote "create Job rook-ceph/rook-ceph-detect-version" 1 time
    When 2m pass
    Then the operator wrote "create Job rook-ceph/rook-ceph-detect-version" 2 times
    When the log of the container "version" can be read again
    Then within 5m the CephCluster "rook-ceph" is in state "Created"
