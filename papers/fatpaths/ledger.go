// Package fatpaths is the ledger of the FatPaths paper.
package fatpaths

import (
	"embed"
	"io/fs"
)

//go:embed *
var files embed.FS

// Files returns the files of the ledger.
func Files() fs.FS { return files }
