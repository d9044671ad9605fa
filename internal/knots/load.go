package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A room is a package of the tree, with its files and the result of type-checking.
type room struct {
	path    string // import path
	name    string // path within the module, "" for its root
	user    bool   // belongs to another module
	files   []*ast.File
	tests   []*ast.File // test files of the same package
	outside []*ast.File // test files of the external package name_test
	pkg     *types.Package
	info    *types.Info
}

// A tree holds all packages of a repository, type-checked.
type tree struct {
	module string // path of the main module
	fset   *token.FileSet
	rooms  []*room
	// test holds the references in test files, by the room under test.
	test map[*room][]*types.Info
}

// load reads and type-checks every package below dir, which must contain the main module's
// go.mod. Packages of nested modules count as users of the main module.
func load(dir string) (*tree, error) {
	module, err := moduleOf(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	t := &tree{module: module, fset: token.NewFileSet(), test: map[*room][]*types.Info{}}
	if err := t.parse(dir); err != nil {
		return nil, err
	}
	c := &checker{tree: t, rooms: map[string]*room{}}
	for _, r := range t.rooms {
		c.rooms[r.path] = r
	}
	if c.exports, err = exports(dir, t.foreign()); err != nil {
		return nil, err
	}
	c.others = importer.ForCompiler(t.fset, "gc", c.open)
	return t, c.run()
}

// moduleOf returns the module path that a go.mod file declares.
func moduleOf(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("%s names no module", file)
}

// parse parses the files of all packages below dir that are built on this system.
func (t *tree) parse(dir string) error {
	paths := map[string]string{} // import paths, by directory
	nested := map[string]bool{}  // whether a directory belongs to a nested module
	return filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if n := d.Name(); at != dir && (n[0] == '.' || n[0] == '_' || n == "testdata" || n == "node_modules" || n == "out") {
			return filepath.SkipDir
		}
		above := filepath.Dir(at)
		paths[at], nested[at] = path.Join(paths[above], d.Name()), nested[above]
		if module, err := moduleOf(filepath.Join(at, "go.mod")); err == nil {
			paths[at], nested[at] = module, at != dir
		}
		found, err := build.ImportDir(at, 0)
		var none *build.NoGoError
		if errors.As(err, &none) {
			return nil
		}
		if err != nil {
			return err
		}
		r := &room{path: paths[at], user: nested[at]}
		r.name = strings.TrimPrefix(strings.TrimPrefix(r.path, t.module), "/")
		for files, names := range map[*[]*ast.File][]string{&r.files: found.GoFiles, &r.tests: found.TestGoFiles, &r.outside: found.XTestGoFiles} {
			for _, name := range names {
				f, err := parser.ParseFile(t.fset, filepath.Join(at, name), nil, parser.SkipObjectResolution)
				if err != nil {
					return err
				}
				*files = append(*files, f)
			}
		}
		t.rooms = append(t.rooms, r)
		return nil
	})
}

// foreign returns the import paths from outside the main module that its packages use.
func (t *tree) foreign() []string {
	names := map[string]bool{}
	for _, r := range t.rooms {
		if r.user {
			continue
		}
		for _, f := range slices.Concat(r.files, r.tests, r.outside) {
			for _, spec := range f.Imports {
				if name, err := strconv.Unquote(spec.Path.Value); err == nil && name != "unsafe" && name != t.module && !strings.HasPrefix(name, t.module+"/") {
					names[name] = true
				}
			}
		}
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// exports asks the go command for the export data of packages and of their dependencies. It
// returns file names by import path.
func exports(dir string, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	c := exec.Command("go", append([]string{"list", "-e", "-deps", "-export", "-json=ImportPath,Export", "--"}, names...)...)
	c.Dir = dir
	var problem bytes.Buffer
	c.Stderr = &problem
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, problem.String())
	}
	files := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); err == io.EOF {
			return files, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		files[p.ImportPath] = p.Export
	}
}

// A checker type-checks each room after the rooms that it imports.
type checker struct {
	*tree
	rooms   map[string]*room
	exports map[string]string
	others  types.Importer
	// tested is the room whose external tests are being checked. They must see its own test files
	// too.
	tested *types.Package
}

func (c *checker) open(name string) (io.ReadCloser, error) {
	if file := c.exports[name]; file != "" {
		return os.Open(file)
	}
	return nil, fmt.Errorf("no package %s", name)
}

// Import implements types.Importer.
func (c *checker) Import(name string) (*types.Package, error) {
	if c.tested != nil && c.tested.Path() == name {
		return c.tested, nil
	}
	r := c.rooms[name]
	switch {
	case name == "unsafe":
		return types.Unsafe, nil
	case r == nil:
		return c.others.Import(name)
	case r.pkg == nil:
		before := c.tested
		c.tested = nil
		defer func() { c.tested = before }()
		return r.pkg, c.check(r)
	}
	return r.pkg, nil
}

func (c *checker) run() error {
	for _, r := range c.tree.rooms {
		if _, err := c.Import(r.path); err != nil {
			return err
		}
	}
	for _, r := range c.tree.rooms {
		c.checkTests(r)
	}
	return nil
}

// check type-checks a package without its tests.
func (c *checker) check(r *room) error {
	r.info = newInfo()
	conf := types.Config{Importer: c}
	if r.user { // dependencies of other modules may be missing
		conf.Error = func(error) {}
	}
	var err error
	if r.pkg, err = conf.Check(r.path, c.fset, r.files, r.info); err != nil && !r.user {
		return fmt.Errorf("package %s: %w", r.path, err)
	}
	return nil
}

// checkTests type-checks a package's tests and ignores errors. They are expected: a package that
// a test imports may itself import the tested package without its test files, so the tested
// package exists twice.
func (c *checker) checkTests(r *room) {
	conf := types.Config{Importer: c, Error: func(error) {}}
	c.tested = nil
	seen := r.pkg
	if len(r.tests) > 0 {
		info := newInfo()
		seen, _ = conf.Check(r.path, c.fset, append(slices.Clone(r.tests), withoutBodies(r.files)...), info)
		c.test[r] = append(c.test[r], info)
	}
	if len(r.outside) > 0 {
		info := newInfo()
		c.tested = seen
		_, _ = conf.Check(r.path+"_test", c.fset, r.outside, info)
		c.tested = nil
		c.test[r] = append(c.test[r], info)
	}
}

// withoutBodies returns copies of files with function bodies removed, because check has checked
// these already.
func withoutBodies(files []*ast.File) []*ast.File {
	var short []*ast.File
	for _, f := range files {
		g := *f
		g.Decls = nil
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				declared := *fn
				declared.Body = nil
				d = &declared
			}
			g.Decls = append(g.Decls, d)
		}
		short = append(short, &g)
	}
	return short
}

func newInfo() *types.Info {
	return &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
}

// fileOf returns the name of the file at a position.
func (t *tree) fileOf(at token.Pos) string {
	if !at.IsValid() {
		return ""
	}
	return filepath.Base(t.fset.File(at).Name())
}
