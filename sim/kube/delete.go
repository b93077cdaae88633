package kube

import (
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// delete begins or finishes the deletion of an object: it goes at once, unless
// finalizers (its own, or those that a propagation policy adds for the garbage
// collector) or a grace period keep it.
func (a *API) delete(user string, k *kind, key client.ObjectKey, opts *metav1.DeleteOptions, dryRun bool) error {
	r := k.table.byKey[key]
	if r == nil {
		return apierrors.NewNotFound(k.resource(), key.Name)
	}
	if err := checkPreconditions(k, metaOf(r.obj), opts.Preconditions); err != nil {
		return err
	}
	img := image{obj: r.obj.DeepCopyObject().(client.Object), raw: r.raw}
	if r.raw != nil {
		img.raw = k.json(r.obj, r.raw)
		img.setMeta(metaOf(img.obj))
	}
	m := metaOf(img.obj)
	m.Finalizers = finalizersFor(m.Finalizers, opts, k.strategy.orphansByDefault)
	grace := k.strategy.grace(img.obj, opts.GracePeriodSeconds)
	if dryRun {
		return nil
	}
	if m.DeletionTimestamp != nil {
		a.markDeleted(m, grace)
		img.setMeta(m)
	}
	if len(m.Finalizers) == 0 && grace == 0 && k.strategy.mayVanish(img.obj) {
		a.remove(user, "delete", k, r, img)
		return nil
	}
	a.markDeleted(m, grace)
	img.setMeta(m)
	if err := k.strategy.prepare(img.obj, r.obj); err != nil {
		return err
	}
	if !img.same(image{obj: r.obj, raw: r.raw}) {
		a.commit(user, "delete", k, r, img)
	}
	return nil
}

// markDeleted sets when the object is to be gone; a second delete can only make
// that earlier.
func (a *API) markDeleted(m *metav1.ObjectMeta, grace int64) {
	if m.DeletionTimestamp == nil {
		at := metav1.Time{Time: a.now().Add(time.Duration(grace) * time.Second)}
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
		if m.Generation > 0 {
			m.Generation++
		}
		return
	}
	if was := m.DeletionGracePeriodSeconds; was != nil && grace < *was {
		at := metav1.Time{Time: m.DeletionTimestamp.Add(time.Duration(grace-*was) * time.Second)}
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
	}
}

// finalizersFor are the finalizers after a delete with these options: the
// garbage collector's two are set as the policy asks, others stay.
func finalizersFor(finalizers []string, opts *metav1.DeleteOptions, orphansByDefault bool) []string {
	orphan := slices.Contains(finalizers, metav1.FinalizerOrphanDependents)
	foreground := slices.Contains(finalizers, metav1.FinalizerDeleteDependents)
	switch {
	case opts.PropagationPolicy != nil:
		orphan = *opts.PropagationPolicy == metav1.DeletePropagationOrphan
		foreground = *opts.PropagationPolicy == metav1.DeletePropagationForeground
	case !orphan && !foreground:
		orphan = orphansByDefault
	}
	var kept []string
	for _, f := range finalizers {
		if f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents {
			kept = append(kept, f)
		}
	}
	if orphan {
		kept = append(kept, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		kept = append(kept, metav1.FinalizerDeleteDependents)
	}
	return kept
}

func checkPreconditions(k *kind, m *metav1.ObjectMeta, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	if p.UID != nil && *p.UID != m.UID {
		return apierrors.NewConflict(k.resource(), m.Name, fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, m.UID))
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != m.ResourceVersion {
		return apierrors.NewConflict(k.resource(), m.Name, fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, m.ResourceVersion))
	}
	return nil
}
