// Package remote defines the interface between the command line and a queue that hands runs
// to several machines. Package jetstream implements such a queue. A program contains it
// only if its main imports that package.
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
	// Work executes tasks of any study of the program in processes of this machine until
	// the context is done. Then it gives back its tasks and returns nil.
	Work func(context.Context, WorkerOptions) error
}

// ErrRefused marks errors of connecting that the user must fix, such as a server that is
// not there, wrong credentials, or a server without JetStream.
var ErrRefused = errors.New("refused")

// Options are the options of an engine.
type Options struct {
	// URL is the URL of the server. Several are separated by commas.
	URL string
	// Auth holds the credentials.
	Auth Auth
	// Study distinguishes studies that share a server.
	Study string
	// Program identifies this program. Only workers of the same program receive its tasks.
	Program string
	// Workers is the number of processes to start on this machine, in addition to those
	// elsewhere.
	Workers int
	// Command returns the command of a worker process, which calls workers.Serve.
	Command workers.Command
	// MaxAttempts limits the attempts of a run whose process dies, or that fails for lack
	// of a resource. 0 means 5.
	MaxAttempts int
	// AckWait is how long a worker may be silent before its task is given to another one. 0
	// means 30 s.
	AckWait time.Duration
	// RetryDelay is the wait before a run that failed for lack of a resource is repeated.
	// It doubles each time. 0 means 500 ms. A run whose process died is repeated at once.
	RetryDelay time.Duration
	// ConnectTimeout is how long to try to connect to the server. 0 means 10 s.
	ConnectTimeout time.Duration
}

// WorkerOptions are the options of a machine's workers.
type WorkerOptions struct {
	// URL is the URL of the server. Several are separated by commas.
	URL  string
	Auth Auth
	// Program identifies this program, whose tasks the workers execute.
	Program string
	// Workers is the number of processes to start. 0 means the number of cores.
	Workers int
	// Command returns the command of a worker process, which calls workers.Serve.
	Command workers.Command
	// Cache is a folder for files that tasks need and this machine does not have. If empty,
	// it is in the user's cache.
	Cache string
	// ConnectTimeout is how long to try to connect at first. 0 means 10 s. After a lost
	// connection, workers try to reconnect without limit.
	ConnectTimeout time.Duration
	// Notice receives texts that the user should read, and Status receives progress from
	// time to time. Calls come one at a time.
	Notice func(text string)
	Status func(WorkerStatus)
}

// WorkerStatus is the state of a machine's workers.
type WorkerStatus struct {
	Connected bool
	// Workers is the number of processes, and Busy the number of them that execute a run.
	Workers, Busy int
	// Done counts runs with a result, Failed those without one, and Lost those whose
	// process died.
	Done, Failed, Lost int
}

// ServeOptions are the options of a server for several machines.
type ServeOptions struct {
	// Listen is the address to listen on, as host:port. If empty, it is port 4222 on the
	// loopback interface. Port 0 means any free port.
	Listen string
	// Dir is the folder of its streams.
	Dir string
	// TokenFile is a file with the token that clients must present. It is created if it
	// does not exist.
	TokenFile string
	// Token, or User and Password, are demanded of clients. If nothing else identifies
	// clients, the server demands a token that it makes for the user.
	Token, User, Password string
	// Cert and Key are the files of its certificate and key. With CA, clients must present
	// a certificate that these authorities signed.
	Cert, Key, CA string
	// Config is the configuration file of a NATS server. The fields above override it.
	Config string
	// Ready is called once the server can be reached.
	Ready func(Served)
	// Notice receives the server's warnings and errors.
	Notice func(text string)
}

// Served describes how to reach a server.
type Served struct {
	// URL is its URL without secrets.
	URL string
	// TokenFile is the file with the token that clients must present, if the server has
	// read or made one.
	TokenFile string
	// Private: commands of this user find the token by themselves.
	Private bool
}

// DefaultServeDir returns the user's folder for a server's streams.
func DefaultServeDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the server's streams is known (%w); name one with --dir", err)
	}
	return filepath.Join(dir, "weft", "server"), nil
}
