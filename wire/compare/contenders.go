package main

// contenders returns everything that is measured. Most are paired with the first.
func contenders() []contender {
	const (
		plain  = "weft"
		secret = "a secret that both ends have"
		bare   = "weft, beside bare Seal and Open"
	)
	return []contender{
		{name: plain, open: openWeft("", false)},
		{name: "kernel TCP", beside: plain, open: openTCP},
		{name: "bare UDP", beside: plain, open: openUDP},
		{name: "quic-go", beside: plain, most: mostQUIC, open: openQUIC},
		{name: bare, beside: plain, open: openWeft("", true)},
		{name: "weft, sealed", beside: bare, open: openWeft(secret, false)},
	}
}
