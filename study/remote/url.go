package remote

import (
	"net/url"
	"strings"
)

// WithoutSecrets returns the URLs of servers, separated by commas, without users, passwords
// and tokens, so that they may be shown.
func WithoutSecrets(list string) string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		parts[i], _ = withoutSecret(strings.TrimSpace(part))
	}
	return strings.Join(parts, ",")
}

// HasSecrets reports whether URLs of servers contain anything that WithoutSecrets removes.
func HasSecrets(list string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if _, secret := withoutSecret(strings.TrimSpace(part)); secret {
			return true
		}
	}
	return false
}

func withoutSecret(part string) (shown string, secret bool) {
	u, err := url.Parse(part)
	if err != nil || u.Host == "" { // host:port, or token@host:port
		at := strings.LastIndexByte(part, '@')
		return part[at+1:], at >= 0
	}
	secret = u.User != nil || u.RawQuery != "" || u.Fragment != ""
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String(), secret
}
