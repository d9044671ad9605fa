package cli_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"

	"weft"
	"weft/scenario"
)

// committedSchema is the schema that scenarios of the repository name.
const committedSchema = "../scenarios/weft.schema.json"

func readSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(committedSchema)
	if err != nil {
		t.Fatal(err)
	}
	if most := 500_000; len(text) > most {
		t.Errorf("the schema has %d bytes; editors load at most %d", len(text), most)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

var beginsScenario = regexp.MustCompile(`(?m)^weft: 1$`)

// TestSchemaAcceptsAllScenarios compares the schema with the program on every scenario of the
// repository: files, examples in documents, and those of this package's scripts, which have
// some with mistakes. Programs of the examples have registries of their own.
func TestSchemaAcceptsAllScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every scenario")
	}
	schema, reg := readSchema(t), weft.Builtin()
	loaded := map[string]int{}
	look := func(of, path string, text []byte) {
		if !beginsScenario.Match(text) {
			return
		}
		f, err := scenario.Parse(path, text, reg, nil)
		if err != nil {
			return
		}
		if strings.Contains(string(text), "matrix:") {
			if _, err := f.Matrix(); err != nil {
				return
			}
		}
		loaded[of]++
		asJSON, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		var v any
		if err := json.Unmarshal(asJSON, &v); err != nil {
			t.Errorf("%s: %v", path, err)
		} else if err := schema.Validate(v); err != nil {
			t.Errorf("%s: the schema refuses what loads: %v\n%s", path, err, text)
		}
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && strings.HasPrefix(d.Name(), ".") && path != ".." {
				return filepath.SkipDir
			}
			return err
		}
		kind := filepath.Ext(path)
		if kind != ".yaml" && kind != ".md" && kind != ".txtar" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch kind {
		case ".yaml":
			look(kind, path, text)
		case ".md":
			for _, b := range block.FindAllSubmatch(text, -1) {
				look(kind, path, b[1])
			}
		case ".txtar":
			// Files that scenarios name lie beside them.
			archive, dir := txtar.Parse(text), t.TempDir()
			if err := txtar.Write(archive, dir); err != nil {
				return nil // names of files with variables of the script
			}
			for _, f := range archive.Files {
				if filepath.Ext(f.Name) == ".yaml" {
					look(kind, filepath.Join(dir, f.Name), f.Data)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for of, least := range map[string]int{".yaml": 100, ".md": 10, ".txtar": 40} {
		if loaded[of] < least {
			t.Errorf("%d scenarios of %s files load, and at least %d are expected", loaded[of], of, least)
		}
	}
}

// TestScenariosNameTheSchema: editors check every scenario that comes with weft, without a
// network.
func TestScenariosNameTheSchema(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../scenarios", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !beginsScenario.Match(text) {
			return err
		}
		found++
		_, name, ok := strings.Cut(strings.SplitN(string(text), "\n", 2)[0], "# yaml-language-server: $schema=")
		if !ok || filepath.Join(filepath.Dir(path), name) != filepath.Clean(committedSchema) {
			t.Errorf("%s does not begin with a line that names the schema; write it: go run ./cmd/weft schema --out scenarios/weft.schema.json %s", path, strings.TrimPrefix(path, "../"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("no scenario was found")
	}
}
