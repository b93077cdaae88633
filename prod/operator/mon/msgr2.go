package mon

import (
	"context"
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// msgr2Retry is when to try again where nothing else brings another pass.
const msgr2Retry = time.Minute

// ensureMsgr2 switches msgr2 on once every mon can speak it (S100-S102). That it
// does not work yet never holds the cluster up (Settled 13).
func ensureMsgr2(ctx context.Context, p *pass.Pass, q ceph.Quorum) error {
	if !p.Version.Has(ceph.Msgr2) {
		apimeta.RemoveStatusCondition(&p.Cluster.Status.Conditions, v1.ConditionMsgr2Enabled)
		return nil
	}
	if speakMsgr2(q) {
		msgr2Condition(p, metav1.ConditionTrue, v1.ReasonAsExpected, "all mons speak msgr2")
		return nil
	}
	// On another port a mon would keep Ceph warning of it for ever (B10).
	if odd := oddPorts(p.Identity.Mons); odd != "" {
		message := fmt.Sprintf("msgr2 is not enabled: %s not on the standard port %d; have them replaced one by one, with `ceph mon remove`", odd, identity.DefaultMonPort)
		if msgr2Condition(p, metav1.ConditionFalse, v1.ReasonWaiting, message) {
			p.Log.Warningf("%s", message)
		}
		return nil
	}
	running, err := p.Ceph.MonVersion(ctx)
	if err != nil {
		return fmt.Errorf("failed to get ceph mon version. %w", err)
	}
	if !running.Has(ceph.Msgr2) {
		msgr2Condition(p, metav1.ConditionFalse, v1.ReasonWaiting, fmt.Sprintf("the mons still run %s", running))
		p.LookAgain(msgr2Retry)
		return nil
	}
	versions, err := p.Ceph.Versions(ctx)
	if err != nil {
		return fmt.Errorf("failed to get ceph daemons versions. %w", err)
	}
	if len(versions.Mon) != 1 {
		msgr2Condition(p, metav1.ConditionFalse, v1.ReasonWaiting, fmt.Sprintf("the mons run %d versions", len(versions.Mon)))
		p.LookAgain(msgr2Retry)
		return nil
	}
	if err := p.Ceph.EnableMsgr2(ctx); err != nil {
		message := fmt.Sprintf("failed to enable msgr2 protocol: %v", err)
		p.Log.Errorf("%s", message)
		msgr2Condition(p, metav1.ConditionFalse, v1.ReasonFailed, message)
		p.LookAgain(msgr2Retry)
		return nil
	}
	p.Log.Infof("successfully enabled msgr2 protocol")
	msgr2Condition(p, metav1.ConditionTrue, v1.ReasonAsExpected, "all mons speak msgr2")
	return nil
}

// speakMsgr2 says whether every mon of the monmap has a msgr2 address: then it
// is on, and a pass with nothing to do changes nothing.
func speakMsgr2(q ceph.Quorum) bool {
	for _, m := range q.MonMap.Mons {
		if m.Endpoint("v2") == "" {
			return false
		}
	}
	return len(q.MonMap.Mons) > 0
}

// oddPorts names the mons on another port than the standard one, with a verb.
func oddPorts(mons map[string]pass.Mon) string {
	var odd []string
	for _, name := range identity.Sorted(mons) {
		if _, port := split(mons[name].Endpoint); port != identity.DefaultMonPort {
			odd = append(odd, fmt.Sprintf("%s (port %d)", name, port))
		}
	}
	switch len(odd) {
	case 0:
		return ""
	case 1:
		return "mon " + odd[0] + " is"
	}
	return "mons " + strings.Join(odd, ", ") + " are"
}

// msgr2Condition says whether the condition changed.
func msgr2Condition(p *pass.Pass, status metav1.ConditionStatus, reason, message string) bool {
	return condition(p, v1.ConditionMsgr2Enabled, status, reason, message)
}

func condition(p *pass.Pass, kind string, status metav1.ConditionStatus, reason, message string) bool {
	return apimeta.SetStatusCondition(&p.Cluster.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: p.Cluster.Generation, LastTransitionTime: metav1.NewTime(p.Clock.Now()),
	})
}
