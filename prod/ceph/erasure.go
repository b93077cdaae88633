package ceph

import "context"

// ErasureProfile returns an erasure code profile: k, m, plugin,
// crush-failure-domain, and so on. One that is not there is [ErrNotFound].
func (a *Admin) ErasureProfile(ctx context.Context, name string) (map[string]string, error) {
	return ask(ctx, a, func(profile map[string]string) error { return notEmpty("k", profile["k"]) }, "osd", "erasure-code-profile", "get", name)
}

// ErasureProfileSet makes an erasure code profile; what is not given is as Ceph
// has it. The same may be repeated; another of that name is [ErrNotPermitted].
func (a *Admin) ErasureProfileSet(ctx context.Context, name string, profile map[string]string) error {
	args := []string{"osd", "erasure-code-profile", "set", name}
	for _, key := range sortedKeys(profile) {
		args = append(args, key+"="+profile[key])
	}
	return a.do(ctx, args...)
}

// ErasureProfileRemove removes an erasure code profile. One that is not there is
// fine; one that a pool uses is [ErrBusy].
func (a *Admin) ErasureProfileRemove(ctx context.Context, name string) error {
	return a.do(ctx, "osd", "erasure-code-profile", "rm", name)
}
