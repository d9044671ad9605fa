package topo

import "weft/catalog"

// Entries returns the topologies that a scenario can name.
func Entries() []catalog.Entry[*Graph] {
	return []catalog.Entry[*Graph]{
		catalog.Define("fat-tree",
			"folded Clos of two or three tiers, by radix or counts, with oversubscription; nodes host0.., tor0.., and spine0.. or agg0.., core0..",
			"Al-Fares et al., SIGCOMM 2008, §3; ARCANE §4.1", FatTree.Build),
		catalog.Define("leaf-spine",
			"every leaf (ToR) linked to every spine, by counts; nodes host0.., tor0.., spine0..",
			"ARCANE §4.1", LeafSpine.Build),
		catalog.Define("dumbbell",
			"two switches with hosts on each and one link between them; nodes host0.., left, right",
			"the usual single bottleneck; ARCANE §4.1 (defaults)", Dumbbell.Build),
		catalog.Define("star",
			"one switch with all hosts on it; nodes host0.., tor0",
			"ARCANE §4.1 (defaults)", Star.Build),
		catalog.Define("graph",
			"any graph: lists of nodes and links, or a file: GraphML, DOT, node-link JSON, CSV, htsim, HPCC or netbench",
			"GraphML 1.0; ARCANE §4.1 (defaults)", Custom.Build),
	}
}
