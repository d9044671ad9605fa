// Knots reports how the code hangs together, from type-checked references:
//
//   - knot: the files of a package that all reach each other, the largest such set
//   - files, packages: those that name a feature
//   - exports: the exported names of a package
//   - unused: those that nobody else in the repository uses
//   - fields: the fields of structs that have grown large
//   - promoted: these, with the fields of embedded structs in place of them
//
// From the root of the repository,
//
//	go run ./internal/knots          prints the report
//	go run ./internal/knots -write   makes today's numbers the bounds
//
// Its test compares the report with bounds.txt: a number may fall, and does not rise. Whoever
// makes one smaller writes the bounds anew.
package main
