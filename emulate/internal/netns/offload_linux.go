package netns

import (
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sizes of the structures of ethtool.
const (
	featureName = 32 // ETH_GSTRING_LEN
	featureSet  = 4  // ETH_SS_FEATURES
	mostWords   = 8  // of 32 features each; kernels have two or three
	mostNames   = 32 * mostWords
)

// offloads are the features by which a kernel would hand over packets that no wire carries: without
// a checksum, or larger than the MTU. The strings match the beginning of features' names.
var offloads = [...]string{"tx-checksum", "tx-generic-segmentation", "tx-tcp", "tx-udp", "tx-gso", "tx-sctp-segmentation", "tx-vlan", "rx-gro", "rx-lro", "rx-udp-gro", "tx-gre", "tx-ipxip", "tx-esp", "tx-fcoe", "tx-tunnel", "tx-macsec"}

// ifreq is a request about a link whose data is stored elsewhere.
type ifreq struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [24 - unsafe.Sizeof(uintptr(0))]byte
}

// offloadsOff disables the offloads of a link in the thread's namespace and verifies that.
func offloadsOff(link string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a socket: %w", err)
	}
	defer unix.Close(fd)
	names := struct {
		cmd, set, len uint32
		name          [mostNames][featureName]byte
	}{cmd: unix.ETHTOOL_GSTRINGS, set: featureSet}
	if err := ethtool(fd, link, unsafe.Pointer(&names)); err != nil {
		return fmt.Errorf("ask for the features of %s: %w", link, err)
	}
	words := (int(names.len) + 31) / 32
	set := struct {
		cmd, size uint32
		words     [mostWords]struct{ valid, requested uint32 }
	}{cmd: unix.ETHTOOL_SFEATURES, size: uint32(words)}
	get := struct {
		cmd, size uint32
		words     [mostWords]struct{ available, requested, active, never uint32 }
	}{cmd: unix.ETHTOOL_GFEATURES, size: uint32(words)}
	if err := ethtool(fd, link, unsafe.Pointer(&get)); err != nil {
		return fmt.Errorf("ask for the features of %s: %w", link, err)
	}
	for i := range min(int(names.len), mostNames) {
		if matches(unix.ByteSliceToString(names.name[i][:])) {
			// The kernel rejects requests for features that it cannot change.
			set.words[i/32].valid |= get.words[i/32].available & (1 << (i % 32))
		}
	}
	if err := ethtool(fd, link, unsafe.Pointer(&set)); err != nil {
		return fmt.Errorf("switch offloads of %s off: %w", link, err)
	}
	if err := ethtool(fd, link, unsafe.Pointer(&get)); err != nil {
		return fmt.Errorf("ask for the features of %s: %w", link, err)
	}
	for i := range min(int(names.len), mostNames) {
		if name := unix.ByteSliceToString(names.name[i][:]); matches(name) && get.words[i/32].active&(1<<(i%32)) != 0 {
			return fmt.Errorf("%s of %s cannot be switched off; packets would not be as on a wire", name, link)
		}
	}
	return nil
}

func matches(feature string) bool {
	for _, o := range offloads {
		if strings.HasPrefix(feature, o) {
			return true
		}
	}
	return false
}

// ethtool makes one request about a link.
func ethtool(fd int, link string, data unsafe.Pointer) error {
	req := ifreq{data: data}
	copy(req.name[:unix.IFNAMSIZ-1], link)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req))); errno != 0 {
		return errno
	}
	return nil
}
