// Package study runs many scenarios as easily as one: it expands a scenario file
// into the runs of a matrix, keeps what they leave in a store where a finished run
// is never repeated, hands what is missing to an engine, and sums up cells over
// their seeds. It knows nothing of figures, and of engines only their interface.
package study
