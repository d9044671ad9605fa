package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/record"
)

// leastHosts says how much of the mean the host sends that sends least, for each run with load; "" if there is none.
func leastHosts(runs []record.Summary) string {
	var list []string
	for i := range runs {
		if l := runs[i].LeastHost; l != nil && loaded(&runs[i]) {
			list = append(list, fmt.Sprintf("%s %.0f %% (%s)", runs[i].Name, 100*l.Share, l.Host))
		}
	}
	if len(list) == 0 {
		return ""
	}
	const most = 12
	if more := len(list) - most; more > 0 {
		list = append(slices.Clip(list[:most]), fmt.Sprintf("and %d more", more))
	}
	return "least host, of the mean host's payload: " + strings.Join(list, ", ")
}
