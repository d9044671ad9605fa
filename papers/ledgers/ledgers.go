// Package ledgers holds the ledgers that come with weft. A program carries them only if
// it imports this package.
package ledgers

import (
	"io/fs"

	"weft/papers/arcane"
	"weft/papers/dart"
	"weft/papers/fatpaths"
	fatpackets "weft/papers/fatpaths-packets"
	"weft/papers/fncc"
	"weft/papers/sird"
)

// All returns the files of each ledger by its name.
func All() map[string]fs.FS {
	return map[string]fs.FS{"arcane": arcane.Files(), "dart": dart.Files(), "fatpaths": fatpaths.Files(), "fatpaths-packets": fatpackets.Files(), "fncc": fncc.Files(), "sird": sird.Files()}
}
