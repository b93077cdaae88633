package upgrade

import (
	"context"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// shownPGs is how many placement groups are named in a message.
const shownPGs = 5

// ask asks Ceph whether daemons may be stopped. Where there are too few of them
// for Ceph ever to say yes, its no is told and not followed.
func ask(ctx context.Context, p *pass.Pass, all ceph.DaemonVersions, kind string, ids []string) error {
	var answer ceph.StopAnswer
	var err error
	switch kind {
	case Mon:
		answer, err = p.Ceph.MonOkToStop(ctx, ids...)
	case MDS:
		answer, err = p.Ceph.MDSOkToStop(ctx, ids...)
	default:
		return nil
	}
	switch {
	case errors.Is(err, ceph.ErrUnsupported):
		return nil
	case err != nil:
		return fmt.Errorf("failed to ask whether %s may be stopped: %w", named(kind, ids), err)
	case answer.OK:
		return nil
	}
	refusal := Refusal(named(kind, ids), answer)
	daemons := 0
	for _, n := range running(all, kind) {
		daemons += n
	}
	if daemons > len(ids) && daemons > fewest(kind) {
		return refusal
	}
	AtRisk(p, fmt.Sprintf("%s is stopped although Ceph does not let it, since the cluster has %d of them: %s", named(kind, ids), daemons, answer.Why))
	return nil
}

// fewest is up to how many daemons of a kind none can be stopped without harm.
func fewest(kind string) int {
	if kind == MDS {
		return 1
	}
	return 2
}

// Refusal is what daemons wait for that Ceph does not let go.
func Refusal(daemons string, answer ceph.StopAnswer) *pass.Waiting {
	pgs := ""
	switch n := len(answer.PGs); {
	case n > shownPGs:
		pgs = fmt.Sprintf(" (PGs %s and %d more)", strings.Join(answer.PGs[:shownPGs], ", "), n-shownPGs)
	case n > 0:
		pgs = fmt.Sprintf(" (PGs %s)", strings.Join(answer.PGs, ", "))
	}
	return pass.WaitFor(v1.ReasonNotOkToStop, 0, "Ceph to let %s be stopped: %s%s", daemons, answer.Why, pgs)
}
