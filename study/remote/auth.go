package remote

import (
	"cmp"
	"os"
)

// Auth holds the credentials for a NATS server, in addition to a user and password or a
// token in its URL. If several are set, the server chooses.
type Auth struct {
	User, Password, Token string
	// TokenFile is a file with a token. It is read again for each connection.
	TokenFile string
	// Creds is a file with a JWT and a seed. NKey is a file with the seed of an nkey.
	Creds, NKey string
	// CA is a file with the certificate authorities to trust instead of the system's. Cert
	// and Key are files with this client's certificate and its key.
	CA, Cert, Key string
}

// OrEnv fills in unset fields from the environment variables that the nats command reads:
// NATS_USER, NATS_PASSWORD, NATS_TOKEN, NATS_CREDS, NATS_NKEY, NATS_CA, NATS_CERT and
// NATS_KEY. The URL is in NATS_URL.
func (a Auth) OrEnv() Auth {
	if !a.Given() {
		a.User, a.Password, a.Token = os.Getenv("NATS_USER"), os.Getenv("NATS_PASSWORD"), os.Getenv("NATS_TOKEN")
		if a.Password == "" && a.Token == "" {
			// The nats command takes a user without a password for a token.
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

// Given reports whether there are credentials other than certificates.
func (a Auth) Given() bool {
	return a.User != "" || a.Token != "" || a.TokenFile != "" || a.Creds != "" || a.NKey != ""
}
