package remote

import "testing"

func TestURLsAreShownWithoutSecrets(t *testing.T) {
	for given, want := range map[string]string{
		"nats://host:4222":                        "nats://host:4222",
		"nats://one:1,two:2":                      "nats://one:1,two:2",
		"nats://token@host:4222":                  "nats://host:4222",
		"token@host:4222":                         "host:4222",
		"tls://user:pass@host":                    "tls://host",
		"user:pass@host:1":                        "host:1",
		"nats://a:b@one:1, nats://a:b@two:2":      "nats://one:1,nats://two:2",
		"nats://us er:p%zz@host:4222":             "host:4222",
		"nats://user:p@ss@host:4222":              "nats://host:4222",
		"wss://user:secret@host:443/nats?token=x": "wss://host:443/nats",
	} {
		if got := WithoutSecrets(given); got != want {
			t.Errorf("%s is shown as %s, want %s", given, got, want)
		}
		if got := HasSecrets(given); got != (given != want) {
			t.Errorf("%s has secrets: %t", given, got)
		}
	}
}
