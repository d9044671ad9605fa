package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"weft/papers"
	"weft/study"
	"weft/study/remote"
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

// Queue lets studies run on many machines: weft serve, weft worker, and --engine and
// --connect of other commands. Without it studies run on this machine.
func Queue(q remote.Queue) Option {
	return func(p *program) { p.queue = &q }
}

// noQueue refuses what needs a queue, and says which program has one.
func (p *program) noQueue(what string) error {
	if study.Revision() == "" {
		return fmt.Errorf("%s needs a queue, and this program carries none; its main asks for one with cli.Queue(jetstream.Queue()), of package weft/study/jetstream", what)
	}
	words := make([]string, len(p.args))
	for i, word := range p.args {
		words[i] = shellWord(word)
	}
	return fmt.Errorf("%s needs a queue, and this program carries none; build one that does, and use it on all machines:\n  go install ./cmd/weft-queue\n  weft-queue %s", what, strings.Join(words, " "))
}
