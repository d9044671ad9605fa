package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"weft/study/remote"
	"weft/study/workers"
)

const (
	defaultListen = "127.0.0.1:" + defaultPort
	// maxPayload is the largest value that the server recommends. Nearly all results are
	// smaller.
	maxPayload   = 8 << 20
	readyTimeout = 30 * time.Second
)

// Serve runs a NATS server with JetStream until the context is done.
func Serve(ctx context.Context, o remote.ServeOptions) error {
	options, private, err := serverOptions(o)
	if err != nil {
		return refused{err}
	}
	s, err := server.NewServer(options)
	if err != nil {
		return refused{fmt.Errorf("the NATS server: %w", err)}
	}
	log := &noticeLog{notice: o.Notice}
	if o.Config != "" && options.LogFile != "" {
		s.ConfigureLogger()
	} else {
		s.SetLoggerV2(log, false, false, false)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	for deadline := time.Now().Add(readyTimeout); !s.ReadyForConnections(100 * time.Millisecond); {
		switch {
		case ctx.Err() != nil:
			return nil
		case log.first() != "":
			return refused{fmt.Errorf("the NATS server cannot start: %s", log.first())}
		case time.Now().After(deadline):
			return fmt.Errorf("the NATS server was not ready within %v", readyTimeout)
		}
	}
	if !s.JetStreamEnabled() {
		return refused{fmt.Errorf("JetStream cannot start in %s: %s", options.StoreDir, log.first())}
	}
	served := remote.Served{URL: publicURL(s, options), TokenFile: o.TokenFile}
	if private {
		path, remove, err := keepPrivateToken(s, options)
		if err != nil {
			return refused{err}
		}
		defer remove()
		served.TokenFile, served.Private = path, true
	}
	if o.Ready != nil {
		o.Ready(served)
	}
	<-ctx.Done()
	return nil
}

// keepPrivateToken writes the token of a server to where its user's commands look for it.
// The token of a randomly chosen port is removed when the server ends.
func keepPrivateToken(s *server.Server, o *server.Options) (path string, remove func(), err error) {
	keep := func() {}
	path, err = privateToken(publicAddress(s, o))
	if err != nil {
		return "", keep, noPrivateToken(err)
	}
	if there, err := ReadToken(path); err == nil && there == o.Authorization {
		return path, keep, nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", keep, noPrivateToken(err)
	}
	if err := writeToken(path, o.Authorization); err != nil {
		return "", keep, noPrivateToken(err)
	}
	if o.Port == server.RANDOM_PORT {
		return path, func() { _ = os.Remove(path) }, nil
	}
	return path, keep, nil
}

func noPrivateToken(err error) error {
	return fmt.Errorf("the token of the server cannot be kept for your commands (%w); name a file for it with --token-file", err)
}

// serverOptions returns the checked options of the server. private reports whether the
// server demands a token that was made for its user.
func serverOptions(o remote.ServeOptions) (options *server.Options, private bool, err error) {
	options = &server.Options{}
	if o.Config != "" {
		if options, err = server.ProcessConfigFile(o.Config); err != nil {
			return nil, false, fmt.Errorf("the configuration: %w", err)
		}
	} else {
		options.MaxPayload = maxPayload
	}
	options.NoSigs, options.JetStream = true, true
	if o.Listen != "" || o.Config == "" {
		if err := listen(options, o.Listen); err != nil {
			return nil, false, err
		}
	}
	if o.Dir != "" {
		options.StoreDir = o.Dir
	}
	if options.StoreDir == "" {
		return nil, false, errors.New("the server needs a folder for its streams: --dir, or store_dir in its configuration")
	}
	if o.TokenFile != "" {
		token, made, err := readOrMakeToken(o.TokenFile)
		if err != nil {
			return nil, false, err
		}
		if made && o.Notice != nil {
			o.Notice("a new token is in " + o.TokenFile)
		}
		o.Token = token
	}
	if o.Token != "" {
		options.Authorization = o.Token
	}
	if o.User != "" {
		options.Username, options.Password = o.User, o.Password
	}
	if err := setTLS(options, o); err != nil {
		return nil, false, err
	}
	if private = !knowsClients(options) && !demandsCertificates(options); private {
		options.Authorization = formerToken(options)
	}
	if err := guard(options); err != nil {
		return nil, false, err
	}
	if err := os.MkdirAll(options.StoreDir, 0o700); err != nil {
		return nil, false, fmt.Errorf("the folder of the server: %w", err)
	}
	return options, private, nil
}

// formerToken returns the token of the last server at this address, so that workers can
// reconnect after a restart. If there is none, it returns a new token.
func formerToken(o *server.Options) string {
	if o.Port != server.RANDOM_PORT {
		if path, err := privateToken(o.Host, strconv.Itoa(cmp.Or(o.Port, server.DEFAULT_PORT))); err == nil {
			if token, err := ReadToken(path); err == nil && len(token) >= leastSecret {
				return token
			}
		}
	}
	return newToken()
}

func listen(options *server.Options, address string) error {
	if address == "" {
		address = defaultListen
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s is not an address to listen on, as in %s: %w", address, defaultListen, err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return fmt.Errorf("%s is not a port to listen on, as in %s", port, defaultListen)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	options.Host, options.Port = host, int(n)
	if n == 0 {
		options.Port = server.RANDOM_PORT
	}
	return nil
}

func setTLS(options *server.Options, o remote.ServeOptions) error {
	if o.Cert == "" && o.Key == "" {
		if o.CA != "" {
			return errors.New("clients can present certificates only if the server has one itself")
		}
		return nil
	}
	if o.Cert == "" || o.Key == "" {
		return errors.New("the server's certificate and its key go together; give both, or neither")
	}
	config, err := server.GenTLSConfig(&server.TLSConfigOpts{
		CertFile: o.Cert, KeyFile: o.Key, CaFile: o.CA, Verify: o.CA != "", Timeout: server.TLS_TIMEOUT.Seconds(),
	})
	if err != nil {
		return fmt.Errorf("the server's certificate: %w", err)
	}
	options.TLS, options.TLSConfig, options.TLSVerify = true, config, o.CA != ""
	options.TLSTimeout = 5
	return nil
}

// onLoopback reports whether only this machine reaches the host.
func onLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// publicURL returns the URL for clients.
func publicURL(s *server.Server, o *server.Options) string {
	scheme := "nats"
	if o.TLSConfig != nil {
		scheme = "tls"
	}
	return scheme + "://" + net.JoinHostPort(publicAddress(s, o))
}

func publicAddress(s *server.Server, o *server.Options) (host, port string) {
	host, port = o.Host, strconv.Itoa(o.Port)
	if a, ok := s.Addr().(*net.TCPAddr); ok {
		port = strconv.Itoa(a.Port)
	}
	if host == "" || isUnspecified(host) {
		host = workers.Hostname()
	}
	return host, port
}
