// Package section is the shape in which a feature of a simulation tells about a run: numbers for
// files and tables over many runs, columns of the table of runs, or a table of its own. A feature
// declares its section once, in a package below this one; record lists the declarations, a
// simulation fills sections in, and whatever prints them knows no feature by name.
package section
