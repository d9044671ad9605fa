// Package dissector provides a Lua script that dissects weft's datagrams in Wireshark and tshark.
// It shows all fields of unsealed datagrams (wire/internal/codec documents the format), verifies
// checksums, and explains SIRD's requests in words.
package dissector

import _ "embed"

//go:embed weft.lua
var script string

// Script returns the script. `weft wire dissector` prints it.
func Script() string { return script }
