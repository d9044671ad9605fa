//go:build unix

package jetstream

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nkeys"

	"weft/study/internal/enginetest"
	"weft/study/remote"
)

// executes demands that a study is executed with these credentials for coordinator
// and worker.
func executes(t *testing.T, url string, a remote.Auth) {
	t.Helper()
	work(t, remote.WorkerOptions{URL: url, Auth: a})
	o := sharedOptions(url)
	o.Auth = a
	list := enginetest.Tasks(t, 3, enginetest.Play{})
	w := enginetest.NewWatcher(t)
	if err := New(o).Execute(enginetest.Timeout(t, 60*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
}

// refuses demands an error that is the user's to mend, says all of it, soon, and
// gives no secret away.
func refuses(t *testing.T, url string, a remote.Auth, parts ...string) {
	t.Helper()
	o := sharedOptions(url)
	o.Auth, o.ConnectTimeout = a, 500*time.Millisecond
	first := New(o).Execute(enginetest.Timeout(t, 20*time.Second), enginetest.Tasks(t, 1, enginetest.Play{}), enginetest.NewWatcher(t))
	second := Work(enginetest.Timeout(t, 20*time.Second), remote.WorkerOptions{
		URL: url, Auth: a, Program: "weft test", Command: enginetest.Helper(enginetest.Child), ConnectTimeout: o.ConnectTimeout,
	})
	for _, err := range []error{first, second} {
		if !errors.Is(err, remote.ErrRefused) {
			t.Errorf("got %v", err)
			continue
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q lacks %q", err, part)
			}
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q has the secret", err)
		}
	}
}

// secret is long enough for a server.
const secret = "secret-of-this-test"

func with(url, user string) string { return strings.Replace(url, "://", "://"+user+"@", 1) }

func TestATokenIsDemanded(t *testing.T) {
	url := serve(t, remote.ServeOptions{Token: secret})
	executes(t, url, remote.Auth{Token: secret})
	executes(t, with(url, secret), remote.Auth{})
	refuses(t, url, remote.Auth{}, "refuses the credentials", url)
	refuses(t, with(url, "x"), remote.Auth{}, "refuses the credentials", url)
}

func TestAUserIsDemanded(t *testing.T) {
	url := serve(t, remote.ServeOptions{User: "alice", Password: secret})
	executes(t, url, remote.Auth{User: "alice", Password: secret})
	executes(t, with(url, "alice:"+secret), remote.Auth{})
	refuses(t, with(url, "alice:"+secret+"s"), remote.Auth{}, "refuses the credentials", url)
}

func TestAnNKeyIsDemanded(t *testing.T) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir+"/nats.conf", "jetstream {}\nauthorization { users [ {nkey: "+public+"} ] }\n")
	write(t, dir+"/seed", string(seed))
	url := serve(t, remote.ServeOptions{Config: dir + "/nats.conf"})
	executes(t, url, remote.Auth{NKey: dir + "/seed"})
	refuses(t, url, remote.Auth{}, "refuses the credentials")
	refuses(t, url, remote.Auth{NKey: dir + "/none"}, dir+"/none")
	refuses(t, url, remote.Auth{Creds: dir + "/none"}, dir+"/none")
}

func TestTLS(t *testing.T) {
	certs := newAuthority(t)
	url := serve(t, remote.ServeOptions{Cert: certs.server + ".pem", Key: certs.server + ".key", CA: certs.ca})
	if !strings.HasPrefix(url, "tls://") {
		t.Errorf("the URL is %s", url)
	}
	executes(t, url, remote.Auth{CA: certs.ca, Cert: certs.client + ".pem", Key: certs.client + ".key"})
	refuses(t, url, remote.Auth{}, "authorit", url)
	refuses(t, url, remote.Auth{CA: certs.ca}, "certificate", url)
	refuses(t, url, remote.Auth{CA: certs.ca, Cert: certs.client + ".pem"}, "go together")
	refuses(t, url, remote.Auth{CA: certs.server + ".key"}, "no certificate in PEM")
	plain := serve(t, remote.ServeOptions{})
	refuses(t, plain, remote.Auth{CA: certs.ca}, "does not speak TLS")
}

func TestServersThatCannotBeUsed(t *testing.T) {
	refuses(t, "nats://"+secret+"@"+freePort(t), remote.Auth{}, "no NATS server answers at nats://127.0.0.1:", "weft-queue serve")
	refuses(t, "nats://bad host:1", remote.Auth{}, "URL")

	// Something else listens there.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("220 mail.example.org ESMTP\r\n"))
			c.Close()
		}
	}()
	refuses(t, "nats://"+l.Addr().String(), remote.Auth{}, "no NATS server answers")

	dir := t.TempDir()
	write(t, dir+"/nats.conf", "accounts { A { users [{user: a, password: "+secret+"}] }, SYS { users [{user: s, password: "+secret+"}] } }\nsystem_account: SYS\n")
	refuses(t, serve(t, remote.ServeOptions{Config: dir + "/nats.conf"}), remote.Auth{User: "a", Password: secret}, "JetStream switched off")
}

