package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/userfile"
	"weft/study/remote"
	"weft/unit"
)

func (p *program) serve() *cobra.Command {
	var o remote.ServeOptions
	var passwordFile string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve a queue for studies that run on several machines",
		Long: `Serve a queue for studies that run on several machines: an ordinary NATS server with
JetStream. A study uses it with --engine URL, and machines join with
weft-queue worker --connect URL. Only the program weft-queue carries the queue; build it
with go install ./cmd/weft-queue.

It listens on this machine only; --listen sets another address.

Clients must present a token, a user or a certificate. If you name none, the server
makes a token in a file that only you can read. Your own commands on this machine,
and on machines with the same home folder, find it by the server's address. Elsewhere,
give them a copy with --token-file. Tokens and passwords must have at least 16
characters. All of this also applies to the ports that --config opens.`,
		Example: `  weft-queue serve
  weft-queue serve --listen :4222 --token-file token
  weft-queue serve --listen :4222 --token-file token --tls-cert server.pem --tls-key server.key
  weft-queue serve --config nats.conf`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if p.queue == nil {
				return badInput(p.noQueue("weft serve"))
			}
			var err error
			if o.Password, err = secret(passwordFile); err != nil {
				return badInput(err)
			}
			if (o.User == "") != (o.Password == "") {
				return badInput(errors.New("--user and --password-file go together; give both, or neither"))
			}
			if o.Dir == "" && o.Config == "" {
				if o.Dir, err = remote.DefaultServeDir(); err != nil {
					return badInput(err)
				}
			}
			o.Ready = func(s remote.Served) { p.serving(s, o.Dir) }
			o.Notice = func(text string) { p.notices([]string{text}) }
			defer p.interrupts.hold()()
			return p.connecting(p.queue.Serve(c.Context(), o))
		},
	}
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "", "address to listen on (default 127.0.0.1:4222, or the configuration's)")
	f.StringVar(&o.Dir, "dir", "", "folder for the streams (default in the user's cache, or the configuration's)")
	f.StringVar(&o.TokenFile, "token-file", "", "file with the token that clients must present; created if missing")
	f.StringVar(&o.User, "user", "", "user name that clients must present")
	f.StringVar(&passwordFile, "password-file", "", "file with that user's password")
	f.StringVar(&o.Cert, "tls-cert", "", "file with the server's certificate")
	f.StringVar(&o.Key, "tls-key", "", "file with the key of the certificate")
	f.StringVar(&o.CA, "tls-ca", "", "file with the authorities that sign client certificates")
	f.StringVar(&o.Config, "config", "", "configuration file of a NATS server; flags take precedence")
	return c
}

// maxSecret is how large a file of a secret is at most.
const maxSecret = 64 * unit.KiB

// serving says where a server is and how to use it.
func (p *program) serving(s remote.Served, dir string) {
	fmt.Fprintf(p.stdout, "listening at %s", s.URL)
	if dir != "" {
		fmt.Fprintf(p.stdout, "; its streams are in %s", dir)
	}
	with := ""
	if s.TokenFile != "" && !s.Private {
		with = " --token-file " + shellWord(s.TokenFile)
	}
	fmt.Fprintf(p.stdout, "\nweft-queue study run STUDY --engine %s%s\nweft-queue worker --connect %[1]s%[2]s\n", s.URL, with)
	if s.Private {
		fmt.Fprintf(p.stdout, "your commands find its token; elsewhere add --token-file with a copy of %s\n", s.TokenFile)
	}
}

// secret reads a file whose content must not be on a command line.
func secret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := userfile.Read(path, maxSecret)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(b))
	if text == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

// connecting marks what the user has to mend about a server.
func (p *program) connecting(err error) error {
	if errors.Is(err, remote.ErrRefused) {
		return badInput(err)
	}
	return err
}
