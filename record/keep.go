package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Keep adds a variant without running it again: it takes the variant of that name from the folder
// that Commit will replace.
func (c *Comparison) Keep(name string) error {
	list, err := Variants(c.staging.place)
	if err != nil {
		return err
	}
	for _, v := range list {
		if v.Name == name {
			return link(v.Folder, c.Variant(name), writtenRun(v.Folder))
		}
	}
	return fmt.Errorf("%s: has no variant %q to keep", c.staging.target, name)
}

// link links or copies files into another folder. The files are never changed after being
// written, so hard links save space where the file system has them.
func link(from, to string, names []string) error {
	for _, name := range names {
		path, place := filepath.Join(from, name), filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
			return err
		}
		if os.Link(path, place) == nil {
			continue
		}
		if err := copyFile(path, place); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = io.Copy(w, r)
	return err
}