func TestServeRefuses(t *testing.T) {
	certs := newAuthority(t)
	dir := t.TempDir()
	users := "authorization { users [{user: a, password: " + secret + "}] }\n"
	for name, text := range map[string]string{
		"anonymous":     "listen: 0.0.0.0:0\n" + users + "no_auth_user: a\n",
		"anonymous-own": "listen: 127.0.0.1:0\n" + users + "no_auth_user: a\n",
		"short-token":   "authorization { token: hunter2 }\n",
		"short-user":    "authorization { users [{user: a, password: b}] }\n",
		"cluster":       users + "cluster { name: c, listen: \"127.0.0.1:-1\" }\n",
		"cluster-short": users + "cluster { name: c, listen: \"127.0.0.1:-1\", authorization { user: r, password: r } }\n",
		"gateway":       users + "gateway { name: g, listen: \"127.0.0.1:-1\" }\n",
		"leaf-short":    users + "leafnodes { listen: \"127.0.0.1:-1\", authorization { user: l, password: l } }\n",
		"websocket":     users + "websocket { listen: \"127.0.0.1:-1\", no_tls: true, no_auth_user: a }\n",
		"ws-certs":      "tls { cert_file: " + certs.server + ".pem, key_file: " + certs.server + ".key, ca_file: " + certs.ca + ", verify: true }\nwebsocket { listen: \"127.0.0.1:8222\", no_tls: true }\n",
		"mqtt":          "server_name: s\n" + users + "mqtt { listen: \"127.0.0.1:-1\", no_auth_user: a }\n",
		"http":          users + "http: 127.0.0.1:8222\n",
		"https":         users + "tls { cert_file: " + certs.server + ".pem, key_file: " + certs.server + ".key }\nhttps: 127.0.0.1:8222\n",
		"profiling":     users + "prof_port: 6543\n",
	} {
		write(t, dir+"/"+name+".conf", text)
	}
	write(t, dir+"/bad.conf", "listen 0.0.0.0:0 {\n")
	write(t, dir+"/file", "")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, c := range map[string]struct {
		options remote.ServeOptions
		says    string
	}{
		"anonymous":           {remote.ServeOptions{Config: dir + "/anonymous.conf"}, "no_auth_user"},
		"anonymous, loopback": {remote.ServeOptions{Config: dir + "/anonymous-own.conf"}, "no_auth_user"},
		"short token":         {remote.ServeOptions{Token: "hunter2"}, "16 or more"},
		"short password":      {remote.ServeOptions{User: "a", Password: "hunter2"}, "16 or more"},
		"short, configured":   {remote.ServeOptions{Config: dir + "/short-token.conf"}, "16 or more"},
		"short user":          {remote.ServeOptions{Config: dir + "/short-user.conf"}, `user "a"`},
		"open cluster":        {remote.ServeOptions{Config: dir + "/cluster.conf"}, "cluster opens a port"},
		"short cluster":       {remote.ServeOptions{Config: dir + "/cluster-short.conf"}, "cluster: the password"},
		"open gateway":        {remote.ServeOptions{Config: dir + "/gateway.conf"}, "gateway opens a port"},
		"short leafnodes":     {remote.ServeOptions{Config: dir + "/leaf-short.conf"}, "leafnodes: the password"},
		"anonymous websocket": {remote.ServeOptions{Config: dir + "/websocket.conf"}, "websocket.no_auth_user"},
		"websocket, no certs": {remote.ServeOptions{Config: dir + "/ws-certs.conf"}, "websocket opens a port"},
		"anonymous mqtt":      {remote.ServeOptions{Config: dir + "/mqtt.conf"}, "mqtt.no_auth_user"},
		"monitoring":          {remote.ServeOptions{Config: dir + "/http.conf"}, "http"},
		"monitoring by https": {remote.ServeOptions{Config: dir + "/https.conf"}, "http"},
		"profiling":           {remote.ServeOptions{Config: dir + "/profiling.conf"}, "prof_port"},
		"no address":          {remote.ServeOptions{Listen: "4222"}, "not an address"},
		"no port":             {remote.ServeOptions{Listen: "127.0.0.1:x"}, "not a port"},
		"no key":              {remote.ServeOptions{Cert: certs.server + ".pem"}, "go together"},
		"no certificate":      {remote.ServeOptions{CA: certs.ca}, "only if the server has one"},
		"bad configuration":   {remote.ServeOptions{Config: dir + "/bad.conf"}, "configuration"},
		"port taken":          {remote.ServeOptions{Listen: taken.Addr().String()}, "address already in use"},
		"no folder":           {remote.ServeOptions{Dir: dir + "/file/x"}, "folder"},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.options
			if o.Dir == "" {
				o.Dir = t.TempDir()
			}
			if o.Listen == "" && o.Config == "" {
				o.Listen = "127.0.0.1:0"
			}
			o.Ready = func(s remote.Served) { t.Errorf("it serves at %s", s.URL) }
			if err := Serve(enginetest.Timeout(t, 10*time.Second), o); !errors.Is(err, remote.ErrRefused) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestServeBeyondThisMachine(t *testing.T) {
	url := serve(t, remote.ServeOptions{Listen: ":0", Token: secret})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "nats://"))
	if err != nil || port == "0" || port == "-1" {
		t.Fatalf("the URL is %s", url)
	}
	executes(t, "nats://127.0.0.1:"+port, remote.Auth{Token: secret})
}

