package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/record"
	"weft/scenario"
)

// told returns the lines about an option, or about parts of it.
func told(res *record.Result, option string) (lines []string) {
	for _, i := range res.Summary.NeverActed {
		if i.Option == option || strings.HasPrefix(i.Option, option+".") || strings.HasPrefix(i.Option, option+"[") {
			lines = append(lines, i.Line())
		}
	}
	return lines
}

// TestEveryOptionTells demands of each option that a run tells whether it acted, or that it is stated why not, and of
// what is stated that there is such an option.
func TestEveryOptionTells(t *testing.T) {
	counted, exempt := scenario.Effects()
	covered := map[string]bool{}
	for _, e := range counted {
		for _, option := range e.Options {
			covered[option] = true
		}
		if e.Counter == "" {
			t.Errorf("%v: no counter", e.Options)
		}
	}
	for _, e := range exempt {
		if e.Entry == "" {
			if covered[e.Option] {
				t.Errorf("%s is listed twice", e.Option)
			}
			covered[e.Option] = true
		}
		if e.Why == "" {
			t.Errorf("%s has no reason", e.Option)
		}
	}
	known := map[string]bool{}
	walk := func(prefix string, of reflect.Type) {
		fields, err := catalog.Fields(of)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fields {
			option := prefix + f.Name
			known[option] = true
			if option == "faults" || option == "traffic" {
				known[option+"[]"] = true
			}
			if f.Type.Kind() == reflect.Slice && covered[option+"[]"] {
				known[option+"[]"] = true
				continue
			}
			if !covered[option] {
				t.Errorf("nothing tells whether %s acted: give it an effect (scenario/acted.go), or state why it has none (scenario/acted_exempt.go)", option)
			}
		}
	}
	walk("", reflect.TypeFor[scenario.Spec]())
	walk("routing.", reflect.TypeFor[scenario.Routing]())
	walk("fabric.", reflect.TypeFor[scenario.Fabric]())
	walk("fabric.pfc.", reflect.TypeFor[scenario.PFC]())
	walk("transport.", reflect.TypeFor[scenario.Transport]())
	walk("traffic[].", reflect.TypeFor[scenario.Traffic]())
	for option := range covered {
		if !known[option] {
			t.Errorf("there is no option %s", option)
		}
	}
	for _, s := range weft.Builtin().Sections() {
		if !covered[s.Key] {
			t.Errorf("nothing tells of the entries of %s", s.Key)
		}
		for _, e := range exempt {
			if _, ok := s.Entries.Find(e.Entry); e.Option == s.Key && e.Entry != "" && !ok {
				t.Errorf("%s has no entry %s", s.Key, e.Entry)
			}
		}
	}
}

// TestEffectsAreDocumented compares the table of docs/results.md with what runs tell of.
func TestEffectsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	counted, exempt := scenario.Effects()
	for _, e := range counted {
		row := fmt.Sprintf("| `%s` | %s |", strings.Join(e.Options, "`, `"), e.Counter)
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("docs/results.md has no row %q", row)
		}
	}
	_, named, _ := strings.Cut(string(text), "`scenario/acted_exempt.go` has the reason")
	named, _, _ = strings.Cut(named, "\n## ")
	for _, e := range exempt {
		if e.Entry != "" && e.Entry != "off" && !strings.Contains(named, "`"+e.Entry+"`") {
			t.Errorf("docs/results.md does not name %s among what nothing tells of", e.Entry)
		}
	}
}

// idleFabric is a fabric with two spines and three ToRs, in which two hosts of the first ToR exchange a packet.
const idleFabric = `
weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 2}
traffic:
  - {name: main, pattern: {kind: pairs, pairs: [host0->host1]}, size: 1kB}
until: 1ms
`

// required are the options that faults, patterns and arrivals do not have by default.
var required = map[string]string{
	"link-down":   "links: tor2->spine0",
	"link-up":     "links: tor2->spine0, at: 1ns",
	"missing":     "links: tor2->spine0",
	"degrade":     "links: tor2->spine0, rate: 50%",
	"loss":        "links: tor2->spine0, probability: 1%",
	"flap":        "links: tor2->spine0, period: 2us, down: 1us, count: 3",
	"switch-down": "switches: spine0",

	"paths": "list: [tor0 spine1 tor1]",

	"bursts":      "interval: 200us, senders: 2",
	"incast":      "receiver: host0",
	"poisson":     "load: 1%",
	"closed":      "count: 1",
	"pairs":       "pairs: [host0->host1]",
	"connections": "file: DIR/late.cm",
	"flow-file":   "file: DIR/late.flows",
	"trace":       "file: DIR/late.goal",
	"script":      "file: DIR/fail.script",
}

