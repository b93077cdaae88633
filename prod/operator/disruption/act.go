package disruption

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
)

// carryOut does what was decided. A drain is remembered before anything is done
// for it, and forgotten when all of it is undone. Budgets that are to come are
// made before others go: for a moment an OSD has two, which lets nobody go.
func carryOut(ctx context.Context, c client.Client, cluster *v1.CephCluster, was state, d decision, s seen, admin func() (*ceph.Admin, error)) error {
	ends := d.State.Draining == ""
	// The flag that is taken away is still remembered until it is gone.
	before := d.State
	if d.UnsetNoOut != "" {
		before.NoOut = true
	}
	if !ends {
		if err := save(ctx, c, cluster, was, before); err != nil {
			return err
		}
	}
	if err := changeNoOut(ctx, d, s, admin); err != nil {
		return err
	}
	if err := ensureBudgets(ctx, c, cluster, d.Budgets); err != nil {
		return err
	}
	if ends {
		return save(ctx, c, cluster, was, d.State)
	}
	return save(ctx, c, cluster, before, d.State)
}

// changeNoOut sets and unsets the flag. A bucket that is no longer there has none.
func changeNoOut(ctx context.Context, d decision, s seen, admin func() (*ceph.Admin, error)) error {
	if d.SetNoOut == "" && d.UnsetNoOut == "" {
		return nil
	}
	a, err := admin()
	if err != nil {
		return err
	}
	if d.SetNoOut != "" {
		if err := a.OSDGroupSet(ctx, "noout", s.group(d.SetNoOut)); err != nil {
			return fmt.Errorf("failed to have the data of %s stay where it is: %w", d.SetNoOut, err)
		}
	}
	if d.UnsetNoOut != "" {
		if err := a.OSDGroupUnset(ctx, "noout", s.group(d.UnsetNoOut)); err != nil && !errors.Is(err, ceph.ErrInvalid) {
			return fmt.Errorf("failed to take the flag noout from %s: %w", d.UnsetNoOut, err)
		}
	}
	return nil
}

func (s seen) group(name string) ceph.OSDGroup {
	if at := slices.IndexFunc(s.Domains, func(d domain) bool { return d.Name == name }); at >= 0 {
		return group(s.Domains[at])
	}
	return ceph.OSDGroup{Bucket: name}
}

// ensureBudgets makes the budgets that there are to be, then removes the others.
func ensureBudgets(ctx context.Context, c client.Client, cluster *v1.CephCluster, budgets []budget) error {
	owner := object.OwnedBy(cluster)
	for _, b := range budgets {
		if _, err := object.Ensure(ctx, c, b.object(cluster.Namespace), owner); err != nil {
			return err
		}
	}
	var list policyv1.PodDisruptionBudgetList
	if err := c.List(ctx, &list, client.InNamespace(cluster.Namespace), client.MatchingLabels(daemon.AppLabels(osd.App, cluster.Namespace))); err != nil {
		return fmt.Errorf("failed to list the PodDisruptionBudgets of the OSDs: %w", err)
	}
	for i := range list.Items {
		pdb := &list.Items[i]
		wanted := slices.ContainsFunc(budgets, func(b budget) bool { return b.Name == pdb.Name })
		if wanted || pdb.DeletionTimestamp != nil || !object.Owns(owner, pdb) {
			continue
		}
		if _, err := object.Delete(ctx, c, pdb, owner); err != nil {
			return err
		}
	}
	return nil
}

// object is the PodDisruptionBudget.
func (b budget) object(namespace string) *policyv1.PodDisruptionBudget {
	labels := daemon.AppLabels(osd.App, namespace)
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: b.Name, Labels: labels},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: ptr.To(intstr.FromInt32(int32(b.MaxUnavailable))),
			Selector:       &metav1.LabelSelector{MatchLabels: labels},
		},
	}
	if b.OSDs != nil {
		var ids []string
		for _, id := range b.OSDs {
			ids = append(ids, strconv.Itoa(id))
		}
		pdb.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{
			{Key: osd.IDLabel, Operator: metav1.LabelSelectorOpIn, Values: ids},
		}
	}
	return pdb
}

var unfitForName = regexp.MustCompile(`[^a-z0-9-]+`)

// blockingName is the name of the budget that blocks a domain: its kind and name,
// with a hash where the latter is no name for an object.
func blockingName(level, name string) string {
	const most = 200
	full := budgetName + "-" + level + "-" + name
	fit := strings.Trim(unfitForName.ReplaceAllString(strings.ToLower(full), "-"), "-")
	if fit == full && len(full) <= most {
		return full
	}
	sum := sha256.Sum256([]byte(full))
	return fit[:min(len(fit), most)] + "-" + hex.EncodeToString(sum[:4])
}
