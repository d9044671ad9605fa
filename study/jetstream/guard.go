package jetstream

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// leastSecret is the least length of a token or password.
const leastSecret = 16

// guard refuses a server that a stranger could use, on whichever address: other users of
// this machine are strangers, too. It checks every listener that the configuration opens.
func guard(o *server.Options) error {
	for _, user := range []struct{ key, name string }{
		{"no_auth_user", o.NoAuthUser}, {"websocket.no_auth_user", o.Websocket.NoAuthUser}, {"mqtt.no_auth_user", o.MQTT.NoAuthUser},
	} {
		if user.name != "" {
			return fmt.Errorf("%s lets in whoever connects; take it out of the configuration", user.key)
		}
	}
	clients := knowsClients(o)
	if !clients && !demandsCertificates(o) {
		return errors.New("whoever connects could run studies here and read their results; " +
			"demand a token (--token-file), a user, or certificates of clients (--tls-ca)")
	}
	for _, l := range []struct {
		key    string
		open   bool
		guards bool
	}{
		{"websocket", o.Websocket.Port != 0, clients || o.Websocket.Username != "" || o.Websocket.Token != "" || verifies(o.Websocket.TLSConfig)},
		{"mqtt", o.MQTT.Port != 0, clients || o.MQTT.Username != "" || o.MQTT.Token != "" || verifies(o.MQTT.TLSConfig)},
		{"leafnodes", o.LeafNode.Port != 0, clients || o.LeafNode.Username != "" || o.LeafNode.Nkey != "" || len(o.LeafNode.Users) > 0 || verifies(o.LeafNode.TLSConfig)},
		{"cluster", o.Cluster.Port != 0, o.Cluster.Username != "" || verifies(o.Cluster.TLSConfig)},
		{"gateway", o.Gateway.Port != 0, o.Gateway.Username != "" || verifies(o.Gateway.TLSConfig)},
	} {
		if l.open && !l.guards {
			return fmt.Errorf("%s opens a port that lets in whoever connects; give it an authorization block with a user and password, "+
				"or tls with verify: true; or take it out of the configuration", l.key)
		}
	}
	// Monitoring and profiling ports know no passwords.
	if o.HTTPPort != 0 || o.HTTPSPort != 0 {
		return errors.New("http, https and monitor_port open a port that tells whoever connects of studies and machines; take them out of the configuration")
	}
	if o.ProfPort != 0 {
		return errors.New("prof_port opens a port that shows whoever connects the memory of the server; take it out of the configuration")
	}
	return longSecrets(o)
}

// knowsClients reports whether clients must present a secret or a signature. It applies to
// each kind of client.
func knowsClients(o *server.Options) bool {
	return o.Authorization != "" || o.Username != "" || len(o.Users) > 0 || len(o.Nkeys) > 0 ||
		len(o.TrustedOperators) > 0 || len(o.TrustedKeys) > 0 || o.AuthCallout != nil
}

// demandsCertificates reports whether clients of the main listener must have certificates.
func demandsCertificates(o *server.Options) bool {
	return (o.TLSVerify || o.TLSMap || verifies(o.TLSConfig)) && !o.AllowNonTLS
}

func verifies(c *tls.Config) bool {
	return c != nil && c.ClientAuth == tls.RequireAndVerifyClientCert
}

// longSecrets refuses secrets that are short enough to be guessed. It cannot check secrets
// that are stored as hashes.
func longSecrets(o *server.Options) error {
	type secret struct{ what, user, text string }
	list := []secret{
		{"the token", "", o.Authorization}, {"the password", o.Username, o.Password},
		{"websocket: the token", "", o.Websocket.Token}, {"websocket: the password", o.Websocket.Username, o.Websocket.Password},
		{"mqtt: the token", "", o.MQTT.Token}, {"mqtt: the password", o.MQTT.Username, o.MQTT.Password},
	}
	// Users who are identified by certificates need no passwords.
	if !o.LeafNode.TLSMap {
		list = append(list, secret{"leafnodes: the password", o.LeafNode.Username, o.LeafNode.Password})
		for _, u := range o.LeafNode.Users {
			list = append(list, secret{"leafnodes: the password", u.Username, u.Password})
		}
	}
	if !o.Cluster.TLSMap {
		list = append(list, secret{"cluster: the password", o.Cluster.Username, o.Cluster.Password})
	}
	if !o.Gateway.TLSMap {
		list = append(list, secret{"gateway: the password", o.Gateway.Username, o.Gateway.Password})
	}
	if !o.TLSMap || o.AllowNonTLS {
		for _, u := range o.Users {
			list = append(list, secret{"the password", u.Username, u.Password})
		}
	}
	for _, s := range list {
		if s.text == "" && s.user == "" || len(s.text) >= leastSecret || strings.HasPrefix(s.text, "$2") && len(s.text) > 50 {
			continue
		}
		if s.user != "" {
			s.what += fmt.Sprintf(" of user %q", s.user)
		}
		return fmt.Errorf("%s has %d characters, which can be guessed; take %d or more, as head -c 24 /dev/urandom | base64 makes them", s.what, len(s.text), leastSecret)
	}
	return nil
}
