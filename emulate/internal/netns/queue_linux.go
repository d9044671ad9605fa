package netns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"weft/unit"
)

// Bytes that a frame takes on a wire in addition to those that the kernel counts (the packet
// and its 14-byte header): checksum, preamble, and gap. No frame takes less than leastOnWire.
const (
	behindFrame = 24
	leastOnWire = 84
)

// backlog is how many packets can wait in a host's kernel, the default of Linux (txqueuelen).
const backlog = 1000

// slack is how late the kernel's timers may be without leaving a link idle. The
// bucket holds what the link carries in that time.
const slack = 100 * time.Microsecond

// Handles of the two queueing disciplines of a host.
const (
	bucketHandle = 1 << 16
	queueHandle  = 2 << 16
)

// throttle makes the kernel of a host send at the rate of its link, if that is
// known. The thread is in the host's namespace.
func (h *Hosts) throttle(i int, theirs *netlink.Handle) error {
	if h.rates == nil || h.rates[i] <= 0 {
		return nil
	}
	link, err := theirs.LinkByName(hostLink)
	if err != nil {
		return fmt.Errorf("find %s: %w", hostLink, err)
	}
	if err := hold(link.Attrs().Index, h.rates[i], h.mtu); err != nil {
		// The reason is the same for all hosts.
		h.rates = nil
		h.notes = append(h.notes, unheld(err))
	}
	return nil
}

// unheld returns a note that hosts are not limited to their rates, and what would help.
func unheld(err error) string {
	remedy := ""
	switch {
	case errors.Is(err, unix.ENOENT):
		remedy = "; the kernel has no token bucket: load the module sch_tbf (modprobe sch_tbf as root)"
	case errors.Is(err, unix.EOPNOTSUPP):
		remedy = "; the kernel was built without queueing disciplines (CONFIG_NET_SCHED, CONFIG_NET_SCH_TBF)"
	}
	return fmt.Sprintf("hosts do not notice how fast their links are, and what they send ahead waits outside their kernels (%v)%s", err, remedy)
}

// hold gives a link a token bucket before a queue of packets. The bucket has the exact rate. A
// lower rate would leave the link idle, and a higher rate would build up a queue behind the bucket.
func hold(link int, rate unit.Rate, mtu int) error {
	bytes := uint64(rate) / 8
	parms := nl.TcTbfQopt{Limit: backlog * uint32(mtu+Header)}
	parms.Rate = nl.TcRateSpec{Linklayer: nl.LINKLAYER_ETHERNET, Overhead: behindFrame, Mpu: leastOnWire, Rate: uint32(min(bytes, 1<<32-1))}
	options := nl.NewRtAttr(nl.TCA_OPTIONS, nil)
	options.AddRtAttr(nl.TCA_TBF_PARMS, parms.Serialize())
	options.AddRtAttr(nl.TCA_TBF_BURST, nl.Uint32Attr(burst(rate, mtu)))
	if bytes >= 1<<32 {
		options.AddRtAttr(nl.TCA_TBF_RATE64, nl.Uint64Attr(bytes))
	}
	if err := discipline(link, bucketHandle, netlink.HANDLE_ROOT, "tbf", options); err != nil {
		return err
	}
	// The bucket's default queue counts bytes; this one counts packets.
	return discipline(link, queueHandle, bucketHandle|1, "pfifo", nl.NewRtAttr(nl.TCA_OPTIONS, binary.NativeEndian.AppendUint32(nil, backlog)))
}

// burst is how many bytes a kernel may send at once: two full frames, plus what the
// link carries during slack.
func burst(rate unit.Rate, mtu int) uint32 {
	return uint32(2*(mtu+Header+behindFrame) + int(int64(rate/8)*int64(slack)/int64(time.Second)))
}

// discipline gives a link in the thread's namespace a queueing discipline.
func discipline(link int, handle, parent uint32, kind string, options *nl.RtAttr) error {
	req := nl.NewNetlinkRequest(unix.RTM_NEWQDISC, unix.NLM_F_CREATE|unix.NLM_F_REPLACE|unix.NLM_F_ACK)
	req.AddData(&nl.TcMsg{Family: nl.FAMILY_ALL, Ifindex: int32(link), Handle: handle, Parent: parent})
	req.AddData(nl.NewRtAttr(nl.TCA_KIND, nl.ZeroTerminated(kind)))
	req.AddData(options)
	if _, err := req.Execute(unix.NETLINK_ROUTE, 0); err != nil {
		return fmt.Errorf("queue by %s: %w", kind, err)
	}
	return nil
}

// overrun returns how many packets the queue of a link in the thread's namespace has dropped.
func overrun(link netlink.Link) (uint64, error) {
	list, err := netlink.QdiscList(link)
	if err != nil {
		return 0, fmt.Errorf("ask for its queue: %w", err)
	}
	for _, q := range list {
		if a := q.Attrs(); a.Handle == bucketHandle && a.Statistics != nil && a.Statistics.Queue != nil {
			return uint64(a.Statistics.Queue.Drops), nil
		}
	}
	return 0, nil
}
