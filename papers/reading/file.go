package reading

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"weft/config"
	"weft/internal/userfile"
	"weft/papers"
	"weft/problem"
	"weft/unit"
)

// fileName is the name of the file in the folder of a ledger.
const fileName = "readings.yaml"

// formatVersion is the version of the format.
const formatVersion = 1

// file is what readings.yaml says.
type file struct {
	Version      int           `yaml:"readings" doc:"Version of the file format; 1."`
	About        string        `yaml:"about" default:"" doc:"Remark for the page."`
	Settings     []setting     `yaml:"settings" default:"[]" doc:"What the paper leaves open."`
	Combinations []combination `yaml:"combinations" default:"[]" doc:"Readings that change several settings."`
	Studies      []concerned   `yaml:"studies" default:"[]" doc:"Studies that are run under other readings."`
	Mechanism    []mechanism   `yaml:"mechanism" default:"[]" doc:"Tests of the mechanism."`
	Claims       []claim       `yaml:"claims" default:"[]" doc:"What is particular about claims; others have the first check as headline."`
}

type setting struct {
	ID     string  `yaml:"id" doc:"Name of the setting."`
	About  string  `yaml:"about" doc:"What is open."`
	Values []value `yaml:"values" doc:"Admissible values; one is first."`
}

type value struct {
	Is     string       `yaml:"is" doc:"Name of the value."`
	First  bool         `yaml:"first" default:"false" doc:"Whether the ledger's own studies have it."`
	Source string       `yaml:"source" doc:"What makes it admissible." enum:"text,figure,cited,code"`
	Why    string       `yaml:"why" doc:"What the source says."`
	Set    *config.Node `yaml:"set" doc:"What it changes in every study that it concerns: a mapping of paths to values, as --set takes them."`
	In     *config.Node `yaml:"in" doc:"What it changes in one study, after set: a mapping of studies to such mappings."`
}

type combination struct {
	ID   string       `yaml:"id" doc:"Name of the reading."`
	With *config.Node `yaml:"with" doc:"Its values: a mapping of settings to values that are not first."`
	Why  string       `yaml:"why" doc:"Why these go together."`
}

type concerned struct {
	ID       string   `yaml:"id" doc:"Id of a study of the ledger."`
	Settings []string `yaml:"settings" doc:"Settings that concern it."`
	Quick    atScale  `yaml:"quick" default:"{}" doc:"How scale quick runs it under other readings."`
	Full     atScale  `yaml:"full" default:"{}" doc:"The same of scale full."`
}

type atScale struct {
	Skip  bool         `yaml:"skip" default:"false" doc:"Not run under other readings at this scale."`
	Seeds *config.Node `yaml:"seeds" doc:"Seeds, as in a scenario (default: the study's)."`
}

type mechanism struct {
	About string `yaml:"about" doc:"What the test shows."`
	Test  string `yaml:"test" doc:"Package and name of a Go test, as in protocol/dart.TestShares."`
}

type claim struct {
	ID          string       `yaml:"id" doc:"Id of a claim of the ledger."`
	Headline    string       `yaml:"headline" default:"" doc:"Name of the check that decides (default: the first)."`
	UpTo        *upTo        `yaml:"up_to" doc:"The claim says up to: it holds if the largest admissible cell reaches the number."`
	Transient   bool         `yaml:"transient" default:"false" doc:"Whether it is about a transient or about saturation, so that a window without a steady state is no doubt."`
	Undecidable *undecidable `yaml:"undecidable" doc:"Why it cannot be decided here, although it has checks."`
	Expects     *config.Node `yaml:"expects" doc:"What was expected before the runs: a mapping of readings to holds or fails."`
	Why         string       `yaml:"why" default:"" doc:"Reason for the expectation."`
}

type upTo struct {
	Reach  float64    `yaml:"reach" doc:"The number, in the unit of the headline check."`
	Within unit.Ratio `yaml:"within" default:"10%" doc:"How far short of it the largest cell may be."`
	Take   string     `yaml:"take" default:"largest" doc:"Which cell is the extreme." enum:"largest,smallest"`
}

type undecidable struct {
	Because string `yaml:"because" doc:"What it is about: hardware that is not simulated, software of hosts, a figure of others, or numbers that the text lost or never had." enum:"testbed,operating system,cited,lost"`
	Why     string `yaml:"why" doc:"What is lacking, in a sentence."`
}

// File is the readings of a ledger.
type File struct {
	file
	ledger *papers.Ledger
	places config.Places
	// readings are the first one and all others, in the order of the file.
	readings []Reading
}

// Load reads the readings of a ledger. What is wrong with them is a *config.Error. A ledger without the
// file has the first reading alone.
func Load(l *papers.Ledger) (*File, error) {
	path := filepath.Join(l.Dir, fileName)
	f := &File{ledger: l}
	text, err := userfile.Read(path, config.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		f.readings = []Reading{{Name: firstReading, About: "as published"}}
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", path, err)
	}
	root, err := config.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if f.places, err = (config.Decoder{Dir: l.Dir}).Decode(root, &f.file); err != nil {
		return nil, err
	}
	errs := new(config.Error)
	if f.Version != formatVersion {
		errs.Report(f.places.At("readings"), problem.New("this weft reads readings of format version %d", formatVersion).Mend("write readings: %d", formatVersion))
	}
	f.check(errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return f, nil
}
