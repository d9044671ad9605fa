// Package burst sends the datagrams that may leave now by as few calls of the kernel as their paths stand.
//
// A [Sender] gathers datagrams. Flush sends those from one port to one address, if they are of one size, as a burst which the
// kernel or the adapter cuts apart (UDP_SEGMENT); the last one of a burst may be smaller, so a smaller one that is there comes
// last. Nothing waits for a burst to fill. What repairs a loss, unless bursts were checked just now, and what is of no peer, goes
// alone.
//
// # Paths that take no bursts
//
// A burst that the kernel refuses is sent again at once, one datagram after another. If these leave, the path has no bursts
// from then on. If they are refused as well, as those are that are larger than the path takes, it was not for the burst.
//
// Bursts can also be lost without a word. Kernels 7.0-rc1 to 7.1.4 garble bursts whose last datagram is not smaller than the
// others (tailscale pull request 19918). Tunnels (vxlan, geneve) drop what was sent as one (wireguard-go pull request 26).
// Adapters keep bursts whose datagrams are larger than the MTU of a route (HomaModule issues 26, 53). So a [Path] counts what
// repairs losses. If that is much, all goes alone for a while, and the path is checked: probes, which the peer
// answers, go as bursts and alone in turns. If far more of those in bursts get no answer, twice in a row, the path has no
// bursts; losses that also meet what goes alone change nothing. Later checks tell whether bursts live again.
package burst
