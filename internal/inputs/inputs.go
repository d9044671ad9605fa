// Package inputs hashes what scenarios name as files.
package inputs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"weft/internal/userfile"
	"weft/topo"
	"weft/trace/chakra"
)

// Sums holds hashes of files by path, so that a file is read once. A nil Sums keeps none.
type Sums map[string]string

// Of returns SHA256 of a path.
func (s Sums) Of(path string) (string, error) {
	if sum, known := s[path]; known {
		return sum, nil
	}
	sum, err := SHA256(path)
	if s != nil && err == nil {
		s[path] = sum
	}
	return sum, err
}

// WithNamed returns a hash of a file and of the file that it names in turn: properties of netbench name a topology
// file. For any other path, and if there is no such file, it is the same as Of: then whoever reads the file
// reports what is wrong.
func (s Sums) WithNamed(path string) (string, error) {
	own, err := s.Of(path)
	if err != nil {
		return "", err
	}
	places, err := topo.Companions(path)
	if err != nil {
		return own, nil // no properties of netbench
	}
	for _, place := range places {
		named, err := s.Of(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		both := fmt.Sprintf("%s  %s\n%s  %s\n", own, filepath.Base(path), named, filepath.Base(place))
		sum := sha256.Sum256([]byte(both))
		return hex.EncodeToString(sum[:]), nil
	}
	return own, nil
}

// SHA256 returns the hash of a file or a folder, in hexadecimal, as userfile.SHA256 does. A trace of Chakra may be
// named by the prefix of its files, or by one of them. Then the hash is of all that are read: the same as that
// of a folder with these files alone.
func SHA256(path string) (string, error) {
	files, err := chakra.Files(path)
	switch {
	case err != nil:
		return "", err
	case files != nil:
		return userfile.AllSHA256(files)
	}
	return userfile.SHA256(path)
}
