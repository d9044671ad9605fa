module weft/wire/compare

go 1.26.0

require (
	github.com/quic-go/quic-go v0.65.0
	weft v0.0.0
)

require (
	github.com/flynn/noise v1.1.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace weft => ../..
