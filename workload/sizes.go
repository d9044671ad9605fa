package workload

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"unicode"

	"weft/catalog"
	"weft/internal/userfile"
	"weft/problem"
	"weft/scenarios/data"
	"weft/unit"
)

// Sizes is a distribution of message sizes.
type Sizes interface {
	// Draw returns the size of a message, at least one byte.
	Draw(r *rand.PCG) unit.Bytes
	// Mean returns the expected size in bytes, from which loads are computed.
	Mean() float64
	// Max returns an upper bound of the sizes.
	Max() unit.Bytes
}

// Fixed gives every message the same size.
type Fixed unit.Bytes

// Draw returns f without using r.
func (f Fixed) Draw(*rand.PCG) unit.Bytes { return unit.Bytes(f) }

// Mean returns f in bytes.
func (f Fixed) Mean() float64 { return float64(f) }

// Max returns f.
func (f Fixed) Max() unit.Bytes { return unit.Bytes(f) }

// nominal is a distribution with another mean than its sizes have, as published setups use.
type nominal struct {
	Sizes
	mean float64
}

func (n nominal) Mean() float64 { return n.mean }

// SizeSpec specifies message sizes in a scenario: a size ("32MiB"), a mapping with a table ({cdf:
// sizes.csv, rule: linear}), or a published workload (websearch, which is short for {workload:
// websearch}).
type SizeSpec struct {
	Fixed    unit.Bytes   `yaml:"fixed" default:"0B" doc:"Size of every message; 0 if a table gives the sizes."`
	CDF      catalog.Path `yaml:"cdf" default:"" doc:"Table of sizes and their cumulative shares: size_bytes,cdf in CSV, two plain columns, or the three of ns-2."`
	Workload Published    `yaml:"workload" default:"" doc:"A published workload instead of cdf, with the rule and the mean of its set-up (loads use that mean): websearch or hadoop (HPCC, by linear), cachefollower or webserver (HomaSimulation, by step), wka, wkb or wkc (SIRD, by log), websearch20 (FatPaths, by step). weft list workloads shows them." source:"SIRD §6.2; its simulator"`
	Rule     Rule         `yaml:"rule" default:"linear" doc:"How sizes between two rows of the table are drawn: not at all (step), or with the size or its logarithm rising linearly with the share. A published workload has its own rule, whatever the default here." enum:"step,linear,log"`
	Unit     *unit.Bytes  `yaml:"unit" doc:"What the sizes of cdf count, such as 1460B for packets (default: bytes). Required for the tables of ns-2, which have three columns: some count packets." min:"1B"`
	Mean     *float64     `yaml:"mean" doc:"Mean in bytes for computing loads, if a published set-up used another than that of the rule (default: that of the rule)."`
}

// Form describes the short form of a SizeSpec.
func (SizeSpec) Form() catalog.Form {
	size, published := catalog.FormOf(reflect.TypeFor[unit.Bytes]()), Published("").Form()
	return catalog.Form{Name: "size or workload", Example: "32MiB", Pattern: size.Pattern + "|" + published.Pattern, Words: published.Words}
}

// UnmarshalText reads one size for all messages, or the name of a published workload.
func (s *SizeSpec) UnmarshalText(text []byte) error {
	b, err := unit.ParseBytes(string(text))
	if err != nil {
		if w, ok := data.Find(string(text)); ok {
			*s = SizeSpec{Workload: Published(w.Name), Rule: Linear}
			return nil
		}
		if len(text) > 0 && unicode.IsLetter(rune(text[0])) {
			return problem.New("%w", noWorkload(string(text))).Mend("a size is written as in 32MiB")
		}
		return problem.New("%w", err).Mend("sizes from a table are written {cdf: sizes.csv, rule: linear}, and a published workload by its name, as in websearch")
	}
	if b < 1 {
		return problem.New("size %q is too small", text).Mend("a message has at least 1 byte")
	}
	*s = SizeSpec{Fixed: b, Rule: Linear}
	return nil
}

// MarshalText writes what UnmarshalText reads. It fails if s has a table or no size, because only
// a mapping can express these.
func (s SizeSpec) MarshalText() ([]byte, error) {
	if s.CDF != "" || s.Workload != "" || s.Unit != nil || s.Mean != nil || s.Fixed == 0 {
		return nil, errors.New("sizes from a table, or none, cannot be written as one word")
	}
	return s.Fixed.MarshalText()
}

// Load returns the sizes that s describes. It reads the table if there is one.
func (s SizeSpec) Load() (Sizes, error) {
	sizes, err := s.load()
	if err != nil || s.Mean == nil && s.Workload == "" {
		return sizes, err
	}
	if s.Mean == nil {
		w, _ := data.Find(string(s.Workload))
		if w.Mean == 0 {
			return sizes, nil
		}
		return nominal{sizes, w.Mean}, nil
	}
	if !(*s.Mean >= 1 && *s.Mean <= maxSize) {
		return nil, problem.At("mean", "mean is %v bytes", *s.Mean).Mend("it must be at least 1")
	}
	return nominal{sizes, *s.Mean}, nil
}

// Table returns the table that s names, ignoring Mean.
func (s SizeSpec) Table() (*CDF, error) {
	sizes, err := s.load()
	if err != nil {
		return nil, err
	}
	c, ok := sizes.(*CDF)
	if !ok {
		return nil, errors.New("all messages have one size; give a table as cdf, or a workload")
	}
	return c, nil
}

func (s SizeSpec) load() (Sizes, error) {
	if s.CDF == "" && s.Unit != nil {
		return nil, problem.At("unit", "unit says what a table counts, but there is no table").Mend("give cdf, or leave unit out")
	}
	if s.Workload != "" {
		return s.published()
	}
	switch {
	case s.CDF == "" && s.Fixed == 0:
		return nil, problem.New("no size is given").Mend("write one as in 32MiB, {cdf: sizes.csv, rule: linear} for those of a table, or workload: websearch for a published workload")
	case s.CDF != "" && s.Fixed != 0:
		return nil, problem.At("fixed", "fixed and cdf both set the size of messages").Mend("give one of them")
	case s.CDF == "":
		if s.Fixed < 0 {
			return nil, problem.New("size %v is too small", s.Fixed).Mend("a message has at least 1 byte")
		}
		return Fixed(s.Fixed), nil
	}
	f, err := userfile.Open(string(s.CDF), MaxTable)
	if err != nil {
		return nil, problem.At("cdf", "table of sizes cannot be read: %w", err).Mend("a relative path starts from the scenario's folder")
	}
	defer f.Close()
	var bytes unit.Bytes
	if s.Unit != nil {
		if bytes = *s.Unit; bytes < 1 || bytes > maxSize {
			return nil, problem.At("unit", "unit is %v", bytes).Mend("write from 1B on, as in 1460B for packets")
		}
	}
	c, err := ReadTable(f, string(s.CDF), s.Rule, bytes)
	if err != nil {
		return nil, err
	}
	return c, nil
}
