package jetstream

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"weft/study/workers"
)

// A server that is told of no other way to know its clients makes a token, in a file
// that only its user can read. Commands of the same user that connect to the server's
// address find it there; users elsewhere are given a copy of the file.

// ReadToken returns the token in a file.
func ReadToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the file of the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("the file of the token: %s is empty; remove it, and weft-queue serve makes a new one", path)
	}
	return token, nil
}

// readOrMakeToken returns the token in a file, which it makes if there is none.
func readOrMakeToken(path string) (token string, made bool, err error) {
	if token, err = ReadToken(path); !errors.Is(err, fs.ErrNotExist) {
		return token, false, err
	}
	token = newToken()
	return token, true, writeToken(path, token)
}

func newToken() string { return rand.Text() + rand.Text() }

// writeToken makes the file of a token. It does not follow a link or write into a file
// that others have open.
func writeToken(path, token string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("the file of the token: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the file of the token: %w", err)
	}
	_, err = fmt.Fprintln(f, token)
	return errors.Join(err, f.Close())
}

// privateToken is where the token of a server at an address is kept for its user. Home
// folders may be shared by machines, so that the name tells the loopbacks of two apart.
func privateToken(host, port string) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	if host == "" || onLoopback(host) || isUnspecified(host) {
		host = workers.Hostname()
	}
	if port == "" {
		port = defaultPort
	}
	return filepath.Join(dir, "weft", "tokens", token(strings.ToLower(host))+"_"+token(port)), nil
}

func isUnspecified(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsUnspecified()
}

const defaultPort = "4222"

// withPrivateTokens adds to the URLs of servers the tokens of this user for their
// addresses. A token goes to the server that made it and to no other.
func withPrivateTokens(list string) string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		full := part
		if !strings.Contains(part, "://") {
			full = "nats://" + part
		}
		u, err := url.Parse(full)
		if err != nil || u.Host == "" || u.User != nil {
			continue
		}
		path, err := privateToken(u.Hostname(), u.Port())
		if err != nil {
			continue
		}
		if text, err := ReadToken(path); err == nil {
			u.User = url.User(text)
			parts[i] = u.String()
		}
	}
	return strings.Join(parts, ",")
}
