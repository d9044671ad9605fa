package fabric_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain gives random cases a fixed seed, so that the suite tests the same cases
// every time and the shares that coverage demands do not depend on luck. Other
// cases come with -rapid.seed.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("1"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
