package record

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"weft/unit"
)

// Manifest records what was run, by which program, on which host, and what was derived from the
// scenario before the first event.
type Manifest struct {
	// Name is the variant's name, or the scenario's.
	Name string `json:"name"`
	// Partial marks a run that was cut short.
	Partial bool `json:"partial"`
	// Notices lists what the user should know about this run, in order.
	Notices []string `json:"notices,omitempty"`
	// Command is the command line to run it again, if a command ran it.
	Command string `json:"command,omitempty"`
	// Source is the scenario's file, if a command read it from one.
	Source string `json:"source,omitempty"`
	// Scenario is the resolved scenario with every default filled in.
	Scenario json.RawMessage `json:"scenario"`
	// Derived lists values derived from the scenario.
	Derived []Derived `json:"derived"`
	// Seed is the seed of all random streams.
	Seed uint64 `json:"seed"`
	// Interval is the length of the buckets of the recorded series; 0 if none were recorded.
	Interval unit.Time `json:"interval"`
	// SnapshotInterval is the length of snapshots' time spans; 0 if there are none.
	SnapshotInterval unit.Time `json:"snapshot_interval,omitempty"`
	// Hashes identify the scenario and the result.
	Hashes Hashes `json:"hashes"`
	// Study identifies the run in a study; nil if it is not part of one.
	Study *StudyRun `json:"study,omitempty"`
	// Engine is how the run was executed. It does not affect results.
	Engine Engine `json:"engine"`
	// Timings are in real time.
	Timings Timings `json:"timings"`
	Program Program `json:"program"`
	Host    Host    `json:"host"`
}

// ScenarioText returns a text at the scenario's top level, such as its name.
func (m *Manifest) ScenarioText(key string) (string, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(m.Scenario, &keys); err != nil {
		return "", err
	}
	var text string
	err := json.Unmarshal(keys[key], &text)
	return text, err
}

// Derived is a value derived from the scenario, such as the base RTT.
type Derived struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit,omitempty"`
	Meaning string  `json:"meaning"`
}

// DerivedTime returns a derived time span, in microseconds.
func DerivedTime(name string, t unit.Time, meaning string) Derived {
	return Derived{name, float64(t) / float64(unit.Microsecond), "us", meaning}
}

// DerivedBytes returns a derived size, in bytes.
func DerivedBytes(name string, n unit.Bytes, meaning string) Derived {
	return Derived{name, float64(n), "B", meaning}
}

// DerivedRate returns a derived rate, in Gbps.
func DerivedRate(name string, r unit.Rate, meaning string) Derived {
	return Derived{name, float64(r) / float64(unit.Gbps), "Gbps", meaning}
}

// DerivedCount returns a derived number, with a unit such as "packets" or without one.
func DerivedCount(name string, n float64, unit, meaning string) Derived {
	return Derived{name, n, unit, meaning}
}

// Hashes holds hashes in hexadecimal.
type Hashes struct {
	// Scenario is the hash of the resolved scenario without what cannot change results.
	Scenario string `json:"scenario"`
	// Result is the ResultHash.
	Result string `json:"result"`
}

// StudyRun identifies a run of a study.
type StudyRun struct {
	// Cell identifies the scenario without its seed. Program identifies the part of the program
	// that determines results. Worker identifies the process.
	Cell    string `json:"cell"`
	Program string `json:"program"`
	Worker  string `json:"worker"`
}

// Engine is how a run was executed.
type Engine struct {
	Threads int `json:"threads"`
	Domains int `json:"domains"`
	// Queue is the kind of event queue. Swept is how many windows were swept instead of queued.
	Queue string `json:"queue"`
	Swept uint64 `json:"swept_windows,omitempty"`
}

// Timings holds durations in real time.
type Timings struct {
	Started time.Time
	// Build is the time from the scenario to the first event, Run the time of the event loop, and
	// EngineCPU its processor time over all threads.
	Build, Run, EngineCPU time.Duration
}

type timingsNumbers struct {
	Started   time.Time `json:"started"`
	Build     float64   `json:"build_seconds"`
	Run       float64   `json:"run_seconds"`
	EngineCPU float64   `json:"engine_cpu_seconds"`
}

// MarshalJSON writes durations in seconds.
func (t Timings) MarshalJSON() ([]byte, error) {
	return json.Marshal(timingsNumbers{t.Started, t.Build.Seconds(), t.Run.Seconds(), t.EngineCPU.Seconds()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Timings) UnmarshalJSON(data []byte) error {
	var n timingsNumbers
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*t = Timings{n.Started, fromSeconds(n.Build), fromSeconds(n.Run), fromSeconds(n.EngineCPU)}
	return nil
}

// Program is the program that made a run.
type Program struct {
	// Version is the version of the main module, or "(devel)" if it was built from a working
	// copy. Revision is its commit, if the build recorded one.
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	// Modified reports that the working copy differed from Revision.
	Modified bool `json:"modified,omitempty"`
	// Go is the version of the Go toolchain.
	Go string `json:"go"`
}

// ShortRevision returns the beginning of the revision, enough to identify it.
func (p Program) ShortRevision() string { return p.Revision[:min(len(p.Revision), 12)] }

// CurrentProgram returns the running program.
func CurrentProgram() Program { return program() }

var program = sync.OnceValue(func() Program {
	p := Program{Version: "(devel)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	if info.Main.Version != "" {
		p.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Revision = s.Value
		case "vcs.modified":
			p.Modified = s.Value == "true"
		}
	}
	return p
})

// Host is the machine that made a run.
type Host struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
}

// CurrentHost returns the machine that the program is running on.
func CurrentHost() Host {
	return Host{CPU: cpu(), Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH}
}

var cpu = sync.OnceValue(cpuModel)

// cpuModel returns the processor's name from /proc/cpuinfo (Linux), or else "unknown".
func cpuModel() string {
	const unknown = "unknown"
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return unknown
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}
