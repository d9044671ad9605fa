// Package scheduling holds the schedulers of switch ports that come with weft: which priority class sends next.
//
//   - strict: class 0 first, then class 1, and so on. Ports do this by themselves.
//   - drr: deficit round robin, by Shreedhar and Varghese, SIGCOMM 1995.
//   - sfq: start-time fair queueing, by Goyal, Vin and Cheng, SIGCOMM 1996.
//
// The last two divide what strict classes leave by weights. They differ in how long a frame waits for its turn: a class
// that drr serves sends up to a quantum in one go, while sfq interleaves frames.
//
// The package imports the interfaces of package protocol, and knows nothing of ports. Begin with drr.go.
package scheduling
