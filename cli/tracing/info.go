package tracing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/trace"
	"weft/trace/open"
	"weft/unit"
)

// sums is a trace as JSON.
type sums struct {
	Format       string  `json:"format"`
	Collectives  []calls `json:"collectives"`
	Ranks        int     `json:"ranks"`
	Operations   int64   `json:"operations"`
	Sends        int64   `json:"sends"`
	Recvs        int64   `json:"recvs"`
	Calcs        int64   `json:"calcs"`
	Dependencies int64   `json:"dependencies"`
	Events       int64   `json:"events"`
	Bytes        int64   `json:"bytes"`
	Nanoseconds  int64   `json:"computed_ns"`
	AnySource    int64   `json:"any_source"`
	AnyTag       int64   `json:"any_tag"`
	CPUs         int     `json:"cpus"`
	NICs         int     `json:"nics"`
	Least        int     `json:"operations_min"`
	Most         int     `json:"operations_max"`
	Memory       int64   `json:"memory"`
	RunMemory    int64   `json:"run_memory"`
}

func (p Program) info() *cobra.Command {
	var asJSON bool
	var r reading
	c := &cobra.Command{
		Use:   "info FILE",
		Short: "Show ranks, operations, bytes and events of a trace",
		Long: `Show what is in a trace: ranks, operations, dependencies, bytes and processors. Formats other than Chakra's are
read rank by rank, so a trace may be larger than memory.

Events are what a replay handles: an operation is one, and a message another. Memory is what the schedules take in
a replay, which itself takes about as much again. Sizes of collectives are those of their whole buffers.`,
		Example: `  weft trace info app.goal
  weft trace info app.bin --json
  weft trace info llama.yaml
  weft trace info chakra/ --algorithm all-reduce=ring`,
		Args:              file,
		ValidArgsFunction: files,
		RunE: func(_ *cobra.Command, args []string) error {
			var m trace.Summary
			info, err := open.Scan(args[0], r.Options, func(_ int, s *trace.Schedule) error {
				m.Add(s)
				return nil
			})
			if err != nil {
				return p.Wrong(r.missing(err))
			}
			p.Notices(prefixed(args[0], info.Notices))
			if asJSON {
				return p.JSON(sums{
					info.Format, gathered(info.Calls), m.Ranks, m.Operations(), m.Sends, m.Recvs, m.Calcs, m.Dependencies, m.Events(), m.Bytes, m.Nanoseconds, m.AnySource, m.AnyTag, m.CPUs, m.NICs, m.Least, m.Most, m.Memory, m.RunMemory(),
				})
			}
			return tabular.Write(p.Stdout, rows(&m, &info), 2, 0)
		},
	}
	r.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func rows(m *trace.Summary, info *open.Info) [][]string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	list := [][]string{
		{"TRACE", ""},
		{"format", info.Format},
		{"ranks", strconv.Itoa(m.Ranks)},
		{"operations", fmt.Sprintf("%d: %d sends, %d receives, %d computations", m.Operations(), m.Sends, m.Recvs, m.Calcs)},
		{"per rank", fmt.Sprintf("%d to %d", m.Least, m.Most)},
		{"dependencies", number(m.Dependencies)},
		{"events", number(m.Events())},
		{"bytes sent", fmt.Sprintf("%d (%s)", m.Bytes, approximate(m.Bytes))},
		{"computed", fmt.Sprintf("%dns (%v)", m.Nanoseconds, readable.Duration(time.Duration(m.Nanoseconds), 3))},
		{"wildcards", fmt.Sprintf("%d receives from any source, %d with any tag", m.AnySource, m.AnyTag)},
		{"memory", fmt.Sprintf("%s; in a run %s, without its network", approximate(m.Memory), approximate(m.RunMemory()))},
		{"numbers", fmt.Sprintf("cpu 0 to %d, nic 0 to %d", max(m.CPUs-1, 0), max(m.NICs-1, 0))},
	}
	for i, g := range gathered(info.Calls) {
		head := ""
		if i == 0 {
			head = "collectives"
		}
		text := fmt.Sprintf("%s: %d over %s", strings.TrimSpace(g.Class+" "+g.Name), g.Count, readable.Count(g.Ranks, "rank"))
		if g.Groups > 1 {
			text += fmt.Sprintf(" in %d groups", g.Groups)
		}
		text += fmt.Sprintf(", %s in all", approximate(g.Bytes))
		list = append(list, []string{head, text})
	}
	return list
}

// approximate writes bytes with three digits.
func approximate(bytes int64) string {
	name, divisor := unit.ScaleOfBytes(float64(bytes))
	return readable.Short(float64(bytes)/divisor, 3) + " " + name
}

// calls are the collectives of a kind in groups of a class and a size.
type calls struct {
	// Class is the name of the groups without their numbers, such as tp of tp0 and tp1.
	Class string `json:"class"`
	Name  string `json:"name"`
	Ranks int    `json:"ranks"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
	// Groups is how many groups have some.
	Groups int `json:"groups"`
}

// gathered counts calls by name, and by class and size of their group.
func gathered(list []trace.Call) []calls {
	type key struct {
		class, name string
		ranks       int
	}
	type member struct {
		key
		group string
	}
	byKey := map[key]*calls{}
	seen := map[member]bool{}
	out := []calls{}
	for _, c := range list {
		k := key{strings.TrimRight(c.Group, "0123456789"), c.Name, c.Ranks}
		g := byKey[k]
		if g == nil {
			g = &calls{Class: k.class, Name: c.Name, Ranks: c.Ranks}
			byKey[k] = g
		}
		g.Count++
		g.Bytes += min(c.Size, math.MaxInt64-g.Bytes)
		if m := (member{k, c.Group}); !seen[m] {
			seen[m] = true
			g.Groups++
		}
	}
	for _, g := range byKey {
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b calls) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Ranks, b.Ranks))
	})
	return out
}