// failing is a failure script in which a cable fails.
const failing = "Cable-Fail: ON\nCable-Fail-Start-After: 50000000\nCable-Fail-Period: 100000000\nCable-Fail-Max-Percent: 0.5\nStop-Failures-After: 60000000\n"

// elsewhere are what entries need beside, by section and kind.
var elsewhere = map[string]string{
	"routing.policy ecmp":                   "topology={kind: dumbbell}",
	"routing.policy wcmp":                   "topology={kind: dumbbell}",
	"routing.policy hierarchical":           "topology={kind: dragonfly, hosts_per_switch: 2}",
	"routing.policy par":                    "topology={kind: dragonfly, hosts_per_switch: 2}",
	"routing.policy dor":                    "topology={kind: hyperx, widths: [2, 2], hosts_per_switch: 2}",
	"fabric.ecn off":                        "transport.congestion=swift",
	"traffic[].pattern butterfly-allreduce": "topology.tors=4",
	"traffic[].pattern group-shift":         "topology={kind: dragonfly, hosts_per_switch: 2}",
}

// TestEntriesTell runs each entry of the catalog where it has nothing to do, and demands the line that says so, or none
// of entries that are stated to have none.
func TestEntriesTell(t *testing.T) {
	t.Parallel()
	_, exempt := scenario.Effects()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"late.cm":     "Nodes 6\nConnections 1\n0->1 id 1 start 1000000000 size 1000\n",
		"late.flows":  "1\n0 1 3 100 1000 0.001\n",
		"late.goal":   "num_ranks 2\nrank 0 {\nc: calc 1000000\na: send 1000b to 1\na requires c\n}\nrank 1 {\na: recv 1000b from 0\n}\n",
		"fail.script": failing,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// What is asked of each section: where its entries are written, how, and the option that a line is about.
	sections := map[string]struct {
		sets  []string
		write func(kind, options string) string
		line  string
	}{
		"topology":             {nil, nil, ""},
		"traffic[].pattern":    {[]string{"until=10us"}, func(_, o string) string { return "traffic.main.pattern=" + o }, "traffic[0]"},
		"traffic[].arrival":    {[]string{"traffic.main.jitter=1000s", "until=10us"}, func(_, o string) string { return "traffic.main.arrival=" + o }, "traffic[0]"},
		"transport.congestion": {nil, func(_, o string) string { return "transport.congestion=" + o }, "transport.congestion"},
		"transport.balancer":   {[]string{"topology={kind: star, hosts: 3}"}, func(_, o string) string { return "transport.balancer=" + o }, "transport.balancer"},
		"routing.policy":       {nil, func(_, o string) string { return "routing.policy=" + o }, "routing.policy"},
		"faults[]":             {nil, func(_, o string) string { return "faults=[" + o + "]" }, "faults[0]"},
		"fabric.ecn":           {nil, func(_, o string) string { return "fabric.ecn=" + o }, "fabric.ecn"},
		"fabric.admission":     {nil, func(_, o string) string { return "fabric.admission=" + o }, "fabric.admission"},
		"fabric.scheduler":     {[]string{"fabric.classes=3"}, func(_, o string) string { return "fabric.scheduler=" + o }, "fabric.scheduler"},
	}
	for _, s := range weft.Builtin().Sections() {
		how, ok := sections[s.Key]
		if !ok {
			t.Errorf("the test knows nothing of %s", s.Key)
			continue
		}
		if how.write == nil {
			continue
		}
		for _, kind := range s.Entries.Names() {
			t.Run(s.Title+"/"+kind, func(t *testing.T) {
				sets := slices.Clone(how.sets)
				options := "{kind: " + kind + "}"
				if o := required[kind]; o != "" {
					options = fmt.Sprintf("{kind: %s, %s}", kind, o)
				}
				options = strings.ReplaceAll(options, "DIR", dir)
				sets = append(sets, how.write(kind, options))
				switch {
				case s.Key != "traffic[].pattern":
				case kind == "connections" || kind == "flow-file" || kind == "trace":
					sets = append(sets, "traffic.main.size=null")
				default:
					sets = append(sets, "traffic.main.jitter=1000s")
				}
				if more := s.Key + " " + kind; elsewhere[more] != "" {
					sets = append(sets, elsewhere[more])
				}
				res := simulate(t, idleFabric, sets...)
				stated := slices.ContainsFunc(exempt, func(e scenario.Exemption) bool { return e.Option == s.Key && e.Entry == kind })
				lines := told(res, how.line)
				if stated == (len(lines) > 0) {
					t.Errorf("exempt: %v; the lines are %q of %v", stated, lines, res.Summary.NeverActed)
				}
			})
		}
	}
}

