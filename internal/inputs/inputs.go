// Package inputs hashes what scenarios name as files.
package inputs

import (
	"weft/internal/userfile"
	"weft/trace/chakra"
)

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
