// Package paths reads explicit paths that a user lists: which switches packets from one switch to another pass, and how
// often each path is taken.
//
// A file has a path on each line, as names of switches from the first, which has hosts, to the last, which has some too:
//
//	# comment
//	tor0 spine1 tor3
//	tor0 spine2 tor3 weight=3
//
// Names may also be separated by ->. Where several cables join two switches, spine1#1 is the second of them. Paths of a
// pair need not stand together. Pairs without paths take minimal ones.
package paths