// TestActingTellsNothing runs options where they act.
func TestActingTellsNothing(t *testing.T) {
	t.Parallel()
	const incast = `
weft: 1
topology: {kind: star, hosts: 9, rate: 100Gbps}
traffic:
  - {name: main, pattern: {kind: incast, receiver: host0}, size: 400kB}
`
	const across = `
weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 4, rate: 100Gbps, uplink_rate: 50Gbps}
routing: {reconverge: 200us}
transport: {congestion: dctcp, balancer: ops}
fabric: {ecn: {kind: threshold, k: 20kB}}
traffic:
  - {name: main, pattern: permutation, size: 2MB}
`
	_, exempt := scenario.Effects()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fail.script"), []byte(failing), 0o600); err != nil {
		t.Fatal(err)
	}
	var tests []struct {
		name, text string
		sets       []string
	}
	add := func(name, text string, sets ...string) {
		tests = append(tests, struct {
			name, text string
			sets       []string
		}{name, text, sets})
	}
	for _, e := range weft.Builtin().Congestion.Entries() {
		if !slices.ContainsFunc(exempt, func(x scenario.Exemption) bool { return x.Entry == e.Name }) {
			add(e.Name, incast, "transport.congestion="+e.Name, "traffic.main.size=4MB")
		}
	}
	for _, e := range weft.Builtin().Balancers.Entries() {
		add(e.Name, across, "transport.balancer="+e.Name, "faults=[{kind: link-down, links: tor0->spine0, at: 50us}]")
	}
	for _, e := range weft.Builtin().Faults.Entries() {
		options := strings.ReplaceAll(required[e.Name], "tor2", "tor0")
		if e.Name == "link-up" {
			options = "links: tor0->spine0, at: 100us}, {kind: link-down, links: tor0->spine0"
		}
		options = strings.ReplaceAll(options, "DIR", dir)
		sets := []string{fmt.Sprintf("faults=[{kind: %s, %s}]", e.Name, options)}
		if e.Name != "link-down" && e.Name != "switch-down" && e.Name != "flap" {
			sets = append(sets, "routing.reconverge=null")
		}
		add(e.Name, across, sets...)
	}
	add("weights", across, "routing.policy=wcmp", "topology.uplink_rate=100Gbps", "faults=[{kind: degrade, links: tor0->spine0, rate: 50%}]")
	add("ugal", across, "routing.policy=ugal", "topology={kind: dragonfly, hosts_per_switch: 2}", "traffic.main.pattern={kind: group-shift}")
	add("par", across, "routing.policy=par", "topology={kind: dragonfly, hosts_per_switch: 2}")
	add("valiant", across, "routing.policy=valiant", "topology={kind: dragonfly, hosts_per_switch: 2}")
	add("limit", incast, "fabric.queue=40kB")
	add("trimming", incast, "fabric.queue=40kB", "fabric.overflow=trim", "fabric.trim={}")
	add("buffer", incast, "fabric.buffer=80kB", "fabric.queue=infinite")
	add("pauses", incast, "fabric.pfc=20kB")
	add("watchdog", incast, "fabric.pfc={xoff: 20kB, watchdog: {detect: 1us, restore: 1us}, slow_hosts: [{hosts: [host0], rate: 1Gbps, xoff: 5kB, xon: 4kB}]}")
	add("telemetry", incast, "transport.congestion=hpcc", "fabric.telemetry={}")
	add("credits", incast, "transport.congestion=expresspass", "fabric.credits={data: 4160B}")
	add("deflection", across, "fabric.deflect={threshold: 5kB, short: 3MB}", "transport.balancer=ecmp", "topology={kind: dragonfly, hosts_per_switch: 2}", "fabric.ecn.k=50kB")
	add("ports", incast, "fabric.ports=[{links: 'tor0->host0', queue: 30kB}]")
	add("rto and recovery", incast, "fabric.queue=20kB", "transport.rto=200us", "transport.recovery=go-back-n")
	add("reorder limit", incast, "transport.reorder_limit=4")
	add("nagle", incast, "transport.nagle=true", "transport.payload=1000B", "traffic.main.size=10500B")
	add("replies", incast, "traffic.main.reply={size: 1kB}")
	add("background", incast, "traffic.main.background={share: 50%}")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			res := simulate(t, test.text, test.sets...)
			for _, set := range test.sets {
				option, _, _ := strings.Cut(set, "=")
				option = strings.ReplaceAll(option, "traffic.main", "traffic[0]")
				if lines := told(res, option); len(lines) > 0 {
					t.Errorf("%q", lines)
				}
			}
		})
	}
}
