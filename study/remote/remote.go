// Package remote holds the words in which the command line asks for a queue that hands
// runs to several machines. Package jetstream has such a queue; a program carries it only
// if its main imports that.
package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"weft/study"
	"weft/study/workers"
)

// Queue hands runs to several machines.
type Queue struct {
	// Engine returns an engine that executes tasks through a server.
	Engine func(Options) study.Engine
	// Serve runs a server until the context is done.
	Serve func(context.Context, ServeOptions) error
	// Work executes tasks of any study of the program, in processes of this machine,
	// until the context is done. Then it gives back what it had and returns nil.
	Work func(context.Context, WorkerOptions) error
}

// ErrRefused marks errors of connecting that the user mends: a server that is not
// there, credentials that are wrong, a server without JetStream.
var ErrRefused = errors.New("refused")

// Options of an engine.
type Options struct {
	// URL of the server, several separated by commas.
	URL string
	// Auth is how to present oneself to it.
	Auth Auth
	// Study tells studies apart that share a server.
	Study string
	// Program is the identity of this program. Tasks go to workers of the same
	// program only.
	Program string
	// Workers is how many processes to start on this machine, beside those of others.
	Workers int
	// Command makes the command of a worker process, which calls workers.Serve.
	Command workers.Command
	// MaxAttempts is how often a run is begun whose process dies, or that fails
	// for want of something. 5 if it is 0.
	MaxAttempts int
	// AckWait is how long a worker may be silent before its task is given to
	// another. 30 s if it is 0.
	AckWait time.Duration
	// RetryDelay is how long a run that failed for want of something waits to be
	// repeated, twice as long each time. 500 ms if it is 0. A run whose process
	// died is repeated at once.
	RetryDelay time.Duration
	// ConnectTimeout is how long to look for the server. 10 s if it is 0.
	ConnectTimeout time.Duration
}

// WorkerOptions are of a machine's workers.
type WorkerOptions struct {
	// URL of the server, several separated by commas.
	URL  string
	Auth Auth
	// Program is the identity of this program, whose tasks it takes.
	Program string
	// Workers is how many processes to start, as many as there are cores if it is
	// 0.
	Workers int
	// Command makes the command of a worker process, which calls workers.Serve.
	Command workers.Command
	// Cache is a folder for files that tasks need and this machine has not. In the
	// user's cache if it is empty.
	Cache string
	// ConnectTimeout is how long to look for the server at first. Once connected,
	// it is looked for as long as it takes. 10 s if it is 0.
	ConnectTimeout time.Duration
	// Notice is told what the user should know, and Status now and then what goes
	// on. Calls come one at a time.
	Notice func(text string)
	Status func(WorkerStatus)
}

// WorkerStatus is what the workers of a machine do.
type WorkerStatus struct {
	Connected bool
	// Workers is how many processes there are, and Busy how many of them run.
	Workers, Busy int
	// Done, Failed and Lost count runs that have a result, that have none, and
	// whose process died.
	Done, Failed, Lost int
}

// ServeOptions are of a server for several machines.
type ServeOptions struct {
	// Listen is the address as in host:port. Port 4222 of the loopback if it is
	// empty. Port 0 is any that is free.
	Listen string
	// Dir is where its streams are.
	Dir string
	// TokenFile has the token that is demanded of clients. It is made if it is not
	// there.
	TokenFile string
	// Token, or User and Password, are demanded of clients. If nothing is that tells
	// clients from strangers, the server demands a token that it makes for the user.
	Token, User, Password string
	// Cert and Key are the files of its certificate. With CA, clients must present
	// one that these authorities signed.
	Cert, Key, CA string
	// Config is a configuration file of a NATS server. What is set above goes
	// before it.
	Config string
	// Ready is told where the server is, once it can be reached.
	Ready func(Served)
	// Notice is told of its warnings and errors.
	Notice func(text string)
}

// Served says where a server is.
type Served struct {
	// URL has no secrets.
	URL string
	// TokenFile has the token that clients must present, if the server has read or made
	// one.
	TokenFile string
	// Private tells that commands of this user find the token by themselves.
	Private bool
}

// DefaultServeDir is a folder of the user's for a server's streams.
func DefaultServeDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the server's streams is known (%w); name one with --dir", err)
	}
	return filepath.Join(dir, "weft", "server"), nil
}
