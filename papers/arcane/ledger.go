// Package arcane is the ledger of the ARCANE paper.
package arcane

import (
	"embed"
	"io/fs"
)

//go:embed *
var files embed.FS

// Files returns the files of the ledger.
func Files() fs.FS { return files }
