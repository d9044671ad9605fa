// Package reading evaluates a ledger under several readings of its paper.
//
// A paper leaves settings open, or says two things about one. The file readings.yaml, beside the ledger's
// others, names each open setting with its admissible values and the source of each: text, figure, cited
// work or public code. The first reading is what the ledger's own studies run. Other readings change one
// setting, or those that the file combines. Their runs are kept and published like those of any study,
// beside the first ones, and any part of them can be run alone.
//
// A claim has one headline check. Over all readings that were run, the claim
//
//	holds                 if the check is met in each of them
//	depends on settings   if it is met in some
//	contradicted          if it is met in none
//	undecided             if no reading decides: zero against zero, one seed, or a window too short
//	not decidable here    if it is about a testbed, an operating system, others' work or lost numbers
//	not run               if nothing was run
//
// Expectations stand in the file before the runs. No reading is chosen by its fit.
package reading
