package weft_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms lists what each package may import of this module, as
// docs/architecture.md draws it. A new arrow is a decision: add it here and there.
var rooms = map[string][]string{
	"unit":               {"internal/nearest", "problem"},
	"internal/nearest":   {},
	"internal/csvfile":   {},
	"internal/doctable":  {},
	"internal/fifo":      {},
	"internal/flock":     {},
	"internal/flow":      {},
	"internal/histogram": {},
	"internal/knots":     {},
	"internal/testbeds":  {"record", "record/section/convergence", "record/section/credits", "unit"},
	"internal/galois":    {},
	"internal/inputs":    {"internal/userfile", "trace/chakra"},
	"internal/minheap":   {},
	"internal/natural":   {},
	"internal/portable":  {},
	"internal/printable": {},
	"internal/ranked":    {},
	"internal/readable":  {},
	"internal/stats":     {},
	"internal/tabular":   {},
	"internal/turns":     {},
	"internal/userfile":  {"problem", "unit"},
	"sim":                {"unit"},
	"catalog":            {"internal/nearest", "problem", "unit"},
	"problem":            {},
	"config":             {"catalog", "internal/nearest", "internal/printable", "problem", "unit"},
	"explain":            {"unit"},

	"topo":              {"catalog", "internal/csvfile", "internal/galois", "internal/nearest", "internal/userfile", "problem", "sim", "unit"},
	"topo/draw":         {"topo"},
	"route":             {"catalog", "problem", "sim", "topo", "unit"},
	"route/bound":       {"internal/flow", "internal/ranked", "route", "topo", "unit"},
	"route/layers":      {"catalog", "internal/ranked", "problem", "route", "sim", "topo", "unit"},
	"route/load":        {"route", "topo", "unit"},
	"route/paths":       {"catalog", "internal/nearest", "internal/userfile", "problem", "route", "topo", "unit"},
	"fault":             {"catalog", "internal/nearest", "internal/portable", "internal/readable", "internal/userfile", "problem", "sim", "topo", "unit"},
	"workload":          {"analysis/matching", "analysis/pattern", "catalog", "internal/fifo", "internal/nearest", "internal/portable", "internal/readable", "internal/turns", "internal/userfile", "problem", "scenarios/data", "sim", "unit", "workload/flowfile", "workload/matrix"},
	"workload/matrix":   {"internal/nearest", "internal/readable", "problem", "unit"},
	"workload/flowfile": {"internal/readable", "unit"},
	"scenarios/data":    {},

	"trace":                   {"internal/readable", "trace/internal/paged"},
	"trace/goal":              {"internal/nearest", "internal/readable", "internal/userfile", "trace", "unit"},
	"trace/replay":            {"internal/readable", "trace", "trace/internal/paged"},
	"trace/loggops":           {"trace", "trace/internal/paged", "trace/replay", "trace/timeline", "unit"},
	"trace/timeline":          {"trace", "trace/internal/paged", "unit"},
	"trace/timeline/perfetto": {"trace", "trace/timeline", "unit"},
	"trace/traffic":           {"catalog", "config", "internal/minheap", "internal/portable", "internal/readable", "internal/turns", "internal/userfile", "problem", "record", "record/section/jobs", "sim", "trace", "trace/chakra", "trace/collective", "trace/open", "trace/replay", "trace/timeline", "trace/timeline/perfetto", "unit", "workload"},
	"trace/collective":        {"internal/nearest", "internal/readable", "trace", "unit"},
	"trace/open":              {"internal/userfile", "trace", "trace/chakra", "trace/generate", "trace/goal", "trace/simai", "unit"},
	"trace/simai":             {"internal/nearest", "internal/readable", "internal/userfile", "problem", "trace", "trace/collective", "unit"},
	"trace/chakra":            {"internal/nearest", "internal/readable", "internal/userfile", "problem", "trace", "trace/collective", "unit"},
	"trace/generate":          {"catalog", "config", "internal/readable", "internal/userfile", "problem", "trace", "trace/collective", "unit"},
	"trace/cut":               {"internal/readable", "trace"},
	"trace/internal/draw":     {"trace"},
	"trace/internal/paged":    {},

	"wire":           {"internal/fifo", "internal/histogram", "problem", "protocol", "unit", "wire/internal/burst", "wire/internal/carrier", "wire/internal/pcapng", "wire/internal/socket", "wire/internal/tape", "wire/internal/transports"},
	"wire/dissector": {},

	"emulate": {
		"config", "emulate/internal/bridge", "emulate/internal/clocked", "emulate/internal/fleet", "emulate/internal/netns", "fabric",
		"internal/connection/hosted", "internal/histogram", "problem", "protocol", "record", "record/section/lateness", "scenario", "transport", "unit", "wire",
	},
	"emulate/internal/bridge":  {"fabric", "internal/fifo", "internal/packet", "sim", "topo", "unit"},
	"emulate/internal/clocked": {"emulate/internal/bridge", "emulate/internal/netns", "fabric", "internal/histogram", "unit"},
	"emulate/internal/fleet":   {"protocol", "transport", "unit", "wire"},
	"emulate/internal/netns":   {"unit"},

	"wire/internal/burst":   {"unit", "wire/internal/socket"},
	"wire/internal/carrier": {"internal/fifo", "protocol", "unit", "wire/internal/codec", "wire/internal/tape"},
	"wire/internal/tape":    {"protocol", "unit"},
	"wire/internal/codec":   {"protocol", "unit"},
	"wire/internal/beside":  {},
	"wire/internal/lan":     {"sim", "unit"},
	"wire/internal/pcapng":  {},
	"wire/internal/socket":  {},
	"wire/internal/transports": {
		"catalog", "internal/connection/hosted", "problem", "protocol", "protocol/arcane", "protocol/congestion", "protocol/dart", "protocol/dcpim", "protocol/entropy", "protocol/eqds",
		"protocol/expresspass", "protocol/homa", "protocol/ndp", "protocol/phost", "protocol/sird", "wire/internal/tape",
	},

	"protocol":            {"problem", "unit"},
	"protocol/reliable":   {"internal/fifo", "unit"},
	"protocol/congestion": {"catalog", "problem", "protocol", "unit"},
	"protocol/entropy":    {"catalog", "internal/nearest", "problem", "protocol", "unit"},
	"protocol/arcane":     {"catalog", "internal/nearest", "problem", "protocol", "unit"},
	"protocol/eqds":       {"catalog", "problem", "protocol", "protocol/internal/numbered", "unit"},
	"protocol/sird":       {"catalog", "internal/fifo", "internal/ranked", "problem", "protocol", "protocol/internal/numbered", "protocol/internal/withdrawn", "unit"},
	"protocol/homa":       {"catalog", "internal/fifo", "internal/ranked", "problem", "protocol", "protocol/internal/numbered", "protocol/internal/withdrawn", "unit", "workload"},

	"protocol/dart":  {"catalog", "problem", "protocol", "protocol/congestion", "protocol/internal/deadlines", "unit"},
	"protocol/dcpim": {"catalog", "problem", "protocol", "protocol/internal/tokens", "unit"},
	"protocol/phost": {"catalog", "internal/ranked", "problem", "protocol", "protocol/internal/deadlines", "protocol/internal/tokens", "unit"},

	"protocol/ndp":         {"catalog", "internal/fifo", "problem", "protocol", "protocol/internal/numbered", "unit"},
	"protocol/expresspass": {"catalog", "internal/fifo", "problem", "protocol", "protocol/internal/deadlines", "protocol/internal/numbered", "protocol/internal/withdrawn", "unit"},

	"protocol/hosttest":           {"protocol", "unit"},
	"protocol/internal/deadlines": {"unit"},
	"protocol/internal/numbered":  {},
	"protocol/internal/tokens":    {"internal/fifo", "internal/ranked", "protocol", "protocol/internal/numbered", "protocol/internal/withdrawn", "unit"},
	"protocol/internal/withdrawn": {"protocol/internal/deadlines", "protocol/internal/numbered", "unit"},

	"internal/packet":               {"protocol", "sim", "unit"},
	"internal/connection/end":       {"internal/packet", "protocol", "protocol/reliable", "sim", "unit"},
	"internal/connection/receiving": {"internal/connection/end", "internal/packet", "protocol", "protocol/reliable", "sim", "unit"},
	"internal/connection/sending":   {"internal/connection/end", "internal/histogram", "internal/packet", "protocol", "protocol/reliable", "sim", "unit"},
	"internal/connection":           {"internal/connection/end", "internal/connection/receiving", "internal/connection/sending", "internal/packet", "protocol", "unit"},
	"internal/connection/hosted":    {"internal/connection", "internal/connection/end", "internal/connection/sending", "internal/fifo", "internal/packet", "protocol", "protocol/reliable", "sim", "unit"},

	"fabric":         {"fault", "internal/histogram", "internal/packet", "protocol", "route", "sim", "topo", "unit"},
	"transport/solo": {"fabric", "protocol", "route", "sim", "topo", "transport", "unit", "workload"},
	"transport":      {"fabric", "internal/connection", "internal/connection/end", "internal/connection/sending", "internal/histogram", "internal/minheap", "internal/packet", "protocol", "sim", "unit", "workload"},

	"record":                     {"internal/flock", "internal/histogram", "internal/printable", "internal/readable", "internal/tabular", "internal/userfile", "record/internal/micros", "record/section", "record/section/convergence", "record/section/credits", "record/section/deflection", "record/section/detours", "record/section/jobs", "record/section/lateness", "record/section/pauses", "record/section/reactions", "unit"},
	"record/internal/micros":     {"unit"},
	"record/section":             {"unit"},
	"record/section/convergence": {"record/internal/micros", "record/section", "unit"},
	"record/section/credits":     {"record/section"},
	"record/section/deflection":  {"record/section", "unit"},
	"record/section/detours":     {"record/section"},
	"record/section/jobs":        {"record/internal/micros", "record/section", "unit"},
	"record/section/lateness":    {"record/internal/micros", "record/section", "unit"},
	"record/distance":            {"record", "unit"},
	"record/section/pauses":      {"record/internal/micros", "record/section", "unit"},
	"record/section/reactions":   {"internal/readable", "record/internal/micros", "record/section", "unit"},
	"study/jetstream":            {"internal/printable", "record", "study", "study/remote", "study/workers"},
	"study/local":                {"study", "study/workers"},
	"study/remote":               {"study", "study/workers"},
	"study/workers":              {"record", "study"},
	"study/internal/enginetest":  {"study", "study/workers"},
	"study/slurm":                {},

	"study":                   {"catalog", "config", "internal/csvfile", "internal/flock", "internal/inputs", "internal/nearest", "internal/printable", "internal/readable", "internal/stats", "internal/userfile", "record", "scenario", "topo", "unit"},
	"papers/page":             {"analysis", "internal/natural", "internal/readable", "internal/stats", "papers", "record", "report", "study", "unit"},
	"papers/arcane":           {},
	"papers/fatpaths-packets": {},
	"papers/fatpaths":         {},
	"papers/dart":             {},
	"papers/fncc":             {},
	"papers/sird":             {},
	"papers/ledgers":          {"papers/arcane", "papers/dart", "papers/fatpaths-packets", "papers/fatpaths", "papers/sird", "papers/fncc"},
	"papers":                  {"analysis", "catalog", "config", "internal/csvfile", "internal/histogram", "internal/nearest", "internal/readable", "internal/stats", "internal/userfile", "problem", "record", "scenario", "study", "unit"},
	"report":                  {"internal/histogram", "internal/natural", "internal/nearest", "internal/printable", "internal/readable", "internal/stats", "internal/tabular", "internal/userfile", "record", "record/section", "record/section/credits", "record/section/jobs", "report/internal/bysize", "report/internal/pdf", "report/internal/thin", "study", "trace/timeline", "unit"},

	"report/internal/bysize":      {"record", "unit"},
	"report/internal/jobview":     {"internal/readable", "record", "record/section/jobs", "unit"},
	"report/internal/pdf":         {},
	"report/internal/pdf/pdftest": {},
	"report/internal/thin":        {},

	"report/page":                   {"internal/natural", "internal/printable", "internal/readable", "record", "record/distance", "record/section/credits", "record/section/lateness", "record/section/pauses", "report/internal/bysize", "report/internal/jobview", "report/internal/thin", "study", "unit"},
	"report/page/browsertest/pages": {"record", "report/page", "report/page/internal/pagetest"},
	"report/page/internal/pagetest": {"record", "report/page", "study", "unit"},

	"analysis":               {"analysis/ballsbins", "analysis/buffers", "analysis/capacity", "analysis/credit", "analysis/hashing", "analysis/memory", "catalog", "internal/histogram", "internal/nearest", "internal/portable", "internal/stats", "internal/userfile", "scenarios/data", "unit", "workload"},
	"analysis/achievable":    {"analysis", "analysis/throughput", "topo"},
	"analysis/collisions":    {"analysis/pattern", "internal/nearest", "internal/portable", "sim"},
	"analysis/connectivity":  {"analysis/internal/pool", "analysis/routers", "internal/flow"},
	"analysis/cost":          {"topo", "unit"},
	"analysis/credit":        {"unit"},
	"analysis/disjoint":      {"analysis/routers", "internal/flow"},
	"analysis/diversity":     {"analysis", "analysis/collisions", "analysis/connectivity", "analysis/disjoint", "analysis/internal/pool", "analysis/paths", "analysis/routers", "internal/portable", "internal/stats", "sim"},
	"analysis/internal/pool": {},
	"analysis/pattern":       {"internal/portable"},
	"analysis/paths":         {"analysis/internal/pool", "analysis/routers", "internal/portable", "sim"},
	"analysis/routers":       {"internal/portable", "sim", "topo"},
	"analysis/ballsbins":     {"analysis/internal/draw", "internal/fifo", "internal/portable"},
	"analysis/buffers":       {"unit"},
	"analysis/capacity":      {"unit"},
	"analysis/hashing":       {"analysis/internal/draw", "internal/portable"},
	"analysis/internal/draw": {},
	"analysis/layering":      {"analysis", "route/layers", "topo"},
	"analysis/matching":      {},
	"analysis/memory":        {},
	"analysis/throughput":    {"analysis/matching", "analysis/pattern", "internal/nearest", "internal/portable", "sim", "topo", "unit"},

	"scenario": {
		"catalog", "config", "explain", "fabric", "fault", "internal/connection/hosted", "internal/histogram", "internal/inputs", "internal/nearest", "internal/readable", "internal/userfile", "problem", "protocol", "protocol/reliable", "record",
		"record/section", "record/section/convergence", "record/section/credits", "record/section/deflection", "record/section/detours", "record/section/jobs", "record/section/pauses", "route", "route/bound", "route/load", "scenario/internal/watch", "sim", "topo", "trace/timeline", "trace/traffic", "transport", "unit", "workload", "workload/flowfile", "workload/matrix",
	},
	"scenario/internal/watch": {"fabric", "internal/histogram", "record", "record/section/credits", "record/section/reactions", "topo", "transport", "unit"},
	"": {
		"fault", "protocol/arcane", "protocol/congestion", "protocol/dart", "protocol/dcpim", "protocol/entropy", "protocol/eqds", "protocol/expresspass", "protocol/homa", "protocol/ndp", "protocol/phost", "protocol/sird", "record", "route", "route/layers", "route/paths", "scenario", "topo", "trace/traffic", "workload",
	},
	"cli/onwire":     {"internal/histogram", "internal/readable", "internal/userfile", "transport/solo", "unit", "wire", "wire/dissector"},
	"cli/emulating":  {"emulate", "internal/readable", "internal/tabular", "record", "record/section/lateness", "scenario", "unit"},
	"cli/jobpath":    {"internal/tabular", "scenario", "trace/timeline", "unit"},
	"cli/tracing":    {"internal/readable", "internal/tabular", "internal/userfile", "report", "trace", "trace/chakra", "trace/collective", "trace/cut", "trace/generate", "trace/goal", "trace/loggops", "trace/open", "trace/timeline", "trace/timeline/perfetto", "unit"},
	"cli":            {"cli/emulating", "cli/jobpath", "cli/onwire", "cli/tracing", "emulate", "record/distance", "record/section/lateness", "analysis", "analysis/achievable", "analysis/collisions", "analysis/cost", "analysis/diversity", "analysis/layering", "analysis/routers", "analysis/throughput", "catalog", "config", "explain", "internal/histogram", "internal/nearest", "internal/printable", "internal/readable", "internal/tabular", "internal/userfile", "papers", "papers/page", "record", "report", "report/page", "route/layers", "scenario", "scenarios/data", "study", "study/local", "study/remote", "study/slurm", "study/workers", "topo", "topo/draw", "unit", "workload/flowfile"},
	"cmd/weft":       {"", "cli", "papers/ledgers"},
	"cmd/weft-queue": {"", "cli", "papers/ledgers", "study/jetstream"},
}

