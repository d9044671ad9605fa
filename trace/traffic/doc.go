// Package traffic lets the hosts of a network replay a trace of an application (package trace): the traffic
// pattern named trace. Each host has a source that drives the replay of its ranks: a send becomes a message of
// the network, its delivery lets the receive end that takes it, and computations take their time.
//
// Begin with options, the pattern; job is what all hosts share, and host one host's source. A rank may have a host
// per NIC (nics).
//
// Against MPI and NCCL these are simplified, and named in the documentation: a message below the rendezvous
// size ends at its sender when it starts; the request and the clearance of a rendezvous go beside the network;
// processors are held by computations alone; a message of 0 bytes takes the network as one of 1 byte.
package traffic
