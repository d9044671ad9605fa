// Package papers keeps ledgers: each holds what one paper claims, as data that a
// computer checks. A ledger is a folder:
//
//	paper.yaml    the paper, what its scales mean, and its studies
//	claims.yaml   its claims, each with the checks that decide on it
//	*.yaml        scenario files, as weft study run takes them
//
// A study is a scenario file with what each scale changes in it. It is run as any
// study (package study), and claims are checks of the numbers that it leaves:
// values, ratios, orderings, trends, statistics of recorded series, and results of
// closed-form models. Every number has its 95 % interval over seeds. The verdict on
// a claim is one of five words:
//
//	reproduced       all checks are met
//	partly           some are
//	not              none is
//	not simulable    it is about hardware, or says too little to be run
//	missing          what it needs has not been run
//
// Expectation and tolerance stand in the ledger before it is run. A claim that is
// not reproduced stays there, with explanations: named changes, each with checks of
// its own, that move the number to the paper's.
//
// The ledgers of published papers are in package ledgers, which a program imports to
// carry them (Library); a ledger of one's own is read from its folder. The package knows nothing of figures.
package papers
