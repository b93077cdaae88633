package sim

import (
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/sim/kube"
)

// OperatorPasses are the operator's reconciles, oldest first.
func (w *World) OperatorPasses() []world.Pass { return w.passes }

func (w *World) passed(controller string, r reconcile.Request) {
	w.passes = append(w.passes, world.Pass{At: w.loop.Now(), Controller: controller, Key: r.NamespacedName})
}

// OperatorWatches are the kinds that the API server tells the operator of.
func (w *World) OperatorWatches() []string { return w.api.Watched(operatorUser) }

// HandOperator hands the operator an object as if it had been added to the
// kind that it watches, whatever the object is.
func (w *World) HandOperator(kind string, o client.Object) error {
	if w.operator == nil {
		return errors.New("the operator does not run")
	}
	handed := false
	for _, m := range w.managers {
		for _, watch := range m.controller.Watches {
			gvk, err := apiutil.GVKForObject(watch.Object, w.api.Scheme())
			if err != nil {
				return err
			}
			if gvk.Kind == kind {
				m.see(watch, kube.Event{New: o})
				handed = true
			}
		}
	}
	if !handed {
		return fmt.Errorf("the operator does not watch %ss; it watches %q", kind, w.OperatorWatches())
	}
	return nil
}
