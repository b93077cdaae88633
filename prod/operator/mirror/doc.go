// Package mirror runs the daemons that mirror RBD images to other clusters: as
// many as spec.rbdMirroring.workers says, and no more (S8).
//
// [Reconcile] is the step; [Deployment] tells what a daemon's pod has. Which
// images are mirrored is set up with the program rbd, not here.
package mirror
