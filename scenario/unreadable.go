package scenario

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"weft/config"
	"weft/problem"
)

// unreadable explains why a scenario file cannot be read.
func unreadable(path string, err error) error {
	remedy := "give the path of a scenario file"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remedy += ", as in scenarios/arcane/slow-uplink.yaml"
	case errors.Is(err, fs.ErrPermission):
		remedy = "allow reading it"
	case errors.Is(err, syscall.EISDIR):
		remedy += " (weft study resume continues the folder of a study)"
	}
	why := whyUnreadable(err)
	return config.Wrong(config.Place{Source: config.NewSource(path, nil)}, why.Mend("%s", cmp.Or(why.Remedy, remedy)))
}

// whyUnreadable explains why a file cannot be read, without naming its path.
func whyUnreadable(err error) *problem.Problem {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	var refused *problem.Problem // an error of userfile
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem.New("there is no such file")
	case errors.Is(err, syscall.EISDIR):
		return problem.New("it is a folder")
	case errors.As(err, &refused):
		return problem.New("it %s", refused.Text).Mend("%s", refused.Remedy)
	}
	return problem.New("it cannot be read: %v", err)
}

// plainly removes names of system calls from a text about a file.
func plainly(text string, err error) string {
	var inner *fs.PathError
	if !errors.As(err, &inner) {
		return text
	}
	called := inner.Op + " " + inner.Path + ": " + problem.Of(inner.Err).Text
	return strings.Replace(text, called, inner.Path+": "+whyUnreadable(inner).Text, 1)
}
