package chakra

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/problem"
)

// Forms of files, by the ends of their names.
const (
	binaryForm = ".et"
	jsonForm   = ".json"
)

// files are those of a trace: prefix, number of the rank, and form.
type files struct {
	dir, prefix, form string
	ranks             int
}

func (f files) path(rank int) string {
	return filepath.Join(f.dir, f.prefix+"."+strconv.Itoa(rank)+f.form)
}

// rankOf splits the name of a file.
func rankOf(name string) (prefix string, rank int, form string, ok bool) {
	form = filepath.Ext(name)
	rest := strings.TrimSuffix(name, form)
	dot := strings.LastIndexByte(rest, '.')
	if form != binaryForm && form != jsonForm || dot < 0 {
		return "", 0, "", false
	}
	digits := rest[dot+1:]
	rank, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(rank) != digits || rank < 0 {
		return "", 0, "", false
	}
	return rest[:dot], rank, form, true
}

// Is tells whether a path looks like a trace in Chakra's form: a folder with such files, one of them, or the
// prefix of such files, which is no file itself.
func Is(path string) bool {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		_, _, form, ok := rankOf(filepath.Base(path))
		return ok && (form == binaryForm || graphIn(path) || pytorch(path))
	}
	dir, want, exact := split(path)
	sets, err := list(dir, want, exact)
	return err == nil && len(sets) > 0
}

// Files returns the files of a trace that a prefix stands for, or one of the files: those of its ranks, and those
// of process groups in the same folder. It returns none for any other path, such as a folder.
func Files(path string) ([]string, error) {
	info, err := os.Stat(path)
	exists := err == nil
	if exists && info.IsDir() || !Is(path) {
		return nil, nil
	}
	f, err := find(path)
	switch {
	case err != nil && exists:
		return nil, nil // a file that has the name of a rank's by chance
	case err != nil:
		return nil, err
	}
	var list []string
	for rank := range f.ranks {
		list = append(list, f.path(rank))
	}
	groups, err := f.groups()
	for _, g := range groups {
		list = append(list, g.path)
	}
	slices.Sort(list)
	return list, err
}

// start returns the first bytes of a file in JSON, or else nothing.
func start(path string) []byte {
	if filepath.Ext(path) != jsonForm {
		return nil
	}
	f, err := userfile.Open(path, largest)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil
	}
	return head[:n]
}

// graphIn tells whether a file has a graph in JSON, or messages under the name of such a file.
func graphIn(path string) bool {
	head := start(path)
	return len(head) > 0 && (!isObject(head) || bytes.Contains(head, []byte(`"workload_graph"`)))
}

// pytorch tells whether a file is what PyTorch writes, before Chakra's converter.
func pytorch(path string) bool {
	head := start(path)
	return isObject(head) && bytes.Contains(head, []byte(`"schema"`)) && bytes.Contains(head, []byte(`"nodes"`))
}

// isObject tells whether bytes begin an object in JSON.
func isObject(head []byte) bool {
	text := bytes.TrimLeft(head, "\ufeff \t\r\n")
	return len(text) > 0 && text[0] == '{'
}

// notConverted is the error of a file of PyTorch.
func notConverted(path string) error {
	return fmt.Errorf("%s: this is a trace of PyTorch, whose nodes have no order of execution yet; make files of it with chakra_trace_link and chakra_converter", path)
}

// split separates the folder of a trace from the prefix of its files, if the path names it.
func split(path string) (dir, prefix string, exact bool) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path, "", false
	}
	dir, prefix = filepath.Dir(path), filepath.Base(path)
	if p, _, _, ok := rankOf(prefix); ok {
		prefix = p
	}
	// app.et, which files are written to, stands for app.0.et and so on as well.
	return dir, strings.TrimSuffix(prefix, binaryForm), true
}

// set is files with one prefix and form.
type set struct{ prefix, form string }

// list returns the ranks of the files in a folder by their prefix and form: of one prefix, or of any.
func list(dir, prefix string, exact bool) (map[set][]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sets := map[set][]int{}
	for _, e := range entries {
		if p, rank, form, ok := rankOf(e.Name()); ok && !e.IsDir() && (!exact || p == prefix) {
			sets[set{p, form}] = append(sets[set{p, form}], rank)
		}
	}
	return sets, nil
}

// mostMissing is how many ranks without a file an error names.
const mostMissing = 5

// find finds the files of a trace.
func find(path string) (files, error) {
	if pytorch(path) {
		return files{}, notConverted(path)
	}
	dir, prefix, exact := split(path)
	sets, err := list(dir, prefix, exact)
	if err != nil {
		return files{}, err
	}
	var binary, plain []set
	for s := range sets {
		if s.form == binaryForm {
			binary = append(binary, s)
		} else {
			plain = append(plain, s)
		}
	}
	found := binary
	if len(found) == 0 {
		found = plain
	}
	switch len(found) {
	case 0:
		err := problem.New("has no files of Chakra").Mend("name a folder with a file per rank, as in app.0.et and app.1.et, or their prefix")
		return files{}, &fs.PathError{Op: "open", Path: path, Err: err}
	case 1:
	default:
		var names []string
		for _, s := range found {
			names = append(names, filepath.Join(dir, s.prefix))
		}
		slices.Sort(names)
		err := problem.New("has several traces of Chakra").Mend("name one of %s", strings.Join(names[:min(len(names), mostMissing)], ", "))
		return files{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	one := found[0]
	ranks := sets[one]
	slices.Sort(ranks)
	f := files{dir, one.prefix, one.form, len(ranks)}
	if last := ranks[len(ranks)-1]; last != len(ranks)-1 {
		var missing []string
		for r := 0; r < last && len(missing) < mostMissing; r++ {
			if _, has := slices.BinarySearch(ranks, r); !has {
				missing = append(missing, strconv.Itoa(r))
			}
		}
		return files{}, fmt.Errorf("%s: there is a file of rank %d, but %s of those before it are missing, such as %s; a trace needs a file for every rank from 0 on",
			f.path(last), last, readable.Count(last+1-len(ranks), "file"), strings.Join(missing, ", "))
	}
	return f, nil
}
