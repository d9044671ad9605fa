package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Keep adds a variant without running it again: the one of that name in the folder that is
// about to be replaced. Commit takes it over.
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

// link makes a folder of files of another. They are written once and never changed, so
// that where the file system has links the space is not taken twice.
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
