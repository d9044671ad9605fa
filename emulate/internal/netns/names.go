package netns

import (
	"fmt"
	"strings"
)

// checkNames rejects names that a hosts file or the kernel would not accept.
func checkNames(names []string) error {
	seen := map[string]int{}
	for i, name := range names {
		switch first, twice := seen[name]; {
		case twice:
			return fmt.Errorf("hosts %d and %d are both named %s", first, i, name)
		case name == "" || name == "localhost" || len(name) > 64 || strings.ContainsFunc(name, strange):
			return fmt.Errorf("%q is no name for a host; letters, digits, dots, underscores and dashes make one, 64 at most", name)
		}
		seen[name] = i
	}
	return nil
}

func strange(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_'
}
