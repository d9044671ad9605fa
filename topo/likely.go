package topo

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"weft/internal/userfile"
	"weft/problem"
)

// headLength is the number of bytes that suffice to recognise a format.
const headLength = 4096

// likelyFormats returns the formats that a file looks like, or nil.
func likelyFormats(file io.ReaderAt) []string {
	head := make([]byte, headLength)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return resembles(string(head[:n]))
}

// withFormat adds the assumed format to an error about a file, if the file does not look like
// that format. Otherwise the error is a mistake within the file.
func (f Format) withFormat(file io.ReaderAt, err error) error {
	if found := (*fs.PathError)(nil); errors.As(err, &found) {
		return err
	}
	switch like := likelyFormats(file); {
	case slices.Contains(like, f.Name):
		return err
	case like == nil:
		return problem.New("%w", err).Mend("the file was read as %s; weft reads %s", f.Name, strings.Join(formatNames(func(Format) bool { return true }), ", "))
	case like[0] == matrixName:
		return problem.New("%w", err).Mend("the file was read as %s, but looks like a connection matrix of htsim, which is traffic: pattern: {kind: connections, file: …}", f.Name)
	default:
		return problem.New("%w", err).Mend("the file was read as %s, but looks like %s: name that format", f.Name, strings.Join(like, " or "))
	}
}

// resembling adds the formats that a file looks like to the error about its unknown
// extension.
func resembling(path string, err error) error {
	file, openErr := userfile.Open(path, MaxFile)
	if openErr != nil {
		return err
	}
	defer file.Close()
	if like := likelyFormats(file); like != nil {
		return problem.New("%w", err).Mend("the file looks like %s", strings.Join(like, " or "))
	}
	return err
}

// readOnly returns the error for writing a format that weft only reads.
func (f Format) readOnly() error {
	return problem.New("weft reads %s, but does not write it", f.Name).Mend("use %s", strings.Join(formatNames(func(f Format) bool { return f.write != nil }), ", "))
}

// formatNames returns the names of the formats that a function selects.
func formatNames(of func(Format) bool) (names []string) {
	for _, f := range Formats() {
		if of(f) {
			names = append(names, f.Name)
		}
	}
	return names
}
