package wire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// mostExported is how many names programs that import the package have to look through at most.
const mostExported = 30

// TestExportsLittle counts the names that the package exports.
func TestExportsLittle(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			for _, n := range declared(d) {
				if n.IsExported() {
					names = append(names, n.Name)
				}
			}
		}
	}
	if len(names) < 5 || len(names) > mostExported {
		t.Errorf("%d names are exported, and %d may be: %v", len(names), mostExported, names)
	}
}

// declared returns the names of the package that a declaration declares.
func declared(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name)
			case *ast.ValueSpec:
				names = append(names, s.Names...)
			}
		}
	}
	return names
}
