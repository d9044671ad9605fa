// Package dissector has a dissector of weft's datagrams for Wireshark and tshark, a script in Lua. It shows all fields of what is
// not sealed (wire/internal/codec documents the format), checks checksums, and says in words what a packet of SIRD asks for.
package dissector

import _ "embed"

//go:embed weft.lua
var script string

// Script returns the dissector. `weft wire dissector` prints it.
func Script() string { return script }
