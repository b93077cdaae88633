package ceph

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// errAddrNotAvailable is what binding to a foreign address gives.
var errAddrNotAvailable = fmt.Errorf("bind: %w", syscall.EADDRNOTAVAIL)

func errorsIs(err, target error) bool { return errors.Is(err, target) }

// errnoText are libc's texts where Go's differ by more than the first letter.
var errnoText = map[syscall.Errno]string{
	syscall.EIO: "Input/output error", syscall.EADDRNOTAVAIL: "Cannot assign requested address",
}

// cppError is an error as Ceph logs it: "(2) No such file or directory".
func cppError(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err.Error()
	}
	text := errnoText[errno]
	if text == "" {
		text = errno.Error()
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return fmt.Sprintf("(%d) %s", int(errno), text)
}

// errnoNames are the names that the command line prints.
var errnoNames = map[syscall.Errno]string{
	syscall.EPERM: "EPERM", syscall.ENOENT: "ENOENT", syscall.ENXIO: "ENXIO", syscall.EIO: "EIO", syscall.EAGAIN: "EAGAIN", syscall.EACCES: "EACCES", syscall.EBUSY: "EBUSY",
	syscall.EEXIST: "EEXIST", syscall.ENOTDIR: "ENOTDIR", syscall.EINVAL: "EINVAL", syscall.EFBIG: "EFBIG", syscall.ENOSPC: "ENOSPC",
	syscall.ERANGE: "ERANGE", syscall.ENOSYS: "ENOSYS", syscall.ENOTEMPTY: "ENOTEMPTY", syscall.ENODATA: "ENODATA",
	syscall.EOPNOTSUPP: "EOPNOTSUPP", syscall.ETIMEDOUT: "ETIMEDOUT", syscall.E2BIG: "E2BIG", syscall.EDOM: "EDOM", syscall.ENOTCONN: "ENOTCONN",
}

func errnoName(e syscall.Errno) string {
	if n := errnoNames[e]; n != "" {
		return n
	}
	return "Unknown"
}

// errnoOf is the number of an error, EIO if it has none.
func errnoOf(err error) int {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return int(errno)
	}
	return int(syscall.EIO)
}
