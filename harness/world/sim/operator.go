package sim

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/operator/cluster"
	"github.com/tidepool-ceph/tidepool/prod/operator/disruption"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/filesystem"
	"github.com/tidepool-ceph/tidepool/prod/operator/health"
	"github.com/tidepool-ceph/tidepool/prod/operator/hotplug"
	"github.com/tidepool-ceph/tidepool/prod/operator/legacy"
	"github.com/tidepool-ceph/tidepool/prod/operator/pool"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// StartOperator starts the operator with empty memory and an empty container.
func (w *World) StartOperator() error {
	if w.operator != nil {
		return errors.New("the operator runs already")
	}
	w.operator = w.operatorHost.Running.NewGroup("operator")
	root := host.NewFS()
	if err := errors.Join(root.MkdirAll("/tmp", 0o777), root.MkdirAll("/etc", 0o755), root.MkdirAll("/var/lib", 0o755)); err != nil {
		return err
	}
	w.operatorFiles = host.NewView(root)
	w.cache = w.api.NewCache(operatorUser, &corev1.ServiceAccount{}, &rbacv1.Role{}, &rbacv1.RoleBinding{})
	w.operator.OnKill(w.cache.Close)
	w.cache.Lose(w.event)
	w.cache.Delay(w.delay)
	c := w.effectClient()
	doors := door.Doors{
		Client: c,
		Pods:   podLogs{w},
		Exec: recorder{w, &host.Executor{
			Machine: w.operatorHost, Files: w.operatorFiles, Addr: w.operatorHost.Addr,
			Image: w.operatorImage(), Group: w.operator,
		}},
		Files:  w.operatorFiles,
		Clock:  clock{w.loop},
		IDs:    id.From(randomBytes{w.loop.Rand("operator: ids")}),
		Log:    logger{w},
		Events: events{w, c},
	}
	options := cluster.OptionsFrom(func(name string) string { return w.operatorEnv[name] }, OperatorImage)
	controllers := append(cluster.New(doors, options), health.New(doors, options.Settings, func(client.ObjectKey, string) {}), pool.New(doors, options.Settings), filesystem.New(doors, options.Settings), legacy.New(doors), disruption.New(doors, options.Settings))
	controllers = append(controllers, hotplug.New(doors, options.OperatorNamespace, w.operatorEnv[hotplug.EnvDisable])...)
	w.managers = nil
	for _, c := range controllers {
		if err := w.manage(w.operator, c); err != nil {
			return err
		}
	}
	w.loop.Trace("operator", "started")
	return nil
}

// StopOperator kills the operator where it stands.
func (w *World) StopOperator() {
	if w.operator == nil {
		return
	}
	operator := w.operator
	w.operator = nil
	w.loop.Trace("operator", "killed")
	operator.Kill() // which does not return to a process of the operator
}

// mustStartOperator is for events of the loop, in which nothing can be reported:
// a start that fails is a fault of this package.
func (w *World) mustStartOperator() {
	if err := w.StartOperator(); err != nil {
		panic(err)
	}
}
