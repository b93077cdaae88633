package ceph

import (
	"context"
	"errors"

	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// DashboardCreateCert has the dashboard make a certificate for itself. Luminous
// has no TLS: [ErrUnsupported]. The mgr must be there and the module be on.
func (a *Admin) DashboardCreateCert(ctx context.Context) error {
	if err := a.needs(DashboardTLS, "dashboard create-self-signed-cert"); err != nil {
		return err
	}
	return a.do(ctx, "dashboard", "create-self-signed-cert")
}

// DashboardSetLogin sees to it that user may log in with password as
// administrator. It takes the form that the release wants: the password in a
// file where that is allowed, in the arguments (which never print) before.
// Luminous asks nobody who they are: [ErrUnsupported].
func (a *Admin) DashboardSetLogin(ctx context.Context, user string, password secret.Value) error {
	if err := a.needs(DashboardTLS, "dashboard set-login-credentials"); err != nil {
		return err
	}
	if !a.version.Has(DashboardPasswordFile) {
		return a.dashboardLogin(ctx, user, []string{password.Reveal()}, password)
	}
	return a.withFile([]byte(password.Reveal()), func(path string) error {
		return a.dashboardLogin(ctx, user, []string{"-i", path})
	})
}

func (a *Admin) dashboardLogin(ctx context.Context, user string, password []string, secrets ...secret.Value) error {
	do := func(args ...string) error {
		_, _, err := a.run(ctx, call{args: args, format: plain, secrets: secrets})
		return err
	}
	if !a.version.Has(DashboardUsers) {
		return do(append([]string{"dashboard", "set-login-credentials", user}, password...)...)
	}
	create := append([]string{"dashboard", "ac-user-create", user}, password...)
	err := do(append(create, "administrator")...)
	if errors.Is(err, ErrExists) {
		return do(append([]string{"dashboard", "ac-user-set-password", user}, password...)...)
	}
	return err
}
