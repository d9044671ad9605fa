// Package load computes the expected load of links: what traffic between hosts, each with a mean
// rate, brings to every link if each switch splits it equally among its next hops. That is the load
// of channels in textbooks (Dally and Towles, Principles and Practices of Interconnection Networks,
// 2004, §3.1). It knows nothing of packets, and nothing of the time that they wait.
//
// Arrivals may depend on loads (a load of the core, say), so products are rounded before they are added: no machine
// may fuse the two.
package load
