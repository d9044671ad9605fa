package tracing

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/trace"
	"weft/trace/goal"
	"weft/unit"
)

// sums is a trace as JSON.
type sums struct {
	Ranks        int   `json:"ranks"`
	Operations   int64 `json:"operations"`
	Sends        int64 `json:"sends"`
	Recvs        int64 `json:"recvs"`
	Calcs        int64 `json:"calcs"`
	Dependencies int64 `json:"dependencies"`
	Events       int64 `json:"events"`
	Bytes        int64 `json:"bytes"`
	Nanoseconds  int64 `json:"computed_ns"`
	AnySource    int64 `json:"any_source"`
	AnyTag       int64 `json:"any_tag"`
	CPUs         int   `json:"cpus"`
	NICs         int   `json:"nics"`
	Least        int   `json:"operations_min"`
	Most         int   `json:"operations_max"`
}

func (p Program) info() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "info FILE",
		Short: "Show ranks, operations, bytes and events of a trace",
		Long: `Show what is in a trace: ranks, operations, dependencies, bytes and processors. The file is read rank by
rank, so that a trace larger than memory can be looked at. Events are what a replay handles: an operation is
one, and a message another.`,
		Example: `  weft trace info app.goal
  weft trace info app.bin --json`,
		Args:              file,
		ValidArgsFunction: files,
		RunE: func(_ *cobra.Command, args []string) error {
			var m trace.Summary
			notices, err := goal.Scan(args[0], func(_ int, s *trace.Schedule) error {
				m.Add(s)
				return nil
			})
			if err != nil {
				return p.Wrong(remedied(err, args[0]))
			}
			p.Notices(prefixed(args[0], notices))
			if asJSON {
				return p.JSON(sums{
					m.Ranks, m.Operations(), m.Sends, m.Recvs, m.Calcs, m.Dependencies, m.Events(), m.Bytes, m.Nanoseconds, m.AnySource, m.AnyTag, m.CPUs, m.NICs, m.Least, m.Most,
				})
			}
			return tabular.Write(p.Stdout, rows(&m), 2, 0)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func rows(m *trace.Summary) [][]string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	list := [][]string{
		{"TRACE", ""},
		{"ranks", strconv.Itoa(m.Ranks)},
		{"operations", fmt.Sprintf("%d: %d sends, %d receives, %d computations", m.Operations(), m.Sends, m.Recvs, m.Calcs)},
		{"per rank", fmt.Sprintf("%d to %d", m.Least, m.Most)},
		{"dependencies", number(m.Dependencies)},
		{"events", number(m.Events())},
		{"bytes sent", fmt.Sprintf("%d (%v)", m.Bytes, unit.Bytes(m.Bytes))},
		{"computed", fmt.Sprintf("%dns (%v)", m.Nanoseconds, readable.Duration(time.Duration(m.Nanoseconds), 3))},
		{"wildcards", fmt.Sprintf("%d receives from any source, %d with any tag", m.AnySource, m.AnyTag)},
		{"numbers", fmt.Sprintf("cpu 0 to %d, nic 0 to %d", max(m.CPUs-1, 0), max(m.NICs-1, 0))},
	}
	return list
}
