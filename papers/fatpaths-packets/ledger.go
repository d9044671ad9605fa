// Package fatpackets is the ledger of what the FatPaths paper simulates.
package fatpackets

import (
	"embed"
	"io/fs"
)

//go:embed *
var files embed.FS

// Files returns the files of the ledger.
func Files() fs.FS { return files }
