package jetstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"weft/study/remote"
)

// authOptions checks the files of credentials, and returns the options of a connection.
func authOptions(a remote.Auth) ([]nats.Option, error) {
	var list []nats.Option
	if a.User != "" {
		list = append(list, nats.UserInfo(a.User, a.Password))
	}
	if a.Token != "" {
		list = append(list, nats.Token(a.Token))
	}
	if a.TokenFile != "" {
		if _, err := ReadToken(a.TokenFile); err != nil {
			return nil, err
		}
		list = append(list, nats.TokenHandler(func() string {
			token, _ := ReadToken(a.TokenFile) // without a token, the server reports that it is missing
			return token
		}))
	}
	if a.Creds != "" {
		if err := readable(a.Creds, "credentials"); err != nil {
			return nil, err
		}
		list = append(list, nats.UserCredentials(a.Creds))
	}
	if a.NKey != "" {
		o, err := nats.NkeyOptionFromSeed(a.NKey)
		if err != nil {
			return nil, fmt.Errorf("the nkey in %s cannot be used: %w", a.NKey, err)
		}
		list = append(list, o)
	}
	if a.CA == "" && a.Cert == "" && a.Key == "" {
		return list, nil
	}
	if (a.Cert == "") != (a.Key == "") {
		return nil, errors.New("a client's certificate and its key go together; give both, or neither")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.CA != "" {
		pem, err := os.ReadFile(a.CA)
		if err != nil {
			return nil, fmt.Errorf("the file of certificate authorities: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate in PEM", a.CA)
		}
	}
	if a.Cert != "" {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return append(list, nats.Secure(config)), nil
}

func readable(path, what string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the file of %s: %w", what, err)
	}
	return f.Close()
}

// connectOptions returns the options of all connections to servers by URL. A connection
// never gives up once it has been established, and reports what happens.
func connectOptions(shown, name string, notice func(string), reconnected func()) []nats.Option {
	return []nats.Option{
		nats.Name(name),
		nats.Timeout(3 * time.Second),
		nats.PingInterval(10 * time.Second),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(func(attempts int) time.Duration {
			return min(100*time.Millisecond<<min(attempts, 8), 10*time.Second)
		}),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if err != nil && !c.IsClosed() {
				notice(fmt.Sprintf("the connection to %s is lost (%v); trying again", shown, err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			notice("connected to " + shown + " again")
			reconnected()
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			// A lost progress report does no harm.
			if !errors.Is(err, nats.ErrSlowConsumer) {
				notice(fmt.Sprintf("%s: %v", shown, err))
			}
		}),
	}
}
