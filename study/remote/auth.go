package remote

import (
	"cmp"
	"os"
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
	if !a.Given() {
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

// Given reports whether it says who connects, beside certificates.
func (a Auth) Given() bool {
	return a.User != "" || a.Token != "" || a.TokenFile != "" || a.Creds != "" || a.NKey != ""
}
