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

// unreadable says why a scenario file cannot be read.
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
	why, advice, _ := strings.Cut(whyUnreadable(err), "; ")
	return config.Wrong(config.Place{Source: config.NewSource(path, nil)}, problem.New("%s", why).Mend("%s", cmp.Or(advice, remedy)))
}

// whyUnreadable says why a file cannot be read, without its path.
func whyUnreadable(err error) string {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	switch text := err.Error(); {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, syscall.EISDIR):
		return "it is a folder"
	case strings.HasPrefix(text, "is "): // larger than the limit, or no regular file
		return "it " + text
	default:
		return "it cannot be read: " + text
	}
}

// plainly returns a text about files without the names of calls of the system: what is wrong with a file is said as of a scenario.
func plainly(text string, err error) string {
	var inner *fs.PathError
	if !errors.As(err, &inner) {
		return text
	}
	return strings.Replace(text, inner.Error(), inner.Path+": "+whyUnreadable(inner), 1)
}
