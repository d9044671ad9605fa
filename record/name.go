package record

import "strconv"

// ordinalBits is how many bits of a message's number are its place among those of its host and group.
const ordinalBits = 32

// Name returns a short name of the message that is unique in the run, as in "train/host25#12": group, sending host, and
// how many messages of the group the host had sent before.
func (f *Flow) Name() string { return MessageName(f.Group, f.Src, f.ID) }

// MessageName returns the name of the message with a number, which a host of a group sends.
func MessageName(group, host string, id uint64) string {
	return group + "/" + host + "#" + strconv.FormatUint(id&(1<<ordinalBits-1), 10)
}
