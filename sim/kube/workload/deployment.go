package workload

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// RevisionAnnotation numbers the templates that a deployment has had.
const RevisionAnnotation = "deployment.kubernetes.io/revision"

type deployments struct {
	loop   *loop.Loop
	api    *kube.API
	client client.Client
	events *record.Recorder
	sets   *owned[*appsv1.ReplicaSet]
	pods   *owned[*corev1.Pod]
	queue  *queue.Queue[client.ObjectKey]
	hashes map[types.UID]templated
}

// templated is the hash of a deployment's template as of a generation.
type templated struct {
	generation int64
	collisions int32
	hash       string
}

func newDeployments(l *loop.Loop, api *kube.API, sets *owned[*appsv1.ReplicaSet], pods *owned[*corev1.Pod]) *deployments {
	const user = "system:serviceaccount:kube-system:deployment-controller"
	c := &deployments{
		loop: l, api: api, client: api.Client(user), events: record.New(l, api, user, "deployment-controller", ""),
		sets: sets, pods: pods, hashes: map[types.UID]templated{},
	}
	c.queue = queue.New(l, "deployment controller", c.sync)
	return c
}

// podGone wakes the deployment of a set that a pod has left: it may have waited
// for that.
func (c *deployments) podGone(set client.ObjectKey) {
	rs, ok := viewed(c.api, &appsv1.ReplicaSet{}, set)
	if !ok {
		return
	}
	if ref := metav1.GetControllerOfNoCopy(rs); ref != nil && ref.Kind == "Deployment" {
		c.queue.Add(client.ObjectKey{Namespace: set.Namespace, Name: ref.Name})
	}
}

// sync brings a deployment one step on.
func (c *deployments) sync(key client.ObjectKey) error {
	d, ok := viewed(c.api, &appsv1.Deployment{}, key)
	if !ok {
		return nil
	}
	current, old := c.revisions(d)
	if d.DeletionTimestamp != nil {
		return c.writeStatus(d, current, old, "")
	}
	made := ""
	switch {
	case value(d.Spec.Replicas, 1) == 0 && current == nil && d.Spec.Paused:
	case d.Spec.Paused:
		if err := c.hold(d, current, old); err != nil {
			return err
		}
	case recreates(d):
		waiting, err := c.makeWay(d, old)
		if err != nil {
			return err
		}
		if waiting && current == nil {
			break
		}
		wanted := value(d.Spec.Replicas, 1)
		if waiting {
			wanted = value(current.Spec.Replicas, 1)
		}
		if current, made, err = c.ensure(d, current, old, wanted); err != nil {
			return err
		}
		if err := c.resize(d, current, int(wanted)); err != nil {
			return err
		}
	default:
		var err error
		first, _ := rollingStep(int(value(d.Spec.Replicas, 1)), limitsOf(d), revisionSet{}, revisionsOf(old))
		if current, made, err = c.ensure(d, current, old, int32(first)); err != nil {
			return err
		}
		if err := c.roll(d, current, old); err != nil {
			return err
		}
	}
	current, old = c.revisions(d)
	if err := c.cleanUp(d, old); err != nil {
		return err
	}
	return c.writeStatus(d, current, old, made)
}

// revisions are the set of the present template, nil if there is none, and the
// others, oldest first.
func (c *deployments) revisions(d *appsv1.Deployment) (current *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) {
	hash := c.hash(d)
	for _, rs := range c.sets.of(d.UID) {
		if rs.Labels[appsv1.DefaultDeploymentUniqueLabelKey] == hash {
			current = rs
		} else {
			old = append(old, rs)
		}
	}
	slices.SortFunc(old, func(a, b *appsv1.ReplicaSet) int {
		return cmp.Or(revision(a)-revision(b), strings.Compare(a.Name, b.Name))
	})
	return current, old
}

