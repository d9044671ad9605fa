package scenario

import (
	"path/filepath"

	"weft/config"
	"weft/internal/userfile"
)

// loadOptions are the options of loading a file.
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
	// A mistake in the file without variants would be a mistake in every variant.
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

// Load reads a scenario file and validates everything that does not need the network. The
// registry holds the entries that the file can name. Each of sets is an assignment
// path=value, as in transport.balancer=ops or traffic.main.size=1MiB; sets apply to the
// file before its variants do. Mistakes in the file or the sets are returned as one
// *config.Error that reports all of them.
func Load(path string, reg *Registry, sets []string) (*File, error) {
	return LoadOnly(path, reg, Sets(sets...), nil)
}

// LoadOnly works like Load, but returns only the named variants, or all if none are named.
// Conflicting options in other variants are no error. A variant that cannot be read is an
// error, whatever its name.
func LoadOnly(path string, reg *Registry, sets []Set, variants []string) (*File, error) {
	return read(path, reg, loadOptions{sets: sets, variants: variants})
}

// LoadOnWire works like LoadOnly, for a file whose messages real endpoints are to carry. If
// they cannot carry a variant's transport, that is the variant's only error, since fixing
// others would not help. LiveTraffic reports the other features that endpoints lack.
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

// Parse works like Load for a text that is already read. Relative paths in it start from
// the directory of path.
func Parse(path string, text []byte, reg *Registry, sets []string) (*File, error) {
	return parse(path, text, reg, loadOptions{sets: Sets(sets...)})
}

// ParseStranger works like Parse for text from an untrusted author, who must not choose
// which files of this machine are read. It calls permit for each file that the text names,
// before reading any.
func ParseStranger(path string, text []byte, reg *Registry, permit func(path string) error) (*File, error) {
	return parse(path, text, reg, loadOptions{permit: permit})
}
