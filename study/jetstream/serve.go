package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServeOptions are of a NATS server for several machines.
type ServeOptions struct {
	// Listen is the address as in host:port. Port 4222 of the loopback if it is
	// empty. Port 0 is any that is free.
	Listen string
	// Dir is where its streams are.
	Dir string
	// Token, or User and Password, are demanded of clients.
	Token, User, Password string
	// Cert and Key are the files of its certificate. With CA, clients must present
	// one that these authorities signed.
	Cert, Key, CA string
	// Config is a configuration file of a NATS server. What is set above goes
	// before it.
	Config string
	// Ready is told the URL, without secrets, once the server can be reached.
	Ready func(url string)
	// Notice is told of its warnings and errors.
	Notice func(text string)
}

const defaultListen = "127.0.0.1:4222"

// Serve runs a NATS server with JetStream until the context is done.
func Serve(ctx context.Context, o ServeOptions) error {
	options, err := o.server()
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
	if o.Ready != nil {
		o.Ready(publicURL(s, options))
	}
	<-ctx.Done()
	return nil
}

// server returns the options of the server, checked.
func (o ServeOptions) server() (*server.Options, error) {
	options := &server.Options{}
	if o.Config != "" {
		var err error
		if options, err = server.ProcessConfigFile(o.Config); err != nil {
			return nil, fmt.Errorf("the configuration: %w", err)
		}
	} else {
		options.MaxPayload = maxPayload
	}
	options.NoSigs, options.JetStream = true, true
	if o.Listen != "" || o.Config == "" {
		if err := listen(options, o.Listen); err != nil {
			return nil, err
		}
	}
	if o.Dir != "" {
		options.StoreDir = o.Dir
	}
	if options.StoreDir == "" {
		return nil, errors.New("the server needs a folder for its streams: --dir, or store_dir in its configuration")
	}
	if o.Token != "" {
		options.Authorization = o.Token
	}
	if o.User != "" {
		options.Username, options.Password = o.User, o.Password
	}
	if err := o.tls(options); err != nil {
		return nil, err
	}
	if !onLoopback(options.Host) && !authenticates(options) {
		return nil, fmt.Errorf("%s can be reached from other machines, and whoever connects could run studies here and read their results: "+
			"demand a token (head -c 24 /dev/urandom | base64 > token; weft serve --token-file token), a user, or certificates of clients (--tls-ca); or listen on 127.0.0.1",
			options.Host)
	}
	if err := os.MkdirAll(options.StoreDir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the server: %w", err)
	}
	return options, nil
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

func (o ServeOptions) tls(options *server.Options) error {
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

// authenticates reports whether clients must say who they are.
func authenticates(o *server.Options) bool {
	if o.NoAuthUser != "" {
		return false
	}
	return o.Authorization != "" || o.Username != "" || len(o.Users) > 0 || len(o.Nkeys) > 0 ||
		len(o.TrustedOperators) > 0 || len(o.TrustedKeys) > 0 || o.AuthCallout != nil || o.TLSVerify || o.TLSMap
}

// publicURL is what clients connect to.
func publicURL(s *server.Server, o *server.Options) string {
	scheme := "nats"
	if o.TLSConfig != nil {
		scheme = "tls"
	}
	host, port := o.Host, strconv.Itoa(o.Port)
	if a, ok := s.Addr().(*net.TCPAddr); ok {
		port = strconv.Itoa(a.Port)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = hostname()
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// DefaultServeDir is a folder of the user's for a server's streams.
func DefaultServeDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the server's streams is known (%w); name one with --dir", err)
	}
	return filepath.Join(dir, "weft", "server"), nil
}
