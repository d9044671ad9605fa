package fault

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/problem"
	"weft/unit"
)

// script is the content of a failure script of htsim: lines such as
//
//	Cable-Fail: ON
//	Cable-Fail-Start-After: 100000000
//	Cable-Fail-Period: 0
//	Cable-Fail-Max-Percent: 0.1
//
// Times are picoseconds. A percentage is a number from 0 to 1. Text after # is a comment.
type script struct {
	switchFail, cableFail, switchSlow, cableSlow failing
	// coreOnly restricts failures to cables between aggregation and core switches.
	coreOnly bool
	// perSwitch limits the failed cables per switch instead of per network.
	perSwitch bool
	// slowShare sets the rate of a degraded switch: a port keeps 1/(100 slowShare) of its own.
	slowShare float64
	// drop loses one of 10^dropRate packets.
	drop     bool
	dropRate int
	// stop is when all failures end.
	stop unit.Time
}

// failing is one kind of failure that a script turns on.
type failing struct {
	on            bool
	start, period unit.Time
	// most is the largest share that fails.
	most float64
	// lasts reports whether a failure ends after duration.
	lasts    bool
	duration unit.Time
}

// A scriptKey is a key of a script. The type of its target determines the form of the value.
type scriptKey struct {
	name string
	into any
}

// Targets of keys other than pointers to values.
type (
	// unused is a number that has no effect in weft.
	unused struct{}
	// refused is a failure that weft does not support: a script must not turn it on.
	// Its text is the fault to write instead.
	refused string
)

// keys returns all keys with the targets of their values in s.
func (s *script) keys() []scriptKey {
	keys := []scriptKey{
		{"Stop-Failures-After", &s.stop},
		{"Random-Packet-Drop", &s.drop},
		{"Random-Packet-Drop-Rate", &s.dropRate},
		{"Switch-Fail-Duration", &s.switchFail.lasts},
		{"Switch-Fail-Duration-Time", &s.switchFail.duration},
		{"Switch-Degradation-Percent", &s.slowShare},
		{"Cable-Fail-Duration", &s.cableFail.lasts},
		{"Cable-Fail-Duration-Time", &s.cableFail.duration},
		{"Cable-Fail-Percent-Per-Switch", &s.perSwitch},
		{"Only-US-CS-Cable", &s.coreOnly},
		// htsim reads these but does not use them.
		{"Cable-Degradation-Percent", unused{}},
		{"NIC-Degradation-Percent", unused{}},
	}
	for _, f := range []struct {
		name string
		into *failing
	}{
		{"Switch-Fail", &s.switchFail}, {"Cable-Fail", &s.cableFail},
		{"Switch-Degradation", &s.switchSlow}, {"Cable-Degradation", &s.cableSlow},
	} {
		keys = append(keys, scriptKey{f.name, &f.into.on}, scriptKey{f.name + "-Start-After", &f.into.start},
			scriptKey{f.name + "-Period", &f.into.period}, scriptKey{f.name + "-Max-Percent", &f.into.most})
	}
	const loss = `{kind: loss, links: "spine0->*", probability: 1%}`
	for _, f := range []struct{ name, instead string }{
		{"Switch-BER", loss}, {"Cable-BER", loss},
		{"Switch-Periodic-Packet-Loss", loss}, {"Cable-Periodic-Packet-Loss", loss},
		{"NIC-Fail", `{kind: link-down, links: "host0->*", allow_cutoff: true}`},
		{"NIC-Degradation", `{kind: degrade, links: "host0->*", rate: 1kbps}`},
		{"Switch-Worst-Case", `{kind: switch-down, switches: spine0}`},
		{"Cable-Worst-Case", `{kind: link-down, links: "tor0->spine0"}`},
		{"NIC-Worst-Case", `{kind: link-down, links: "host0->*", allow_cutoff: true}`},
	} {
		keys = append(keys, scriptKey{f.name, refused(f.instead)})
		for _, end := range []string{"-Start-After", "-Period", "-Max-Percent", "-PktNr", "-Drop-Period"} {
			keys = append(keys, scriptKey{f.name + end, unused{}})
		}
	}
	return keys
}

// on reports whether the script turns any failure on.
func (s *script) on() bool {
	return s.drop || s.switchFail.on || s.cableFail.on || s.switchSlow.on || s.cableSlow.on
}

