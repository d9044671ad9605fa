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

// A server without another way to identify its clients makes a token, in a file that only
// its user can read. The same user's commands find it by the server's address. Users
// elsewhere need a copy of the file.

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

// readOrMakeToken returns the token in a file. It creates the file if there is none.
func readOrMakeToken(path string) (token string, made bool, err error) {
	if token, err = ReadToken(path); !errors.Is(err, fs.ErrNotExist) {
		return token, false, err
	}
	token = newToken()
	return token, true, writeToken(path, token)
}

func newToken() string { return rand.Text() + rand.Text() }

// writeToken creates the file of a token. It does not follow links, and does not write to a
// file that others have open.
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

// privateToken returns the path at which the token of a server's address is kept for its
// user. Machines may share home folders, so the path distinguishes their loopback
// addresses.
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

// withPrivateTokens adds this user's tokens to the URLs of servers. A token is sent only to
// the server that made it.
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
