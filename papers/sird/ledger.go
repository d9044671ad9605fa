// Package sird is the ledger of the SIRD paper.
package sird

import (
	"embed"
	"io/fs"
)

//go:embed *
var files embed.FS

// Files returns the files of the ledger.
func Files() fs.FS { return files }