// A server that is told of no secret has one of its own, which its user's commands find
// and nobody else does.
func TestAServerMakesAPrivateToken(t *testing.T) {
	config := t.TempDir() + "/nats.conf"
	write(t, config, "max_payload: 2MB\njetstream {}\n")
	for name, o := range map[string]remote.ServeOptions{"loopback": {}, "all addresses": {Listen: ":0"}, "configured": {Config: config}} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, o)
			executes(t, url, remote.Auth{})
			address, err := neturl.Parse(url)
			if err != nil {
				t.Fatal(err)
			}
			path, err := privateToken(address.Hostname(), address.Port())
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", path, info, err)
			}
			executes(t, url, remote.Auth{TokenFile: path})
			if text, err := ReadToken(path); err != nil || len(text) < 32 || strings.Contains(remote.WithoutSecrets(withPrivateTokens(url)), text) {
				t.Errorf("token %q, %v, shown as %s", text, err, remote.WithoutSecrets(withPrivateTokens(url)))
			}
			t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // another user
			refuses(t, url, remote.Auth{}, "refuses the credentials", "--token-file")
			refuses(t, with(url, secret), remote.Auth{}, "refuses the credentials")
			refuses(t, url, remote.Auth{TokenFile: path + "x"}, path+"x")
		})
	}
}

// A server that comes back has the token that its workers know.
func TestAPrivateTokenStays(t *testing.T) {
	o := remote.ServeOptions{Listen: freePort(t), Dir: t.TempDir()}
	one, err := tokenAfter(t, o)
	two, err2 := tokenAfter(t, o)
	if err != nil || err2 != nil || one != two || one == "" {
		t.Errorf("%q and %q; %v, %v", one, two, err, err2)
	}
}

func tokenAfter(t *testing.T, o remote.ServeOptions) (string, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var text string
	var err error
	o.Ready = func(s remote.Served) {
		text, err = ReadToken(s.TokenFile)
		cancel()
	}
	return text, errors.Join(Serve(ctx, o), err)
}

func TestATokenFileIsMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	executes(t, serve(t, remote.ServeOptions{TokenFile: path}), remote.Auth{TokenFile: path})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	executes(t, serve(t, remote.ServeOptions{TokenFile: path}), remote.Auth{TokenFile: path})
}

func TestAuthFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"USER", "PASSWORD", "TOKEN", "CREDS", "NKEY", "CA", "CERT", "KEY"} {
		t.Setenv("NATS_"+name, "")
	}
	for _, c := range []struct {
		env         map[string]string
		given, want remote.Auth
	}{
		{map[string]string{}, remote.Auth{}, remote.Auth{}},
		{map[string]string{"USER": "u", "PASSWORD": "p"}, remote.Auth{}, remote.Auth{User: "u", Password: "p"}},
		{map[string]string{"USER": "t"}, remote.Auth{}, remote.Auth{Token: "t"}},
		{map[string]string{"TOKEN": "t", "CA": "a"}, remote.Auth{}, remote.Auth{Token: "t", CA: "a"}},
		{map[string]string{"TOKEN": "t", "CA": "a"}, remote.Auth{Creds: "c", CA: "b"}, remote.Auth{Creds: "c", CA: "b"}},
		{map[string]string{"CREDS": "c", "NKEY": "n", "CERT": "x", "KEY": "y"}, remote.Auth{}, remote.Auth{Creds: "c", NKey: "n", Cert: "x", Key: "y"}},
	} {
		t.Run("", func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv("NATS_"+name, value)
			}
			if diff := cmp.Diff(c.want, c.given.OrEnv()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// authority made certificates: .pem and .key beside each other.
type authority struct{ ca, server, client string }

func newAuthority(t *testing.T) authority {
	t.Helper()
	dir := t.TempDir()
	a := authority{filepath.Join(dir, "ca.pem"), filepath.Join(dir, "server"), filepath.Join(dir, "client")}
	caKey, ca := certificate(t, filepath.Join(dir, "ca"), &x509.Certificate{
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
	certificate(t, a.server, &x509.Certificate{
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca, caKey)
	certificate(t, a.client, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, ca, caKey)
	return a
}

func certificate(t *testing.T, path string, c, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: filepath.Base(path)}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if parent == nil {
		parent, parentKey = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for suffix, block := range map[string]*pem.Block{".pem": {Type: "CERTIFICATE", Bytes: der}, ".key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path+suffix, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, made
}
