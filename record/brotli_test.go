package record

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestBrotliIsLeftOut guards the replacement in go.mod: with the real module, a
// first build would compile an HTTP server (internal/nobrotli).
func TestBrotliIsLeftOut(t *testing.T) {
	type row struct{ N int64 }
	w := parquet.NewGenericWriter[row](new(bytes.Buffer), parquet.Compression(&parquet.Brotli))
	_, err := w.Write([]row{{1}})
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err == nil || !strings.Contains(err.Error(), "weft does not read") {
		t.Errorf("writing with Brotli: %v; want the error of internal/nobrotli", err)
	}
}
