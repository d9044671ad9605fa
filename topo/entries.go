package topo

import "weft/catalog"

// Entries returns the topologies that a scenario can name.
func Entries() []catalog.Entry[*Graph] {
	return []catalog.Entry[*Graph]{
		catalog.Define("fat-tree",
			"folded Clos of two or three tiers, by radix or counts, with oversubscription; nodes host0.., tor0.., and spine0.. or agg0.., core0..",
			"Al-Fares et al., SIGCOMM 2008, §3; ARCANE §4.1", FatTree.Build).Alias("clos", "folded-clos").Exampled("radix=16"),
		catalog.Define("leaf-spine",
			"every leaf (ToR) linked to every spine, by counts; nodes host0.., tor0.., spine0..",
			"ARCANE §4.1", LeafSpine.Build).Alias("clos", "spine-leaf").Exampled("tors=4", "hosts_per_tor=8", "spines=4"),
		catalog.Define("dumbbell",
			"two switches with hosts on each and one link between them; nodes host0.., left, right",
			"the usual single bottleneck; ARCANE §4.1 (defaults)", Dumbbell.Build),
		catalog.Define("star",
			"one switch with all hosts; nodes host0.., tor0",
			"ARCANE §4.1 (defaults)", Star.Build).Alias("single-switch").Exampled("hosts=8"),
		catalog.Define("slim-fly",
			"McKay-Miller-Širáň graph of diameter 2, by its order, a prime power; nodes host0.., a0r0.., b0r0..",
			"Besta and Hoefler, Slim Fly, SC 2014, §II; FatPaths Table V", SlimFly.Build).Exampled("order=5"),
		catalog.Define("dragonfly",
			"groups that are full meshes, and global links between any two groups, in a named arrangement; nodes host0.., g0r0..",
			"Kim et al., ISCA 2008; Hastings et al., CLUSTER 2015, §III; FatPaths Table V", Dragonfly.Build).Exampled("size=1k"),
		catalog.Define("hyperx",
			"Hamming graph: switches are linked if they differ in one of several digits; nodes host0.., r0-0-0..",
			"Ahn et al., HyperX, SC 2009; FatPaths Table V", HyperX.Build).Alias("hamming", "flattened-butterfly").Exampled("widths=[4, 4]"),
		catalog.Define("xpander",
			"random lift of a clique: groups joined by random matchings; nodes host0.., g0r0..",
			"Valadarsky et al., Xpander, CoNEXT 2016, §3; FatPaths Table V", Xpander.Build).Exampled("degree=8"),
		catalog.Define("jellyfish",
			"random regular graph, by counts or with the hardware of another topology; nodes host0.., r0..",
			"Singla et al., Jellyfish, NSDI 2012, §3; FatPaths §II-B", Jellyfish.Build).Alias("rrg").Exampled("switches=20", "degree=4"),
		catalog.Define("clique",
			"full mesh: every switch is linked to every other; nodes host0.., r0..",
			"FatPaths Table V", Clique.Build).Alias("full-mesh", "complete").Exampled("switches=8"),
		catalog.Define("graph",
			"any graph: lists of nodes and links, or a file: GraphML, DOT, GML, JSON of NetworkX, lists of edges, CSV, htsim, HPCC or netbench",
			"GraphML 1.0; ARCANE §4.1 (defaults)", Custom.Build),
	}
}
