// Package arcane is the load balancer of "ARCANE: Adaptive Routing with Caching
// and Aware Network Exploration" (Bonato et al.): a sender caches the entropy
// values that came back in unmarked acknowledgements and sends with the oldest
// of them, draws at random when it has none, and after a failure freezes: it
// goes on with what it has cached instead of exploring.
//
// The source is §3, Algorithms 1 and 2 and Appendix A. Below, 1:15 is line 15 of
// Algorithm 1. A [Sender] serves one connection; [Options] lists the parameters
// with their published defaults.
//
// # Presets
//
// As-printed follows the listings, code the authors' simulator (below). Fixed, the
// default, mends where the listings say something else than the paper's text:
//
//   - 1:3 starts exploreCounter at 0 and nothing sets it again but the end of
//     freezing (1:17). §3.1 explores during the first BDP of a new or idle
//     connection. Fixed sets the counter when a connection starts and when it
//     resumes after having been idle. (As printed, a new connection explores
//     until its first unmarked acknowledgement, because its buffer is empty, and
//     an idle one goes on with what it had cached.)
//   - 1:15–18 ends freezing only on an acknowledgement that is not marked, since
//     1:6–8 has returned before on others. §3.2 leaves after a fixed time. Fixed
//     looks at the clock before every send too.
//   - 2:8–9 walks over all cells of the buffer, also those that were never
//     written, and so sends with entropy 0, which nothing has confirmed. §3.2
//     reuses the elements that are in the buffer. Fixed walks over those only.
//
// Where the listings leave a choice, both presets do the same:
//
//   - 2:4 takes the remainder of a difference that can be negative. What is meant
//     is the cell that many places before the head on the ring.
//   - 1:9–14 with a full buffer overwrites the oldest valid entry: the number of
//     valid entries stays, and the next oldest becomes the oldest. The valid
//     entries are therefore always the numberOfValidEVs cells before the head,
//     also after the walk of 2:8–9, which begins when there are none. So the
//     validity bits are implied and not stored.
//   - The walk of 2:8–9 moves the head, so that the next insertion overwrites the
//     entry that the walk would have used next, not the one written first.
//   - 2:15 isEmpty means that nothing was cached since the connection started. If
//     it meant that no entry is valid, freezing would explore.
//   - 2:15–18 draws at random in freezing mode as long as nothing is cached.
//   - 2:17 rand()%EVS_SIZE is a draw from 0…EVS_SIZE-1 whose bias is below 2⁻¹⁶.
//   - 1:22 takes no notice of failures while exploring.
//
// Two choices concern fixed alone. A connection that resumes while it is frozen
// stays frozen until its time is over, and explores then: §3.2 must avoid random
// entropies. Entries that were valid when a connection became idle stay so: §3.1
// asks for exploration, whose acknowledgements overwrite them.
//
// # Failures
//
// What procedure OnFailureDetection (1:21) is called for is up to [Detection].
// The paper ran with timeouts (§4.1). One that follows a period with a high
// round-trip time is put down to congestion (Appendix A); this needs state that
// Table 1 does not count. No value is given for that period and threshold, nor
// for FREEZING_TIMEOUT:
//
//   - freezing_timeout is 10 ms: the time that §3.2 gives routing to exclude a
//     failed link, and the default of the authors' simulator. The thousand
//     packets or so that §3.2 has lost meanwhile do not single it out: the ledger's
//     study reconvergence loses 312 to the fault with 10 ms, 1448 with probes,
//     1842 with 1 ms and 9858 with 100 µs, which is more than the 4131 without
//     freezing (means of five runs). Each end of a freeze explores one BDP at random, part of
//     which meets a failure that lasts, and 1:22 does not freeze again before all
//     of it is sent: a short freeze pays this often, and a sender whose window is
//     small pays it long. A long one keeps to few paths after a repair. Figure 6
//     shows freezing that ends soon after a failure of 200 µs, and Figure 19
//     freezing that ends during one, and so both have less; the authors' simulator
//     ran Figure 6 with 100 µs. A freeze of less than an RTO can be started again
//     by timeouts of packets that were sent before it. Sweep 100 µs to 10 ms.
//   - max_rtt_period is 1 RTO: a timeout is about a packet that was sent an RTO
//     before. The authors' simulator restarts its maximum every 2 RTO.
//   - max_rtt_threshold is 200 % of the unloaded round-trip time: the round trip
//     with one full queue of 1 BDP on the way, which is what a packet lost to
//     congestion left behind. With every queue of a busy path at Kmin (20 %) the
//     round trip is 160 % on two tiers and 200 % on three. On three the 165 % of
//     the authors' simulator therefore puts real failures down to congestion, and
//     so does 200 %, since a maximum that equals the threshold is high: with
//     busy paths on three tiers, set more. On two tiers both leave a margin, of 5
//     and of 40 points. The authors' Figure 6 ran with trimming, where the
//     heuristic is not used. Sweep 130 % to 300 %.
//
// The authors' simulator is the artefact of REPS (EuroSys 2026), ARCANE's later
// name: https://github.com/tommasobo/REPS_EuroSys_Artifact. It departs from the
// listings, and the preset code does as it does:
//
//   - Freezing ends on the first feedback after its time: an acknowledgement,
//     marked or not, or the report of a trimmed header. Neither a send nor a
//     timeout ends it, so that a sender that hears of nothing, because all it has
//     cached leads to dead paths, stays frozen. The buffer is cleared at the end.
//   - A frozen sender walks over the written cells with a cursor of its own, also
//     over valid entries, which it uses up out of turn. Afterwards the valid ones
//     need not be those before the head, so that what it takes for the oldest may
//     be neither valid nor the oldest. (Its number of valid entries can sink below
//     0 then, and it reads beyond the buffer; here the number stays at 0.)
//   - 1 BDP is rounded down to packets, and a new connection does not explore.
//
// # Probes
//
// §3.2 leaves freezing by probes where they are available, and by time otherwise;
// Appendix A calls probing an extension and says no more. With exit set to probe,
// a sender that froze sends a probe, with the entropy of the packet whose timeout
// was taken for the failure, at once and then once an interval, and thaws when one
// comes back, marked or not. If none does, probe_patience (10 ms, §3.2's time
// until routing excludes a link) takes the place of freezing_timeout: all it has
// cached may lead to dead paths. A transport that sends no probes leaves the end
// by time.
//
// # State
//
// [StateBits] counts a sender's state like Table 1. The number of written cells,
// which fixed needs and Table 1 lacks, fits beside the head and the number of
// valid entries into their 16 bits for buffers of up to 31 entries.
package arcane
