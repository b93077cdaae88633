package mgr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// PasswordSecret holds the dashboard's password. It is made once.
const PasswordSecret = "rook-ceph-dashboard-password"

// user is who may log in.
const user = "admin"

// Data keys of the Secret. Beside the password, which belongs to the user, it
// records what Ceph has been told, since Ceph does not give that back.
const (
	passwordKey    = "password"
	toldKey        = "password-in-ceph"
	certificateKey = "certificate-in-ceph"
)

// ensureLogin sees to it that the dashboard has a certificate of its own and
// lets the user in with the password of the Secret.
func ensureLogin(ctx context.Context, p *pass.Pass) error {
	held, err := passwordSecret(ctx, p)
	if err != nil {
		return err
	}
	if !p.Version.Has(ceph.DashboardTLS) {
		return nil // luminous' dashboard lets everybody in
	}
	needsCert := p.Cluster.Spec.Dashboard.UseSSL() && len(held.Data[certificateKey]) == 0
	needsLogin := string(held.Data[toldKey]) != string(held.Data[passwordKey])
	if !needsCert && !needsLogin {
		return nil
	}
	state, err := p.Ceph.MgrStat(ctx)
	if err != nil {
		return fmt.Errorf("failed to ask which mgr is active: %w", err)
	}
	if !state.Available {
		return pass.WaitFor(v1.ReasonWaiting, 5*time.Second, "a mgr to be active, to set up the dashboard's login")
	}
	if needsCert {
		if err := notYet(p.Ceph.DashboardCreateCert(ctx)); err != nil {
			return fmt.Errorf("failed to create the dashboard's certificate: %w", err)
		}
		if held, err = told(ctx, p, held, certificateKey, "self-signed"); err != nil {
			return err
		}
	}
	if needsLogin {
		if err := notYet(p.Ceph.DashboardSetLogin(ctx, user, secret.New(string(held.Data[passwordKey])))); err != nil {
			return fmt.Errorf("failed to set the dashboard's login: %w", err)
		}
		if _, err := told(ctx, p, held, toldKey, string(held.Data[passwordKey])); err != nil {
			return err
		}
	}
	return nil
}

// notYet turns the answers of a mgr that has not loaded the module yet into
// something to wait for.
func notYet(err error) error {
	if errors.Is(err, ceph.ErrInvalid) || errors.Is(err, ceph.ErrUnsupported) || errors.Is(err, ceph.ErrBusy) {
		return fmt.Errorf("%w (%w)", pass.WaitFor(v1.ReasonWaiting, 5*time.Second, "the mgr to load the module dashboard"), err)
	}
	return err
}

// passwordSecret reads the Secret and makes it, with a new password, if there
// is none.
func passwordSecret(ctx context.Context, p *pass.Pass) (*corev1.Secret, error) {
	held := &corev1.Secret{}
	key := client.ObjectKey{Namespace: p.Cluster.Namespace, Name: PasswordSecret}
	err := p.Client.Get(ctx, key, held)
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		return nil, fmt.Errorf("failed to get Secret %s: %w", key, err)
	case len(held.Data[passwordKey]) == 0:
		return nil, fmt.Errorf("the Secret %s has no %q: write a password there, or delete the Secret to get a new one", key, passwordKey)
	default:
		return held, nil
	}
	held = &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Type:       daemon.SecretType,
		Data:       map[string][]byte{passwordKey: []byte(strings.ReplaceAll(p.IDs.UUID(), "-", ""))},
	}
	if _, err := object.Ensure(ctx, p.Client, held, object.OwnedBy(p.Cluster)); err != nil {
		return nil, err
	}
	return held, nil
}

// told records in the Secret what Ceph has been told.
func told(ctx context.Context, p *pass.Pass, held *corev1.Secret, key, value string) (*corev1.Secret, error) {
	next := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: held.Namespace, Name: held.Name},
		Type:       held.Type,
		Data:       maps.Clone(held.Data),
	}
	next.Data[key] = []byte(value)
	if _, err := object.Ensure(ctx, p.Client, next, object.OwnedBy(p.Cluster)); err != nil {
		return nil, err
	}
	return next, nil
}
