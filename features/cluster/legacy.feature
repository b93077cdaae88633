Feature: Clusters of the operators that came before
  S24: cluster.rook.io/v1beta1 is watched if its definition is there when the operator
  starts. Its users are told how to move; nothing is done with what it asks for, and
  nothing of it hangs when it is deleted.

  Background:
    Given a node "n1"
    And the operator is stopped
    And this is applied
      """yaml
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: clusters.cluster.rook.io}
      spec:
        group: cluster.rook.io
        scope: Namespaced
        names: {kind: Cluster, plural: clusters, singular: cluster, listKind: ClusterList}
        versions:
        - {name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
      """
    And this is applied
      """yaml
      apiVersion: cluster.rook.io/v1beta1
      kind: Cluster
      metadata: {name: old, namespace: rook, finalizers: [cluster.rook.io, example.org/kept]}
      spec: {dataDirHostPath: /var/lib/rook, mon: {count: 3}}
      """
    And the operator starts

  @S24
  Scenario: a legacy Cluster is told how to move, and nothing is made for it
    Then the operator logs info "start watching legacy rook clusters in all namespaces"
    And within 10s the operator logs warning "Cluster rook/old is of cluster.rook.io/v1beta1, with which nothing is done: apply a CephCluster (ceph.rook.io/v1) <any>"
    And within 10s an Event "LegacyCluster" says "apply a CephCluster"
    And 10m pass
    And there are 0 Deployments labelled "app=rook-ceph-mon" in the namespace "rook"
    And the Cluster "rook/old" holds
      """yaml
      metadata: {finalizers: [cluster.rook.io, example.org/kept], generation: 1}
      spec: {mon: {count: 3}}
      """

  @S24
  Scenario: a legacy Cluster that is deleted is let go by its former operator's finalizer only
    Given 1m pass
    When the Cluster "rook/old" is deleted
    Then within 10s the Cluster "rook/old" holds
      """yaml
      metadata: {finalizers: [example.org/kept]}
      """
    When the Cluster "rook/old" is changed with
      """yaml
      metadata: {finalizers: null}
      """
    Then within 10s there is no Cluster "rook/old"

  @S24 @S25
  Scenario: a legacy Cluster that was deleted while the operator was down
    Given the operator is stopped
    And the Cluster "rook/old" is deleted
    When the operator starts
    Then within 10s the Cluster "rook/old" holds
      """yaml
      metadata: {finalizers: [example.org/kept]}
      """
