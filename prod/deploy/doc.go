// Package deploy holds what runs the operator in a cluster: its namespace and
// rights (rbac.yaml), its Deployment (operator.yaml), and the recipe of its image
// (Dockerfile). The CustomResourceDefinitions are in prod/api/crd.
//
//	kubectl apply -f prod/api/crd -f prod/deploy
//
// It has no code: its test keeps the manifests valid and in step with the
// program that they run.
package deploy
