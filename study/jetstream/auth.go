package jetstream

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Auth is how to present oneself to a NATS server, beside a user and password or a
// token in its URL. What is set twice is the server's to choose from.
type Auth struct {
	User, Password, Token string
	// TokenFile is a file with a token. It is read again for each connection.
	TokenFile string
	// Creds is a file with a JWT and a seed; NKey one with the seed of an nkey.
	Creds, NKey string
	// CA is a file with the authorities to trust instead of the system's; Cert and
	// Key are this client's certificate.
	CA, Cert, Key string
}

// OrEnv fills in what is not set from the variables of the environment that the
// nats command reads: NATS_USER, NATS_PASSWORD, NATS_TOKEN, NATS_CREDS, NATS_NKEY,
// NATS_CA, NATS_CERT and NATS_KEY. The URL is in NATS_URL.
func (a Auth) OrEnv() Auth {
	if !a.given() {
		a.User, a.Password, a.Token = os.Getenv("NATS_USER"), os.Getenv("NATS_PASSWORD"), os.Getenv("NATS_TOKEN")
		if a.Password == "" && a.Token == "" {
			// There, a user without a password is a token.
			a.User, a.Token = "", a.User
		}
		a.Creds, a.NKey = os.Getenv("NATS_CREDS"), os.Getenv("NATS_NKEY")
	}
	a.CA = cmp.Or(a.CA, os.Getenv("NATS_CA"))
	if a.Cert == "" && a.Key == "" {
		a.Cert, a.Key = os.Getenv("NATS_CERT"), os.Getenv("NATS_KEY")
	}
	return a
}

// given reports whether it says who connects, beside certificates.
func (a Auth) given() bool {
	return a.User != "" || a.Token != "" || a.TokenFile != "" || a.Creds != "" || a.NKey != ""
}

// options checks the files and returns options of a connection.
func (a Auth) options() ([]nats.Option, error) {
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
			token, _ := ReadToken(a.TokenFile) // the server says that it lacks
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

// withoutSecrets returns the URLs of servers as they may be shown.
func withoutSecrets(list string) string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		u, err := url.Parse(part)
		switch {
		case err == nil && u.Host != "":
			u.User, u.RawQuery, u.Fragment = nil, "", ""
			parts[i] = u.String()
		default:
			// host:port, or token@host:port
			parts[i] = part[strings.LastIndexByte(part, '@')+1:]
		}
	}
	return strings.Join(parts, ",")
}

// connectOptions of all connections to servers by URL: they never give up once
// they were connected, and tell what happens.
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
			// Lost news of progress is no loss.
			if !errors.Is(err, nats.ErrSlowConsumer) {
				notice(fmt.Sprintf("%s: %v", shown, err))
			}
		}),
	}
}

// quiet keeps a connection within this process from writing on the standard error.
func quiet(o *nats.Options) error {
	o.AsyncErrorCB = func(*nats.Conn, *nats.Subscription, error) {}
	return nil
}