// readScript reads a failure script. Errors begin with the file's name, the line and the column.
func readScript(text, name string) (*script, error) {
	s := &script{stop: unit.Forever, slowShare: 0.1}
	s.switchSlow.most, s.cableSlow.most = 1, 1 // htsim's defaults; for failures the default is 0
	r := scriptReader{name: name, keys: s.keys(), lines: map[string]int{}}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		r.line++
		if err := r.read(line); err != nil {
			return nil, err
		}
	}
	if !s.on() {
		return nil, problem.New("%s: the failure script turns nothing on", name).Mend("write ON for a failure, as in Cable-Fail: ON")
	}
	if s.drop && s.dropRate == 0 {
		return nil, problem.New("%s: Random-Packet-Drop is ON, but Random-Packet-Drop-Rate is missing", name).Mend("write it as in Random-Packet-Drop-Rate: 4, which loses one packet of 10^4")
	}
	for _, f := range []struct {
		key string
		of  failing
	}{{"Switch-Fail", s.switchFail}, {"Cable-Fail", s.cableFail}} {
		if f.of.on && f.of.lasts && f.of.duration == 0 {
			return nil, problem.New("%s: %s-Duration is ON, but %[2]s-Duration-Time is missing or 0", name, f.key).Mend("write the picoseconds that a failure lasts, or %s-Duration: OFF", f.key)
		}
	}
	return s, nil
}

type scriptReader struct {
	name  string
	line  int
	keys  []scriptKey
	lines map[string]int // line of each key that was read
}

func (r *scriptReader) errorf(column int, err error) error {
	return fmt.Errorf("%s:%d:%d: %w", r.name, r.line, column, err)
}

func (r *scriptReader) read(line string) error {
	line, _, _ = strings.Cut(line, "#")
	name, rest, found := strings.Cut(line, ":")
	indent := len(name) - len(strings.TrimLeft(name, " \t\r"))
	if name = strings.TrimSpace(name); !found {
		if name == "" {
			return nil
		}
		return r.errorf(indent+1, problem.New("%q is no line of a failure script of htsim (failures_input)", readable.Clip(name)).Mend("write KEY: VALUE, as in Cable-Fail: ON"))
	}
	var into any
	names := make([]string, len(r.keys))
	for i, k := range r.keys {
		if names[i] = k.name; k.name == name {
			into = k.into
		}
	}
	if into == nil {
		return r.errorf(indent+1, problem.New("a failure script of htsim has no key %q", readable.Clip(name)).Mend("%s", nearest.Remedy(name, "there are", names)))
	}
	if before, twice := r.lines[name]; twice {
		return r.errorf(indent+1, problem.New("%s is already given in line %d", name, before).Mend("leave one"))
	}
	r.lines[name] = r.line
	words := strings.Fields(rest)
	if len(words) != 1 {
		return r.errorf(indent+1, problem.New("%s has %d values", name, len(words)).Mend("write one after the colon"))
	}
	column := strings.Index(line, ":") + 1 + strings.Index(rest, words[0]) + 1
	if err := set(into, words[0]); err != nil {
		return r.errorf(column, fmt.Errorf("%s is %q; %w", name, readable.Clip(words[0]), err))
	}
	return nil
}

// set parses a value into the target of its key. Its error states which values are allowed.
func set(into any, text string) error {
	switch into := into.(type) {
	case *bool:
		if text != "ON" && text != "OFF" {
			return fmt.Errorf("write ON or OFF")
		}
		*into = text == "ON"
	case refused:
		switch text {
		case "OFF":
		case "ON":
			return fmt.Errorf("weft has no such failure: write OFF, and in the scenario a fault such as %s", string(into))
		default:
			return fmt.Errorf("write ON or OFF")
		}
	case *unit.Time:
		ps, err := number(text)
		if err != nil || ps >= math.MaxInt64 {
			return fmt.Errorf("write a number of picoseconds")
		}
		*into = unit.Time(ps)
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 18 {
			return fmt.Errorf("write a whole number from 1 to 18: 4 loses one packet of 10^4")
		}
		*into = n
	case *float64:
		share, err := number(text)
		if err != nil || share > 1 {
			return fmt.Errorf("write a number from 0 to 1")
		}
		*into = share
	default:
		if _, err := number(text); err != nil {
			return fmt.Errorf("write a number")
		}
	}
	return nil
}

// number parses a number that is not negative.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && !(v >= 0 && v <= math.MaxFloat64) {
		err = strconv.ErrRange
	}
	return v, err
}
