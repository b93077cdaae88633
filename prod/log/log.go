package log

import "k8s.io/klog/v2"

// Logger writes one line a call. Secrets are of a type that does not print, so
// a format with %v is safe.
type Logger interface {
	Debugf(format string, args ...any)
	Infof(format string, args ...any)
	Warningf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Debug is the klog verbosity (-v) from which debug lines show.
const Debug klog.Level = 4

// Klog writes through k8s.io/klog/v2.
type Klog struct{}

// Debugf writes at verbosity [Debug].
func (Klog) Debugf(format string, args ...any) {
	if v := klog.V(Debug); v.Enabled() {
		v.InfofDepth(1, format, args...)
	}
}

// Infof writes at severity INFO.
func (Klog) Infof(format string, args ...any) { klog.InfofDepth(1, format, args...) }

// Warningf writes at severity WARNING.
func (Klog) Warningf(format string, args ...any) { klog.WarningfDepth(1, format, args...) }

// Errorf writes at severity ERROR.
func (Klog) Errorf(format string, args ...any) { klog.ErrorfDepth(1, format, args...) }
