package papers

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"weft/config"
	"weft/internal/userfile"
)

// ReadSizes reads a table of message sizes: lines of a size in bytes and the share
// of messages that are not larger, after lines that are none.
func ReadSizes(path string) (size, share []float64, err error) {
	f, err := userfile.Open(path, maxTable)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		a, b, ok := strings.Cut(strings.TrimSpace(s.Text()), ",")
		x, err := strconv.ParseFloat(strings.TrimSpace(a), 64)
		y, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
		if ok && err == nil && err2 == nil {
			size, share = append(size, x), append(share, y)
		}
	}
	if len(size) == 0 {
		return nil, nil, fmt.Errorf("%s: has no lines of a size and a share, as in 10000,0.15", path)
	}
	return size, share, nil
}

// listed reads a mapping of a model's parameters; lists are joined by commas.
func listed(n *config.Node) (map[string]string, error) {
	params, lists, err := parameters(n)
	for key, values := range lists {
		params[key] = strings.Join(values, ",")
	}
	return params, err
}
