package cli

import (
	"encoding/json"
	"io"
)

// writeJSON writes what --json asks for: indented, with characters such as < as they are.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
