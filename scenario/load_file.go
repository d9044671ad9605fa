package scenario

import (
	"path/filepath"

	"weft/config"
	"weft/internal/userfile"
)

// loadOptions say how a file is loaded.
type loadOptions struct {
	sets     []Set
	variants []string
	permit   func(string) error
	onWire   bool
}

func parse(path string, text []byte, reg *Registry, o loadOptions) (*File, error) {
	l := loader{path: path, only: o.variants, onWire: o.onWire, reg: reg, d: config.Decoder{Rosters: reg.rosters(), Dir: filepath.Dir(path), Permit: o.permit}}
	root, err := config.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(root); err != nil {
		return nil, err
	}
	if root, err = shortForms(foldVariants(root)); err != nil {
		return nil, err
	}
	file := root
	if root, err = l.assign(root, o.sets); err != nil {
		return nil, err
	}
	l.d.Unknown = func(key string) string { return l.knownIn(file, key) }
	if err := checkCounts(root); err != nil {
		return nil, err
	}
	// What cannot be read in the file as it stands could not be read in any variant.
	base, err := l.decode(root, "")
	if err != nil {
		return nil, err
	}
	if err := l.validateFile(base); err != nil {
		return nil, err
	}
	f := &File{Name: base.Name, About: base.About, Path: path, root: root, base: base}
	defer func() { f.loader = l }()
	if err := f.checkMatrix(); err != nil {
		return nil, err
	}
	if len(base.Compare) == 0 {
		only := *base
		only.Variant = base.Name
		f.Variants = []*Scenario{&only}
		return f, nil
	}
	f.Variants, err = l.variants(root, base)
	f.Notices = l.notices
	return f, err
}

// Load reads a scenario file and validates all that needs no network. The
// registry holds what it can name. Each of sets is an assignment path=value, as
// in transport.balancer=ops or traffic.main.size=1MiB, that changes the file
// before its variants. What is wrong with the file or the sets is a
// *config.Error, which tells all of it at once.
func Load(path string, reg *Registry, sets []string) (*File, error) {
	return LoadOnly(path, reg, Sets(sets...), nil)
}

// LoadOnly is Load for those who want only the variants of some names, or all if there are
// none: others whose options do not fit together are not among the file's, rather than
// an error. What cannot be read is one in any variant.
func LoadOnly(path string, reg *Registry, sets []Set, variants []string) (*File, error) {
	return read(path, reg, loadOptions{sets: sets, variants: variants})
}

// LoadOnWire is LoadOnly of a file whose messages real endpoints are to carry. A transport that they cannot carry is the only error of
// its variant, since other changes would be in vain. What else they cannot do is left to LiveTraffic.
func LoadOnWire(path string, reg *Registry, sets []Set, variants []string) (*File, error) {
	return read(path, reg, loadOptions{sets: sets, variants: variants, onWire: true})
}

func read(path string, reg *Registry, o loadOptions) (*File, error) {
	text, err := userfile.Read(path, config.MaxText)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return parse(path, text, reg, o)
}

// Parse is Load of a file whose text is known; relative paths in it still start
// from the directory of path.
func Parse(path string, text []byte, reg *Registry, sets []string) (*File, error) {
	return parse(path, text, reg, loadOptions{sets: Sets(sets...)})
}

// ParseStranger is Parse for text of somebody who must not choose which files of this
// machine are read. Permit is asked for each file that the text names, before any is
// read.
func ParseStranger(path string, text []byte, reg *Registry, permit func(path string) error) (*File, error) {
	return parse(path, text, reg, loadOptions{permit: permit})
}
