package pool

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// defaultPGs is how many placement groups a new pool has: osd_pool_default_pg_num
// from octopus on. The autoscaler, or the parameter pg_num, changes it.
const defaultPGs = 32

// want is what a CephBlockPool asks for.
type want struct {
	name        string
	size        int // copies; 0 for chunks
	k, m        int // data and coding chunks; 0 for copies
	place       placement
	moves       bool // whether another crush rule may move the data
	application string
	// parameters are properties by name, min_size among them.
	parameters map[string]string
	// quotas by Ceph's name, where one is given.
	quotas map[string]int64
}

// placement is where the parts of an object go; an empty field is not asked for.
type placement struct{ root, class, domain string }

// seen is what there is.
type seen struct {
	pool  *ceph.Pool // nil: there is none
	rules []ceph.CrushRule
	// profile is the erasure code profile of the pool, or of the pool's name if
	// there is no pool; nil if there is none.
	profile map[string]string
	// parameters are the wanted properties as they are; one that is not set is
	// not in it.
	parameters map[string]string
}

// action is one change. What is a verb of act.go.
type action struct{ what, key, value string }

// wants reads what a CephBlockPool asks for. An error names the field.
func wants(pool *v1.CephBlockPool) (want, error) {
	application := pool.Spec.Application
	if application == "" {
		application = pool.Spec.Name.Application()
	}
	if application == "" {
		application = "rbd"
	}
	w, err := wantsOf(pool.PoolName(), application, &pool.Spec.PoolSpec)
	if err != nil {
		return want{}, fmt.Errorf("CephBlockPool %s/%s: spec.%w", pool.Namespace, pool.Name, err)
	}
	return w, nil
}

// wantsOf reads what the spec of a pool asks for. An error begins with the field.
func wantsOf(name, application string, spec *v1.PoolSpec) (want, error) {
	w := want{
		name:        name,
		place:       placement{string(spec.CrushRoot), string(spec.DeviceClass), string(spec.FailureDomain)},
		moves:       spec.EnableCrushUpdates,
		application: application,
		parameters:  map[string]string{},
		quotas:      map[string]int64{},
	}
	switch {
	case spec.IsErasureCoded():
		w.k, w.m = spec.ErasureCoded.DataChunks, spec.ErasureCoded.CodingChunks
	case spec.Replicated != nil && spec.Replicated.Size > 0:
		w.size = spec.Replicated.Size
		w.parameters["min_size"] = strconv.Itoa(w.size - w.size/2) // as Ceph derives it
	default:
		return want{}, errors.New("replicated is missing, and so is erasureCoded: a pool needs one of them")
	}
	for name, value := range spec.Parameters {
		w.parameters[name] = string(value)
	}
	bytes, err := spec.Quotas.Bytes()
	if err != nil {
		return want{}, err
	}
	if bytes != nil {
		w.quotas[ceph.QuotaMaxBytes] = *bytes
	}
	if n := spec.Quotas.MaxObjects; n != nil {
		w.quotas[ceph.QuotaMaxObjects] = *n
	}
	return w, nil
}

func (w want) erasureCoded() bool { return w.k > 0 }

// profileName is the erasure code profile that is made for the pool.
func (w want) profileName() string { return w.name + "_ecprofile" }

// profile is what the erasure code profile must say.
func (w want) profile() map[string]string {
	place := w.place.over(placement{domain: "host"})
	profile := map[string]string{
		"k": strconv.Itoa(w.k), "m": strconv.Itoa(w.m), "crush-failure-domain": place.domain,
	}
	if place.root != "" {
		profile["crush-root"] = place.root
	}
	if place.class != "" {
		profile["crush-device-class"] = place.class
	}
	return profile
}

// over fills what is not asked for from another placement.
func (p placement) over(other placement) placement {
	pick := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	return placement{pick(p.root, other.root), pick(p.class, other.class), pick(p.domain, other.domain)}
}

// initial is where a new pool is placed.
func (p placement) initial() placement { return p.over(placement{root: "default", domain: "host"}) }

// rule names the crush rule of a pool for a placement: another placement is
// another rule, so that a rule never changes under a pool.
func (p placement) rule(pool string) string {
	parts := []string{pool}
	if p.root != "default" {
		parts = append(parts, p.root)
	}
	parts = append(parts, p.domain)
	if p.class != "" {
		parts = append(parts, p.class)
	}
	return strings.Join(parts, "_")
}

// placement is where the pool's crush rule places it; ok is false if that cannot
// be said in these terms.
func (s seen) placement() (place placement, ok bool) {
	for _, r := range s.rules {
		if r.ID == s.pool.CrushRule {
			place.root, place.class, place.domain, ok = r.Placement()
		}
	}
	return place, ok
}

// plan says what to change, in order, to get from what there is to what is
// wanted, and what is left as it is on purpose. A new pool is only made: what it
// is then must be seen before it is changed. A [*pass.Refused] says that a
// person has to decide.
func plan(w want, s seen) (actions []action, remark string, err error) {
	if s.pool == nil {
		actions, err = create(w, s)
		return actions, "", err
	}
	if err := fits(w, s); err != nil {
		return nil, "", err
	}
	if _, ok := s.pool.ApplicationMetadata[w.application]; !ok {
		actions = append(actions, action{enable, w.application, ""})
	}
	move, remark, err := replace(w, s)
	if err != nil {
		return nil, "", err
	}
	actions = append(actions, move...)
	if w.size > 0 && s.pool.Size != w.size {
		actions = append(actions, action{set, "size", strconv.Itoa(w.size)})
	}
	if w.erasureCoded() && !s.pool.HasFlag("ec_overwrites") {
		actions = append(actions, action{set, "allow_ec_overwrites", "true"}) // images need it
	}
	for _, name := range slices.Sorted(maps.Keys(w.parameters)) {
		is, isSet := s.parameters[name]
		if scaled := name == "pg_num" || name == "pgp_num"; scaled && s.pool.AutoscaleMode == "on" {
			continue // it was where the pool began, and is the autoscaler's now
		}
		if !sameValue(w.parameters[name], is, isSet) {
			actions = append(actions, action{set, name, w.parameters[name]})
		}
	}
	for _, field := range slices.Sorted(maps.Keys(w.quotas)) {
		is := map[string]int64{ceph.QuotaMaxBytes: s.pool.QuotaBytes, ceph.QuotaMaxObjects: s.pool.QuotaObjects}[field]
		if is != w.quotas[field] {
			actions = append(actions, action{quota, field, strconv.FormatInt(w.quotas[field], 10)})
		}
	}
	return actions, remark, nil
}

