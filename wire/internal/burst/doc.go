// Package burst sends datagrams that may leave now in as few kernel calls as their paths allow.
//
// A [Sender] gathers datagrams. Flush sends datagrams of one size from one port to one address as a
// burst, which the kernel or the adapter cuts apart (UDP_SEGMENT). The last datagram of a burst
// may be smaller, so a smaller one goes last if there is one. Nothing waits for a burst to fill.
// Datagrams without a peer go alone, and so do those that repair a loss, unless bursts were
// checked just before.
//
// # Paths that take no bursts
//
// If the kernel refuses a burst, its datagrams are sent one by one at once. If these leave, the
// path gets no bursts from then on. If they are refused as well, as datagrams larger than the path
// takes are, the burst was not the cause.
//
// Bursts can also be lost silently. Kernels 7.0-rc1 to 7.1.4 garble bursts whose last datagram is
// not smaller than the others (tailscale pull request 19918). Tunnels (vxlan, geneve) drop them
// (wireguard-go pull request 26). Adapters keep bursts whose datagrams exceed the MTU of a route
// (HomaModule issues 26, 53). So a [Path] counts datagrams that repair losses. If there are many,
// the path is checked: probes, which the peer answers, go alternately in bursts and alone.
// Meanwhile everything else goes alone, unless the path has passed a check before. If far more
// probes in bursts than alone get no answer, twice in a row, the path gets no bursts. Losses that
// affect both kinds change nothing. Later checks find out whether bursts work again.
package burst
