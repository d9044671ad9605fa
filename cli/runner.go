package cli

import (
	"os"
	"runtime"
	"runtime/debug"

	"weft/study"
	"weft/unit"
)

// runner returns what executes the tasks of studies in this process.
func (p *program) runner() (study.Runner, error) {
	identity, err := study.Program()
	if err != nil {
		return nil, err
	}
	return study.NewRunner(p.reg, identity), nil
}

const (
	// collectAt is how much the memory of a worker process grows, in percent, until
	// garbage is collected. Less than usual, as for a single run: what a run is
	// built from is garbage when the next one begins.
	collectAt = 50
	// ballast is memory that is never touched and so takes none. It counts as
	// alive, so that small runs, which leave little, collect only now and then.
	ballast = 32 * unit.MiB
)

// collectRarely sets the collector of a worker process, until the returned function
// is called. GOGC goes before it.
func collectRarely() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	debug.SetGCPercent(collectAt)
	untouched := make([]byte, ballast)
	return func() { runtime.KeepAlive(untouched) }
}
