package remote

import (
	"net/url"
	"strings"
)

// WithoutSecrets returns the URLs of servers, with commas between, as they may be shown: without
// users, passwords and tokens.
func WithoutSecrets(list string) string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		parts[i], _ = withoutSecret(strings.TrimSpace(part))
	}
	return strings.Join(parts, ",")
}

// HasSecrets tells whether URLs of servers say more than WithoutSecrets shows.
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