// standardOnly are the packages without imports from outside this module: what
// runs in a simulation, and what may run in a real endpoint.
var standardOnly = []string{
	"sim", "fabric", "transport", "protocol", "topo", "route", "workload", "fault", "unit", "catalog", "explain",
	"trace/collective", "trace/generate", "trace/goal", "trace/loggops", "trace/replay", "trace/timeline", "trace/traffic",
}

// beyondStandard are packages below these that read formats of others, and the library that they do it with.
var beyondStandard = map[string]string{"trace/chakra": "google.golang.org/protobuf/encoding/protowire"}

// modules are those of their own that import what they like; all of examples are such, too.
var modules = []string{"internal/nobrotli", "wire/compare", "wire/prometheus", "emulate/rivals"}

func TestImportsFollowTheArchitecture(t *testing.T) {
	const module = "weft"
	fset := token.NewFileSet()
	used := map[string]map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || slices.Contains(modules, path) || name == "testdata" || name == "examples" || name == "out") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		room := filepath.ToSlash(filepath.Dir(path))
		if room == "." {
			room = ""
		}
		allowed, known := rooms[room]
		if !known {
			t.Errorf("package %s is not in the list of rooms; add it there and to docs/architecture.md", room)
			return nil
		}
		if used[room] == nil {
			used[room] = map[string]bool{}
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own, ours := strings.CutPrefix(name, module+"/")
			switch {
			case name == module || ours:
				if name == module {
					own = ""
				}
				used[room][own] = true
				if !slices.Contains(allowed, own) {
					t.Errorf("%s imports %s, which the architecture does not allow", path, name)
				}
			case name == beyondStandard[room]:
			case strings.Contains(strings.SplitN(name, "/", 2)[0], "."):
				if slices.ContainsFunc(standardOnly, func(p string) bool { return room == p || strings.HasPrefix(room, p+"/") }) {
					t.Errorf("%s imports %s; package %s uses the standard library only", path, name, room)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room, allowed := range rooms {
		if used[room] == nil {
			t.Errorf("room %q has no package; remove it from the list", room)
		}
		for _, other := range allowed {
			if !used[room][other] {
				t.Errorf("room %q imports nothing of %q; remove it from what it may", room, other)
			}
		}
	}
}

// ownFiles are the files in which packages that read and write what users name may open
// files themselves: those of the system, and their own temporary ones.
var ownFiles = []string{"scenario/memory.go", "scenario/usage.go", "papers/library.go", "papers/publish.go"}

// TestFilesOfUsersGoThroughOnePackage: a name of a user's can be a pipe, a device or a link,
// which internal/userfile knows and calls of os do not.
func TestFilesOfUsersGoThroughOnePackage(t *testing.T) {
	var files []string
	for _, room := range []string{"analysis", "cli", "config", "papers", "papers/page", "report", "report/page", "scenario", "topo", "topo/draw", "workload", "workload/flowfile", "workload/matrix"} {
		list, err := filepath.Glob(room + "/*.go")
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v, %v", room, list, err)
		}
		files = append(files, list...)
	}
	calls := []string{"Create", "CreateTemp", "Open", "OpenFile", "ReadFile", "Rename", "WriteFile"}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || slices.Contains(ownFiles, filepath.ToSlash(path)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(calls, s.Sel.Name) {
				if of, ok := s.X.(*ast.Ident); ok && of.Name == "os" {
					t.Errorf("%s: os.%s; use internal/userfile", path, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestAnOwnProgramIsLight: a program with algorithms of one's own carries neither the ledgers
// nor the queue, which its main has to ask for.
func TestAnOwnProgramIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "weft", "weft/cli").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		for _, heavy := range []string{"github.com/nats-io/", "weft/papers/ledgers", "weft/papers/arcane", "weft/papers/fatpaths", "weft/papers/sird"} {
			if strings.HasPrefix(name, heavy) {
				t.Errorf("weft/cli needs %s", name)
			}
		}
	}
}
