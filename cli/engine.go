package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/study"
	"weft/study/jetstream"
)

// engineFlags say where the runs of a study are executed.
type engineFlags struct {
	natsFlags
	engine   string
	workers  int
	attempts int
}

func (f *engineFlags) add(c *cobra.Command) {
	f.natsFlags.add(c)
	c.Flags().StringVar(&f.engine, "engine", "", "NATS server that hands runs to the workers of other machines, as in nats://head-node:4222 (default: this machine)")
	c.Flags().IntVar(&f.attempts, "attempts", 5, "how often a run is begun whose process dies, before it is given up")
	c.Flags().IntVar(&f.workers, "workers", 0, "processes that run at a time on this machine (default: one a core, and none with --engine)")
}

// natsFlags say how to present oneself to a NATS server.
type natsFlags struct{ auth jetstream.Auth }

func (f *natsFlags) add(c *cobra.Command) {
	env := jetstream.AuthFromEnv()
	f.auth.User, f.auth.Password, f.auth.Token = env.User, env.Password, env.Token
	for _, o := range []struct {
		into              *string
		name, value, what string
	}{
		{&f.auth.Creds, "creds", env.Creds, "credentials file of the NATS user (default $NATS_CREDS)"},
		{&f.auth.NKey, "nkey", env.NKey, "file with the seed of an nkey (default $NATS_NKEY)"},
		{&f.auth.CA, "tlsca", env.CA, "certificates of the authorities to trust (default $NATS_CA)"},
		{&f.auth.Cert, "tlscert", env.Cert, "certificate of this client (default $NATS_CERT)"},
		{&f.auth.Key, "tlskey", env.Key, "private key of that certificate (default $NATS_KEY)"},
	} {
		*o.into = o.value
		c.Flags().StringVar(o.into, o.name, "", o.what)
		*o.into = o.value
	}
}

// engine returns what executes a study's runs.
func (p *program) engine(s *study.Study, shard study.Shard, f engineFlags) (study.Engine, error) {
	if f.workers < 0 {
		return nil, fmt.Errorf("--workers %d: at least one process must run", f.workers)
	}
	if f.attempts < 1 {
		return nil, fmt.Errorf("--attempts %d: a run must be begun once", f.attempts)
	}
	place, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	// The same folder seen from several machines is several studies to a server
	// that they share: each part of it has one who executes it.
	id := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d/%d", host, place, shard.Index, shard.Of))
	o := jetstream.Options{
		URL: f.engine, Auth: f.auth, Study: hex.EncodeToString(id[:8]), Program: s.Plan.Program,
		Workers: f.workers, Command: p.workerProcess, MaxAttempts: f.attempts,
	}
	o.Dir = filepath.Join(place, queueFolder)
	if shard.Of > 0 {
		o.Dir = filepath.Join(place, fmt.Sprintf("%s.%d-of-%d", queueFolder, shard.Index, shard.Of))
	}
	return jetstream.New(o), nil
}

// queueFolder is where the embedded server keeps what is to be done and what is
// done and not yet in the store.
const queueFolder = "queue"
