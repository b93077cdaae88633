package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/log"
	"github.com/tidepool-ceph/tidepool/prod/operator/cluster"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/disruption"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/filesystem"
	"github.com/tidepool-ceph/tidepool/prod/operator/health"
	"github.com/tidepool-ceph/tidepool/prod/operator/hotplug"
	"github.com/tidepool-ceph/tidepool/prod/operator/legacy"
	"github.com/tidepool-ceph/tidepool/prod/operator/metrics"
	"github.com/tidepool-ceph/tidepool/prod/operator/pool"
)

// operatorName is the lease's name, the source of events, and the container's
// name in the operator's own pod.
const operatorName = "tidepool-operator"

// stopTimeout is how long running passes may take when the operator is told to
// stop; Kubernetes kills it 30 s after it was told.
const stopTimeout = 20 * time.Second

func operatorCommand() *cobra.Command {
	var s settings
	command := &cobra.Command{
		Use:   "operator",
		Short: "Run the operator",
		Long: `Runs the operator: it serves the CephClusters, CephBlockPools and CephFilesystems of the namespaces that it watches
until it is told to stop (SIGTERM or SIGINT).`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return runOperator(ctx, s, os.Getenv)
		},
	}
	s.register(command.Flags(), os.Getenv)
	return command
}

// scheme knows the kinds that the operator deals with.
func scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, errors.Join(clientgoscheme.AddToScheme(s), v1.AddToScheme(s))
}

func runOperator(ctx context.Context, s settings, getenv func(string) string) error {
	if err := s.check(); err != nil {
		return err
	}
	logs, err := logger(s.logLevel)
	if err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("no way to the Kubernetes API, in no pod and with KUBECONFIG=%q: %w", getenv("KUBECONFIG"), err)
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("no way to the Kubernetes API: %w", err)
	}
	if s.image == "" {
		if s.image, err = ownImage(ctx, clientset, getenv); err != nil {
			return err
		}
	}
	m, err := newManager(config, s, getenv)
	if err != nil {
		return err
	}
	if err := addControllers(m, clientset, logs, s, getenv); err != nil {
		return err
	}
	logs.Infof("tidepool-operator %s starts (image %s)", daemon.OperatorVersion, s.image)
	if err := m.Start(ctx); err != nil {
		return fmt.Errorf("the operator stopped: %w", err)
	}
	logs.Infof("tidepool-operator has stopped")
	return nil
}

func newManager(rest *rest.Config, s settings, getenv func(string) string) (manager.Manager, error) {
	known, err := scheme()
	if err != nil {
		return nil, err
	}
	timeout := stopTimeout
	options := manager.Options{
		Scheme: known,
		// What is watched is all that is kept; nobody reads managed fields.
		Cache: cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		// Kinds that are looked at once in a while are not worth a watch.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{
			&corev1.ServiceAccount{}, &rbacv1.Role{}, &rbacv1.RoleBinding{},
		}}},
		Metrics:                       metricsserver.Options{BindAddress: s.metricsAddr},
		HealthProbeBindAddress:        s.probeAddr,
		LeaderElection:                s.leaderElect,
		LeaderElectionID:              operatorName,
		LeaderElectionNamespace:       getenv(cluster.EnvNamespace),
		LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout:       &timeout,
	}
	options.Cache.DefaultNamespaces, options.Cache.ByObject = watched(s.namespaces, getenv(cluster.EnvNamespace))
	m, err := manager.New(rest, options)
	if err != nil {
		return nil, fmt.Errorf("failed to set up the operator: %w", err)
	}
	return m, errors.Join(m.AddHealthzCheck("ping", healthz.Ping), m.AddReadyzCheck("ping", healthz.Ping))
}

// watched are the namespaces whose objects are kept; none means all. Of the
// operator's own it always keeps the lists of devices, which are there whatever
// is served.
func watched(namespaces []string, own string) (map[string]cache.Config, map[client.Object]cache.ByObject) {
	if len(namespaces) == 0 {
		return nil, nil
	}
	all := map[string]cache.Config{}
	for _, namespace := range namespaces {
		all[namespace] = cache.Config{}
	}
	if _, served := all[own]; served || own == "" {
		return all, nil
	}
	configMaps := maps.Clone(all)
	configMaps[own] = cache.Config{LabelSelector: labels.SelectorFromSet(labels.Set{"app": hotplug.App})}
	return all, map[client.Object]cache.ByObject{&corev1.ConfigMap{}: {Namespaces: configMaps}}
}

func addControllers(m manager.Manager, clientset kubernetes.Interface, logs log.Logger, s settings, getenv func(string) string) error {
	counts, err := metrics.New(ctrlmetrics.Registry)
	if err != nil {
		return err
	}
	doors := openDoors(m, clientset, logs, counts)
	options := cluster.OptionsFrom(getenv, s.image)
	options.LogLevel, options.Namespaces = s.logLevel, s.namespaces
	for _, c := range controllers(doors, options, counts.Health, getenv(hotplug.EnvDisable)) {
		if err := counts.Count(c, doors.Clock).Register(m); err != nil {
			return err
		}
	}
	return nil
}

// controllers are all that the operator runs. observed is told of healths, and
// hotplugDisabled is the value of [hotplug.EnvDisable].
func controllers(doors door.Doors, options cluster.Options, observed func(client.ObjectKey, string), hotplugDisabled string) []controller.Controller {
	all := append(cluster.New(doors, options), health.New(doors, options.Settings, observed), pool.New(doors, options.Settings), filesystem.New(doors, options.Settings), legacy.New(doors), disruption.New(doors, options.Settings))
	return append(all, hotplug.New(doors, options.OperatorNamespace, hotplugDisabled)...)
}

// openDoors opens the doors to the real world.
func openDoors(m manager.Manager, clientset kubernetes.Interface, logs log.Logger, counts *metrics.Metrics) door.Doors {
	wall := clock.RealClock{}
	return door.Doors{
		Client: m.GetClient(),
		Pods:   podLogs{clientset},
		Exec: exec.NewRecording(exec.OS{}, wall, func(run exec.Run) {
			logs.Debugf("EXEC %s (%s)", run.Command, run.Duration)
			counts.Command(run)
		}),
		Files:  host.OS{},
		Clock:  wall,
		IDs:    id.System{},
		Log:    logs,
		Events: events{m.GetEventRecorder(operatorName)},
	}
}

// ownImage is the image of the operator's own pod, which its environment names.
func ownImage(ctx context.Context, clientset kubernetes.Interface, getenv func(string) string) (string, error) {
	namespace, name := getenv(cluster.EnvNamespace), getenv(envPodName)
	if namespace == "" || name == "" {
		return "", fmt.Errorf("give --operator-image, or set %s and %s to find the operator's own pod", envPodName, cluster.EnvNamespace)
	}
	pod, err := clientset.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("failed to get the operator's own pod %s/%s: %w", namespace, name, err)
	}
	for _, c := range pod.Spec.Containers {
		if c.Name == operatorName {
			return c.Image, nil
		}
	}
	return "", fmt.Errorf("the operator's own pod %s/%s has no container %s: give --operator-image", namespace, name, operatorName)
}
