// Package config keeps the Ceph configuration of a cluster in its three places:
// the operator's own file, by which its ceph commands find the cluster
// (S75-S79); the ConfigMap and Secret rook-ceph-config, from which daemons get
// theirs (S82); and the ConfigMap rook-config-override, in which a person may
// write settings of their own (S64-S66).
//
// settings.go says what is set and file.go how a file reads; the rest puts it in
// place. A settings text that cannot be read never stops a cluster: it is left
// out, and said.
package config
