package cli

import (
	"io/fs"
	"maps"

	"weft/papers"
)

// Option adds something to the command line of a program.
type Option func(*program)

// Ledgers has weft papers offer ledgers: the files of each by its name. Without it
// that command works on ledgers in folders.
func Ledgers(files map[string]fs.FS) Option {
	return func(p *program) {
		if p.library == nil {
			p.library = papers.Library{}
		}
		maps.Copy(p.library, files)
	}
}
