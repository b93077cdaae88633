// Package log is the door for what an operator of the product reads in its log.
//
// The seed fixes texts and severities (S26-S51, S90-S102), so the interface is
// four severities with a formatted text. Main hands in [Klog]; the simulation
// hands in one that writes to its trace, where scenarios look for lines.
package log