// hash is the hash of a deployment's template, which takes a while to tell.
func (c *deployments) hash(d *appsv1.Deployment) string {
	known, collisions := c.hashes[d.UID], value(d.Status.CollisionCount, 0)
	if known.hash == "" || known.generation != d.Generation || known.collisions != collisions {
		known = templated{d.Generation, collisions, templateHash(&d.Spec.Template, d.Status.CollisionCount)}
		c.hashes[d.UID] = known
	}
	return known.hash
}

func revision(object client.Object) int {
	n, err := strconv.Atoi(object.GetAnnotations()[RevisionAnnotation])
	if err != nil {
		return 0
	}
	return n
}

// ensure makes the set of the present template, or gives it the latest revision
// again if there was one. made is its name if it is new.
func (c *deployments) ensure(d *appsv1.Deployment, current *appsv1.ReplicaSet, old []*appsv1.ReplicaSet, replicas int32) (_ *appsv1.ReplicaSet, made string, _ error) {
	latest := 0
	for _, rs := range old {
		latest = max(latest, revision(rs))
	}
	if current == nil {
		rs := c.newSet(d, latest+1, replicas)
		err := c.client.Create(context.Background(), rs)
		switch {
		case apierrors.IsAlreadyExists(err):
			return nil, "", c.collided(d, rs.Name)
		case err != nil:
			return nil, "", fmt.Errorf("create ReplicaSet %s/%s: %w", rs.Namespace, rs.Name, err)
		}
		c.sets.add(rs)
		current, made = rs, rs.Name
		if replicas > 0 {
			c.events.Event(d, corev1.EventTypeNormal, "ScalingReplicaSet", fmt.Sprintf("Scaled up replica set %s from 0 to %d", rs.Name, replicas))
		}
	} else if revision(current) <= latest {
		updated := current.DeepCopy()
		metav1.SetMetaDataAnnotation(&updated.ObjectMeta, RevisionAnnotation, strconv.Itoa(latest+1))
		if err := c.client.Update(context.Background(), updated); err != nil {
			return nil, "", fmt.Errorf("number ReplicaSet %s/%s: %w", current.Namespace, current.Name, err)
		}
		current = updated
	}
	if d.Annotations[RevisionAnnotation] != current.Annotations[RevisionAnnotation] {
		updated := d.DeepCopy()
		metav1.SetMetaDataAnnotation(&updated.ObjectMeta, RevisionAnnotation, current.Annotations[RevisionAnnotation])
		if err := c.client.Update(context.Background(), updated); err != nil {
			return nil, "", fmt.Errorf("number Deployment %s/%s: %w", d.Namespace, d.Name, err)
		}
	}
	return current, made, nil
}

// collided notes that the name is somebody else's, so that the next hash is
// another one.
func (c *deployments) collided(d *appsv1.Deployment, name string) error {
	if rs, ok := viewed(c.api, &appsv1.ReplicaSet{}, client.ObjectKey{Namespace: d.Namespace, Name: name}); ok && metav1.IsControlledBy(rs, d) {
		c.sets.add(rs)
		return fmt.Errorf("ReplicaSet %s/%s was there already", d.Namespace, name)
	}
	updated := d.DeepCopy()
	n := value(d.Status.CollisionCount, 0) + 1
	updated.Status.CollisionCount = &n
	if err := c.client.Status().Update(context.Background(), updated); err != nil {
		return fmt.Errorf("count collisions of Deployment %s/%s: %w", d.Namespace, d.Name, err)
	}
	return fmt.Errorf("ReplicaSet name %s/%s is taken", d.Namespace, name)
}

func (c *deployments) newSet(d *appsv1.Deployment, number int, replicas int32) *appsv1.ReplicaSet {
	hash := c.hash(d)
	template := d.Spec.Template.DeepCopy()
	template.Labels = maps.Clone(template.Labels)
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	template.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	selector := d.Spec.Selector.DeepCopy()
	if selector.MatchLabels == nil {
		selector.MatchLabels = map[string]string{}
	}
	selector.MatchLabels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	annotations := maps.Clone(d.Annotations)
	delete(annotations, corev1.LastAppliedConfigAnnotation)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[RevisionAnnotation] = strconv.Itoa(number)
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.Namespace, Name: d.Name + "-" + hash, Labels: maps.Clone(template.Labels), Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, MinReadySeconds: d.Spec.MinReadySeconds, Selector: selector, Template: *template},
	}
}

