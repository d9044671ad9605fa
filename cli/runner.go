package cli

import (
	"os"
	"runtime/debug"

	"weft/study"
)

// collectAt is how much the memory of a worker process grows, in percent, until
// garbage is collected. Less than usual, as for a single run: what a run is built
// from is garbage when the next one begins.
const collectAt = 50

// runner returns what executes the tasks of studies in this process.
func (p *program) runner() (study.Runner, error) {
	identity, err := study.Program()
	if err != nil {
		return nil, err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	return study.NewRunner(p.reg, identity), nil
}
