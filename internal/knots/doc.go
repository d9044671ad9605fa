// Knots reports how tightly the code is coupled, from type-checked references:
//
//   - knot: the largest set of files in a package that all reach each other
//   - files, packages: the files and packages that name a feature
//   - exports: the exported names of a package
//   - unused: the exported names that no other package uses
//   - fields: the fields of structs that have grown large
//   - promoted: the same, with the fields that embedded structs promote
//
// From the root of the repository,
//
//	go run ./internal/knots          prints the report
//	go run ./internal/knots -write   makes today's numbers the bounds
//
// Its test compares the report with bounds.txt. A number may fall but must not rise. After a
// number falls, write the bounds anew.
package main
