// Package eqds is the receiver-driven credit scheme of EQDS (Olteanu et al., "An
// Edge-Queued Datagram Service for All Datacenter Traffic", NSDI 2022), over switches
// that trim packets (NDP, SIGCOMM 2017).
//
// The sender of a connection has, when it begins, a speculative allowance of one
// bandwidth-delay product, which it sends at line rate. With the first
// acknowledgement, report of a trimmed packet or pull it stops speculating, and from
// then on sends only what it was pulled. Each data frame says the total credit that
// the sender would be content with: what it was granted and its backlog, less the
// credit it has, as far as at most Credit of it is outstanding. A packet may go while
// there is any credit, whatever its size.
//
// Trimmed packets are not in that total. The receiver knows of each before its sender
// does, and pulls for it beside the highest total that it was told. The sender leaves
// out those that were reported to it. So no order of arrival makes one count twice or
// be forgotten, and what is pulled is just what is sent.
//
// The receiver of a host pulls for all its connections from one queue, at a little
// less than its line rate: first in turn from those that have trimmed packets to send
// again, then in turn from all others that ask for more, one packet's worth each time.
// A pull carries the total granted so far, so that a lost one is made good by the next.
//
// A sender that cannot send and whose receiver does not know of it (after a timeout,
// or when the first answer found it with packets left that it had meant to send
// speculatively) sends a request, a frame without data. It also does so when it waited
// for credit for a retransmission timeout, because pulls or its request were lost: this
// request says which total reached it, and the receiver pulls again for what is missing.
//
// Departures and simplifications:
//   - A connection that was idle gets its whole speculative allowance back at once.
//     EQDS restores it by pulling idle senders with what is left of the line rate.
//   - What was not spent of the allowance when speculation stops is forfeited, and the
//     target says so exactly; the public simulator keeps it in the books.
//   - A pull for less than a packet grants only what is asked for.
//   - Amounts are bytes, not quanta of 256 or 512 B.
//   - There is no sender-side window, no reaction to marks, and no reduced pull rate
//     for an oversubscribed core.
//
// Frames: a pull or a request is as large as an acknowledgement; the target travels in
// the header of data frames that is counted anyway.
package eqds
