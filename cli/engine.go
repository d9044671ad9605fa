package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"weft/study"
	"weft/study/local"
	"weft/study/remote"
)

// engineFlags say where the runs of a study are executed.
type engineFlags struct {
	auth     remote.Auth
	url      string
	workers  int
	attempts int
}

func (f *engineFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.url, "engine", "", "NATS server that hands runs to workers on other machines, as in nats://head-node:4222; needs weft-queue (default this machine)")
	boundedVar(c, &f.workers, "workers", 0, mostThreads, "parallel processes on this machine (default one per core, or none with --engine)")
	c.Flags().IntVar(&f.attempts, "attempts", 5, "how often a run starts in all if its process dies")
	addAuth(c, &f.auth)
}

// checkEngine refuses flags before anything is written.
func (p *program) checkEngine(f engineFlags) error {
	if f.attempts < 1 {
		return fmt.Errorf("--attempts %d: a run needs at least one attempt", f.attempts)
	}
	if f.url != "" && p.queue == nil {
		return p.noQueue("--engine")
	}
	return nil
}

// engine returns what executes a study's runs.
func (p *program) engine(s *study.Study, shard study.Shard, f engineFlags) (study.Engine, error) {
	command, err := workerProcess()
	if err != nil {
		return nil, err
	}
	if f.url == "" {
		return local.New(local.Options{Workers: f.workers, Command: command, MaxAttempts: f.attempts}), nil
	}
	place := absolute(s.Dir)
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	// The same folder seen from several machines is several studies to a server
	// that they share: each part of it has one who executes it.
	id := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d/%d", host, place, shard.Index, shard.Of))
	return p.queue.Engine(remote.Options{
		URL: f.url, Auth: f.auth.OrEnv(), Study: hex.EncodeToString(id[:8]), Program: s.Plan.Program,
		Workers: f.workers, Command: command, MaxAttempts: f.attempts,
	}), nil
}
