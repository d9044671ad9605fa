package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/userfile"
	"weft/study/jetstream"
	"weft/unit"
)

func (p *program) serve() *cobra.Command {
	var o jetstream.ServeOptions
	var tokenFile, passwordFile string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve a queue for studies that several machines execute",
		Long: `Serve a queue for studies that several machines execute: a NATS server with
JetStream, as any other is. A study uses it with --engine URL, and machines take
part with weft worker --connect URL.

It listens on this machine only, unless --listen says otherwise. Beyond it demands
a token, a user or certificates of clients.`,
		Example: `  weft serve
  head -c 24 /dev/urandom | base64 > token
  weft serve --listen :4222 --token-file token --tls-cert server.pem --tls-key server.key
  weft serve --config nats.conf`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if o.Token, err = secret(tokenFile); err != nil {
				return badInput(err)
			}
			if o.Password, err = secret(passwordFile); err != nil {
				return badInput(err)
			}
			if (o.User == "") != (o.Password == "") {
				return badInput(errors.New("--user and --password-file go together; give both, or neither"))
			}
			if o.Dir == "" && o.Config == "" {
				if o.Dir, err = jetstream.DefaultServeDir(); err != nil {
					return badInput(err)
				}
			}
			o.Ready = func(url string) {
				where := ""
				if o.Dir != "" {
					where = "; its streams are in " + o.Dir
				}
				fmt.Fprintf(p.stdout, "listening at %s%s\nweft study run STUDY --engine %[1]s\nweft worker --connect %[1]s\n", url, where)
			}
			o.Notice = func(text string) { p.notices([]string{text}) }
			defer p.interrupts.hold()()
			return p.connecting(jetstream.Serve(c.Context(), o))
		},
	}
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "", "address to listen on (default 127.0.0.1:4222, or the configuration's)")
	f.StringVar(&o.Dir, "dir", "", "folder for the streams (default in the user's cache, or the configuration's)")
	f.StringVar(&tokenFile, "token-file", "", "file with the token that clients must present")
	f.StringVar(&o.User, "user", "", "user that clients must be")
	f.StringVar(&passwordFile, "password-file", "", "file with that user's password")
	f.StringVar(&o.Cert, "tls-cert", "", "file with the server's certificate")
	f.StringVar(&o.Key, "tls-key", "", "file with the key of the certificate")
	f.StringVar(&o.CA, "tls-ca", "", "file with the authorities that must have signed the certificates of clients")
	f.StringVar(&o.Config, "config", "", "configuration file of a NATS server; flags go before it")
	return c
}

// maxSecret is how large a file of a secret is at most.
const maxSecret = 64 * unit.KiB

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
	if errors.Is(err, jetstream.ErrRefused) {
		return badInput(err)
	}
	return err
}
