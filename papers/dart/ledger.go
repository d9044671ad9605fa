// Package dart is the ledger of the Dart paper.
package dart

import (
	"embed"
	"io/fs"
)

//go:embed *
var files embed.FS

// Files returns the files of the ledger.
func Files() fs.FS { return files }
