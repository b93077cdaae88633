Feature: the version is read from whatever a build prints
  rook/rook #7054, #2686, #8100: the version of a vendor's build, with a prefix, a
  date or a suffix, could not be read; the job was made again and again, and nothing
  showed the text.

  @B22 @S44
  Scenario Outline: <text> is version <version>
    Given a node "n1"
    And the log of the container "version" reads
      """
      <log>
      """
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}}
      """
    Then within 1m the status of the CephCluster "rook-ceph" holds
      """yaml
      version: {version: "<version>"}
      """
    And the operator wrote "create Job rook-ceph/rook-ceph-detect-version" 1 time

    Examples:
      | text                     | log                                                                                                | version |
      | a plain line             | ceph version 14.2.2 (4f8fa0a0024755aae7d95567c63f11d6862d55be) nautilus (stable)                   | 14.2.2  |
      | a build after a dash     | ceph version 14.2.11-139 (44441323476fee97be0ff7a92c6065958c77f1b9) nautilus (stable)              | 14.2.11 |
      | a build of a vendor      | ceph version 14.2.11-184.el8cp (44441323476fee97be0ff7a92c6065958c77f1b9) nautilus (stable)        | 14.2.11 |
      | a letter and a date      | ceph version v14.2.8-20200401 (2d095e947a02261ce61424021bb43bd3022d35cb) nautilus (stable)         | 14.2.8  |
      | warnings before it       | WARNING: no ceph.conf\n2020-03-01 12:00:00 warning: x\nceph version 14.2.2 (4f8fa0a) nautilus (stable) | 14.2.2  |
      | a fourth number          | ceph version 14.2.11.7 (44441323476fee97be0ff7a92c6065958c77f1b9) nautilus (stable)                | 14.2.11 |
      | a line that ends too soon | ceph version 14.2.2 (4f8fa0a0024755aae7d95567c6                                                   | 14.2.2  |

  @B22 @S48
  Scenario Outline: <text> is shown as it is, with the form that is expected, and the job stays
    Given a node "n1"
    And the log of the container "version" reads
      """
      <log>
      """
    When the CephCluster "rook-ceph" is applied
    And 10m pass
    Then the condition "VersionSupported" of the CephCluster "rook-ceph" says
      """
      unknown ceph major version. image ceph/ceph:v14.2.0-20190410
      <shown>
      expected a line such as "ceph version 14.2.0 (…) nautilus (stable)"
      """
    And the operator wrote "create Job rook-ceph/rook-ceph-detect-version" 1 time

    Examples:
      | text              | log                                      | shown                                        |
      | a name for number | ceph version octopus-dev (stable)        | "ceph version octopus-dev (stable)"          |
      | an error          | failed to get logs: unexpected EOF       | "failed to get logs: unexpected EOF"         |
      | two numbers       | ceph version 14.2                        | "ceph version 14.2"                          |
      | nothing           |                                          | no version of Ceph in (nothing)              |

  @B22
  Scenario: a log that cannot be read is told from a version that cannot
    Given a node "n1"
    And the log of the container "version" cannot be read
    When the CephCluster "rook-ceph" is applied
    And 1m pass
    Then the condition "VersionSupported" of the CephCluster "rook-ceph" says
      """
      the log of pod rook-ceph-detect-version-
      cannot be read
      """
