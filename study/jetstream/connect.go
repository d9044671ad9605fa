package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"weft/study/remote"
)

// refused is a remote.ErrRefused with its own text.
type refused struct{ error }

func (r refused) Unwrap() error        { return r.error }
func (r refused) Is(target error) bool { return target == remote.ErrRefused }

// connectTo connects to a server by URL, within the time of patience.
func connectTo(ctx context.Context, url string, auth remote.Auth, patience time.Duration, options ...nats.Option) (*nats.Conn, error) {
	given, err := authOptions(auth)
	if err != nil {
		return nil, refused{err}
	}
	options = append(given, options...)
	shown := remote.WithoutSecrets(url)
	if !auth.Given() {
		url = withPrivateTokens(url)
	}
	deadline := time.Now().Add(patience)
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		c, err := nats.Connect(url, options...)
		if err == nil {
			return c, nil
		}
		if told := explain(err, shown); told != nil {
			return nil, refused{told}
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, refused{fmt.Errorf("no NATS server answers at %s (%w); is the address right, does the server run there (weft-queue serve starts one), "+
				"and does no firewall lie between", shown, err)}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(wait, left)):
		}
	}
}

// explain words errors that another attempt cannot fix. It returns nil for others.
func explain(err error, shown string) error {
	text := err.Error()
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		strings.Contains(strings.ToLower(text), "authorization violation"):
		return fmt.Errorf("the server at %s refuses the credentials (%w); give its token with --token-file, or as NATS_TOKEN, "+
			"or a user as NATS_USER and NATS_PASSWORD, or a file of credentials; weft-queue serve says where its token is", shown, err)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return fmt.Errorf("the server at %s demands TLS (%w); give the file of its certificate authority", shown, err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("the server at %s does not speak TLS (%w); leave out the certificates, or have it serve with TLS", shown, err)
	case strings.Contains(text, "x509:"), strings.Contains(text, "tls:"), strings.Contains(text, "tls error"):
		return fmt.Errorf("no TLS with the server at %s: %w; does the file of certificate authorities hold the one that signed its certificate, "+
			"and does the server demand one of its clients", shown, err)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		return nil
	case strings.Contains(text, "parse "), strings.Contains(text, "invalid URL"):
		return fmt.Errorf("%s is not the URL of a NATS server, as in nats://host:4222", shown)
	}
	return nil
}

// hasJetStream returns an error if the server does not offer JetStream.
func hasJetStream(ctx context.Context, j js.JetStream, shown string) error {
	err := patiently(ctx, func(ctx context.Context) error {
		_, err := j.AccountInfo(ctx)
		return err
	})
	if errors.Is(err, js.ErrJetStreamNotEnabled) || errors.Is(err, js.ErrJetStreamNotEnabledForAccount) {
		return refused{fmt.Errorf("the server at %s has JetStream switched off (%w); start it with -js, or use weft-queue serve", shown, err)}
	}
	if err != nil {
		return fmt.Errorf("the server at %s does not answer about JetStream: %w", shown, err)
	}
	return nil
}
