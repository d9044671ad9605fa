// Package paths reads explicit paths that a user lists: the switches that packets between
// two switches pass, and how often each path is taken.
//
// A file has one path per line, as the names of its switches. The first and the last switch
// must have hosts:
//
//	# comment
//	tor0 spine1 tor3
//	tor0 spine2 tor3 weight=3
//
// Names may also be separated by ->. If several cables join two switches, spine1#1 selects
// the second one. The paths of a pair need not be consecutive. Pairs without paths take
// minimal ones.
package paths
