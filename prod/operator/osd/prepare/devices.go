package prepare

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// Device is a block device as lsblk tells of it.
type Device struct {
	Name       string // "sdb", without /dev/
	Parent     string // the device that it is a part of, "" for none
	Type       string // "disk", "part", "lvm", "crypt", "loop", "rom", …
	Size       uint64 // bytes
	ReadOnly   bool
	Removable  bool
	Filesystem string // "xfs", "LVM2_member", …; "" for none
	Mountpoint string // "" for none
	// Kept is why it must not be used though nothing is on it, "" for no reason.
	// lsblk does not know that.
	Kept string
}

// lsblkColumns are what lsblk is asked for. The form of pairs is the one that
// all releases' images know.
const lsblkColumns = "NAME,PKNAME,TYPE,SIZE,RO,RM,FSTYPE,MOUNTPOINT"

func lsblkArgs(more ...string) []string {
	return append([]string{"--bytes", "--pairs", "--output", lsblkColumns}, more...)
}

// ListDevices lists the node's devices.
func ListDevices(ctx context.Context, run exec.Executor) ([]Device, error) {
	out, err := run.Run(ctx, exec.Command{Program: "lsblk", Args: lsblkArgs()})
	if err != nil {
		return nil, fmt.Errorf("failed to list the devices: %w", err)
	}
	return ParseDevices(string(out.Stdout))
}

var lsblkPair = regexp.MustCompile(`([A-Z]+)="((?:[^"\\]|\\.)*)"`)

// ParseDevices reads what `lsblk --bytes --pairs` prints. A device that is a
// part of several is there several times.
func ParseDevices(text string) ([]Device, error) {
	var devices []Device
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		values := map[string]string{}
		for _, pair := range lsblkPair.FindAllStringSubmatch(line, -1) {
			values[pair[1]] = unescape(pair[2])
		}
		size, err := strconv.ParseUint(values["SIZE"], 10, 64)
		if err != nil || values["NAME"] == "" {
			return nil, fmt.Errorf("a line of lsblk cannot be read: %q", line)
		}
		devices = append(devices, Device{
			Name: values["NAME"], Parent: values["PKNAME"], Type: values["TYPE"], Size: size,
			ReadOnly: values["RO"] == "1", Removable: values["RM"] == "1",
			Filesystem: values["FSTYPE"], Mountpoint: values["MOUNTPOINT"],
		})
	}
	return devices, nil
}

var hexByte = regexp.MustCompile(`\\x[0-9a-fA-F]{2}`)

// unescape undoes the way in which lsblk writes what is not printable.
func unescape(text string) string {
	return hexByte.ReplaceAllStringFunc(text, func(escaped string) string {
		n, err := strconv.ParseUint(escaped[2:], 16, 8)
		if err != nil {
			return escaped
		}
		return string([]byte{byte(n)})
	})
}
