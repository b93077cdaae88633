package crush

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// The ConfigMap that says that the initial map needs no more attention (S107).
const (
	ConfigName = "rook-crush-config"
	createdKey = "initialCrushMapCreated"
)

// initialRules are the rules that a cluster has before anybody makes one: the
// name that Ceph gives its own, and that of the initial map.
func initialRules() []string { return []string{"replicated_rule", "replicated_ruleset"} }

// Reconcile installs the initial crush map where it is due. A pass that dies
// between map and ConfigMap leads to a second, equal installation, unless an OSD
// was made meanwhile.
func Reconcile(ctx context.Context, p *pass.Pass) error {
	done, err := Settled(ctx, p.Client, p.Cluster.Namespace, p.Version)
	if err != nil || done {
		return err
	}
	osds, err := p.Ceph.OSDLs(ctx)
	if err != nil {
		return fmt.Errorf("failed to create initial crushmap. %w", err)
	}
	rules, err := p.Ceph.CrushRules(ctx)
	if err != nil {
		return fmt.Errorf("failed to create initial crushmap. %w", err)
	}
	if why := inUse(osds, rules); why != "" {
		p.Log.Infof("the crush map of namespace %s is left as it is: %s", p.Cluster.Namespace, why)
	} else if err := install(ctx, p); err != nil {
		return err
	}
	return settle(ctx, p)
}

// inUse says why a crush map must not be replaced, "" if it may.
func inUse(osds []int, rules []string) string {
	if len(osds) > 0 {
		return fmt.Sprintf("there are %d OSDs", len(osds))
	}
	for _, rule := range rules {
		if !slices.Contains(initialRules(), rule) {
			return fmt.Sprintf("there is the rule %s", rule)
		}
	}
	return ""
}

// install runs the three commands in their order (S103-S106).
func install(ctx context.Context, p *pass.Pass) error {
	if err := p.Ceph.CrushTunables(ctx, ceph.InitialCrushProfile); err != nil {
		return fmt.Errorf("failed to set crush tunables. %w", err)
	}
	if err := p.Ceph.SetCrushMap(ctx, ceph.InitialCrushMap); err != nil {
		return fmt.Errorf("failed to create initial crushmap. %w", err)
	}
	p.Log.Infof("created initial crushmap")
	return nil
}

// Settled says whether the crush map is there to stay, so that rules may be made
// in it: at once where Ceph's own is kept, and else once the initial one needs no
// more attention (S107).
func Settled(ctx context.Context, c client.Client, namespace string, version ceph.Version) (bool, error) {
	if !version.Has(ceph.InitialCrush) {
		return true, nil
	}
	var guard corev1.ConfigMap
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ConfigName}, &guard)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("failed to get configmap %s. %w", ConfigName, err)
	}
	return guard.Data[createdKey] == "1", nil
}

func settle(ctx context.Context, p *pass.Pass) error {
	guard := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: ConfigName},
		Data:       map[string]string{createdKey: "1"},
	}
	if _, err := object.Ensure(ctx, p.Client, guard, object.OwnedBy(p.Cluster)); err != nil {
		return fmt.Errorf("failed to save configmap %s. %w", ConfigName, err)
	}
	return nil
}
