Feature: B13 an identity that cannot be read or made is told of, and the operator lives on
  rook/rook #3437, #3541. A field of the missing identity was written before the error
  was looked at: the operator crashed again and again, and the true cause was never
  shown.

  @B13 @S67 @S69
  Scenario Outline: the API server answers the <call> of the Secret with <fault>
    Given nodes "n1" and "n2"
    And the API server refuses the operator to <call> a Secret from now on with "<fault>"
    When the CephCluster "rook-ceph" is applied with
      """yaml
      spec: {mon: {count: 1}, dataDirHostPath: /data/one}
      """
    And 2m pass
    Then the operator started 1 time
    And the condition "Ready" of the CephCluster "rook-ceph" says
      """
      failed to get cluster info. failed to <doing> mon secrets.
      <says>
      """
    And there is no Deployment "rook-ceph-mon-a"
    And the operator works on the CephCluster "rook-ceph" at most 12 times in 1m
    When the API server lets the operator <call> a Secret again
    Then within 1m the CephCluster "rook-ceph" is in state "Created"
    And the operator started 1 time

    Examples:
      | call   | fault           | doing  | says                          |
      | get    | InternalError   | get    | etcdserver: request timed out |
      | get    | Timeout         | get    | request did not complete      |
      | get    | Forbidden       | get    | secrets is forbidden          |
      | get    | TooManyRequests | get    | the server is too busy        |
      | create | Forbidden       | create | secrets is forbidden          |
      | create | InternalError   | create | etcdserver: request timed out |

  @B13 @S67
  Scenario: somebody else makes the Secret in between
    Given a node "n1"
    And the operator's effect "create Secret rook-ceph/rook-ceph-mon" meets a conflict
    When the CephCluster "rook-ceph" is applied
    Then within 2m the CephCluster "rook-ceph" is in state "Created"
    And every fault has happened
    And the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same

  @B13 @S67
  Scenario: other clusters are served meanwhile
    Given nodes "n1" and "n2"
    And the CephCluster "one/one" is applied with
      """yaml
      spec: {mon: {count: 1}, dataDirHostPath: /data/one}
      """
    And within 1m the CephCluster "one/one" is in state "Created"
    And the Secret "one/rook-ceph-mon" is changed with
      """yaml
      data: {fsid: null}
      """
    And within 10s the condition "Ready" of the CephCluster "one/one" is "False" because of "IdentityMissing"
    When the CephCluster "two/two" is applied with
      """yaml
      spec: {mon: {count: 1}, dataDirHostPath: /data/two}
      """
    Then within 1m the CephCluster "two/two" is in state "Created"
    And the operator started 1 time
