package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// unitOfKey is the unit that a key ends with.
var unitOfKey = regexp.MustCompile(`(^|_)(g?bps|bytes|ps|ns|us|ms|seconds|percent)$`)

// numbers is the command "numbers LEAST", which demands that what the last command printed is JSON in which each key with a unit, at
// least so many, has a number. Text with a unit of its own would contradict the key.
func numbers(ts *testscript.TestScript, _ bool, args []string) {
	least := 0
	if len(args) != 1 {
		ts.Fatalf("usage: numbers LEAST")
	}
	if _, err := fmt.Sscan(args[0], &least); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	found := 0
	var look func(key string, v any)
	look = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, one := range v {
				look(k, one)
			}
		case []any:
			for _, one := range v {
				look(key, one)
			}
		case float64:
			if unitOfKey.MatchString(key) {
				found++
			}
		case string:
			if unitOfKey.MatchString(key) {
				ts.Fatalf("%q is the text %q", key, v)
			}
		}
	}
	printed := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	for {
		var v any
		if err := printed.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			ts.Fatalf("not JSON: %v", err)
		}
		look("", v)
	}
	if found < least {
		ts.Fatalf("%d numbers with a unit, and there should be %d", found, least)
	}
}