// resize has a set ask for another number of replicas.
func (c *deployments) resize(d *appsv1.Deployment, rs *appsv1.ReplicaSet, replicas int) error {
	was := int(value(rs.Spec.Replicas, 1))
	if was == replicas {
		return nil
	}
	updated := rs.DeepCopy()
	n := int32(replicas)
	updated.Spec.Replicas = &n
	if err := c.client.Update(context.Background(), updated); err != nil {
		return fmt.Errorf("scale ReplicaSet %s/%s: %w", rs.Namespace, rs.Name, err)
	}
	direction := "up"
	if replicas < was {
		direction = "down"
	}
	c.events.Event(d, corev1.EventTypeNormal, "ScalingReplicaSet",
		fmt.Sprintf("Scaled %s replica set %s from %d to %d", direction, rs.Name, was, replicas))
	return nil
}

// makeWay scales the old sets down to nothing, and says whether there are pods
// left of them, those that are on their way out included.
func (c *deployments) makeWay(d *appsv1.Deployment, old []*appsv1.ReplicaSet) (waiting bool, _ error) {
	for _, rs := range old {
		if err := c.resize(d, rs, 0); err != nil {
			return true, err
		}
		if slices.ContainsFunc(c.pods.of(rs.UID), func(p *corev1.Pod) bool { return !ended(p) }) {
			waiting = true
		}
	}
	return waiting, nil
}

// roll takes one step of a rolling update.
func (c *deployments) roll(d *appsv1.Deployment, current *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) error {
	n, rest := rollingStep(int(value(d.Spec.Replicas, 1)), limitsOf(d), revisionOf(current), revisionsOf(old))
	if err := c.resize(d, current, n); err != nil {
		return err
	}
	for i, rs := range old {
		if err := c.resize(d, rs, rest[i]); err != nil {
			return err
		}
	}
	return nil
}

// hold scales a paused deployment without going on with its rollout: the newest
// set that has replicas takes up the difference.
func (c *deployments) hold(d *appsv1.Deployment, current *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) error {
	all := slices.Clone(old)
	if current != nil {
		all = append(all, current)
	}
	total, newest := 0, (*appsv1.ReplicaSet)(nil)
	for _, rs := range all {
		n := int(value(rs.Spec.Replicas, 1))
		total += n
		if n > 0 || newest == nil {
			newest = rs
		}
	}
	if newest == nil {
		return nil
	}
	own := int(value(newest.Spec.Replicas, 1))
	return c.resize(d, newest, max(own+int(value(d.Spec.Replicas, 1))-total, 0))
}

// cleanUp deletes the oldest sets beyond revisionHistoryLimit (10 by default)
// once the rollout is over.
func (c *deployments) cleanUp(d *appsv1.Deployment, old []*appsv1.ReplicaSet) error {
	var empty []*appsv1.ReplicaSet
	for _, rs := range old {
		if value(rs.Spec.Replicas, 1) == 0 && rs.Status.Replicas == 0 && rs.Status.ObservedGeneration >= rs.Generation && rs.DeletionTimestamp == nil {
			empty = append(empty, rs)
		}
	}
	for i := range len(empty) - int(value(d.Spec.RevisionHistoryLimit, 10)) {
		if err := remove(c.client, empty[i]); err != nil {
			return fmt.Errorf("delete ReplicaSet %s/%s: %w", empty[i].Namespace, empty[i].Name, err)
		}
	}
	return nil
}

func deadlineOf(d *appsv1.Deployment) time.Duration {
	return time.Duration(value(d.Spec.ProgressDeadlineSeconds, 600)) * time.Second
}
