// Package load computes the expected load of links: the load that traffic between hosts,
// each with a mean rate, puts on every link if each switch splits it equally among its next
// hops. That is the channel load of textbooks (Dally and Towles, Principles and Practices
// of Interconnection Networks, 2004, §3.1). The package knows nothing of packets and of
// their waiting times.
//
// Arrivals may depend on loads, for example on the load of the core. So products are
// rounded before they are added, which keeps any machine from fusing the two operations.
package load
