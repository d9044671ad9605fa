// Package section defines how a feature of a simulation reports on a run: metrics for files and
// tables over many runs, columns of the table of runs, or a table of its own. A feature declares
// its section once, in a package below this one. Package record lists the declarations, a
// simulation fills sections in, and the code that prints them needs to know no feature by name.
package section
