module weft/emulate/rivals

go 1.26.0

require (
	github.com/quic-go/quic-go v0.65.0
	github.com/vishvananda/netlink v1.3.1
	golang.org/x/sys v0.49.0
	weft v0.0.0
)

require (
	github.com/vishvananda/netns v0.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.60.0 // indirect
)

replace weft => ../..