// create makes a pool with the rule or profile that it needs.
func create(w want, s seen) ([]action, error) {
	if !w.erasureCoded() {
		rule, err := ruleFor(w.place.initial(), w, s)
		if err != nil {
			return nil, err
		}
		return append(rule, action{createReplicated, w.name, w.place.initial().rule(w.name)}), nil
	}
	makePool := action{createErasure, w.name, w.profileName()}
	if s.profile == nil {
		return []action{{createProfile, w.profileName(), ""}, makePool}, nil
	}
	for key, value := range w.profile() {
		if s.profile[key] != value {
			return nil, pass.Refuse(v1.ReasonInvalidSpec,
				"the erasure code profile %s is there and has %s=%s, not %s; remove it with: ceph osd erasure-code-profile rm %s",
				w.profileName(), key, s.profile[key], value, w.profileName())
		}
	}
	return []action{makePool}, nil
}

// ruleFor makes the rule for a placement if it is not there.
func ruleFor(place placement, w want, s seen) ([]action, error) {
	name := place.rule(w.name)
	for _, r := range s.rules {
		if r.Name != name {
			continue
		}
		root, class, domain, ok := r.Placement()
		if !ok || (placement{root, class, domain}) != place {
			return nil, pass.Refuse(v1.ReasonInvalidSpec,
				"the crush rule %s is there and does something else than its name says; rename it with: ceph osd crush rule rename", name)
		}
		return nil, nil
	}
	return []action{{createRule, name, strings.Join([]string{place.root, place.domain, place.class}, " ")}}, nil
}

// fits refuses a pool that is there and cannot become what is wanted.
func fits(w want, s seen) error {
	pool := s.pool
	kinds := map[bool]string{true: "erasure coded", false: "replicated"}
	if is := pool.Type == ceph.ErasurePool; is != w.erasureCoded() {
		return pass.Refuse(v1.ReasonInvalidSpec, "the pool %s is there and is %s, which cannot change to %s", pool.Name, kinds[is], kinds[!is])
	}
	if _, same := pool.ApplicationMetadata[w.application]; !same && len(pool.ApplicationMetadata) > 0 {
		used := strings.Join(slices.Sorted(maps.Keys(pool.ApplicationMetadata)), ", ")
		return pass.Refuse(v1.ReasonInvalidSpec, "the pool %s is there and is used for %s, not %s; take another name, or set spec.application to %s", pool.Name, used, w.application, used)
	}
	if !w.erasureCoded() {
		return nil
	}
	if k, m := strconv.Itoa(w.k), strconv.Itoa(w.m); s.profile["k"] != k || s.profile["m"] != m {
		return pass.Refuse(v1.ReasonInvalidSpec, "the pool %s is there with %s data and %s coding chunks, which cannot change to %s and %s",
			pool.Name, s.profile["k"], s.profile["m"], k, m)
	}
	return nil
}

// replace gives the pool another crush rule if another placement is asked for
// and its data may be moved.
func replace(w want, s seen) (actions []action, remark string, err error) {
	is, known := s.placement()
	if w.place == (placement{}) || known && w.place.over(is) == is {
		return nil, "", nil
	}
	asked := w.place.over(is).initial()
	switch {
	case w.erasureCoded():
		return nil, fmt.Sprintf("the pool %s keeps its crush rule, since that of an erasure coded pool is not changed; make another pool and move the data", w.name), nil
	case !w.moves:
		return nil, fmt.Sprintf("the pool %s keeps its crush rule, which is not for %s; set enableCrushUpdates to true to have its data moved", w.name, asked), nil
	}
	actions, err = ruleFor(asked, w, s)
	return append(actions, action{set, "crush_rule", asked.rule(w.name)}), "", err
}

func (p placement) String() string {
	text := fmt.Sprintf("failure domain %s below %s", p.domain, p.root)
	if p.class != "" {
		text += " on device class " + p.class
	}
	return text
}

// sameValue says whether a property is as it is wanted: the same text, number,
// size (1Gi is 1073741824) or truth. One that is not set is the same as 0 and
// "unset", with which it is unset.
func sameValue(wanted, is string, isSet bool) bool {
	if !isSet {
		return wanted == "unset" || sameNumber(wanted, "0")
	}
	return wanted == is || sameNumber(wanted, is) || truth(wanted) != "" && truth(wanted) == truth(is)
}

// sameNumber says whether both are numbers or sizes, and the same.
func sameNumber(a, b string) bool {
	x, xErr := resource.ParseQuantity(a)
	y, yErr := resource.ParseQuantity(b)
	return xErr == nil && yErr == nil && x.Cmp(y) == 0
}

func truth(text string) string {
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		return "true"
	case "false", "0", "no":
		return "false"
	}
	return ""
}
