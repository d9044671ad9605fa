// Package problem has the error of checks that look at what a user wrote: which key is wrong,
// in what way, and how it is mended.
//
// The check that finds the problem names the key, as far as it knows it: a builder of a
// topology says "radix". Whoever called the check wraps the error as any other, with
// fmt.Errorf and %w, and adds with In where that builder stands, as in "topology". Who knows
// the places in the file asks Of for the whole path, and nobody needs to read the text.
package problem

import (
	"errors"
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with what a user wrote.
type Problem struct {
	// Path is the key that is wrong, below that of whoever called the check; empty if no key
	// is worse than another.
	Path string
	// Text says what is wrong, without a full stop.
	Text string
	// Remedy says what to write instead; it may be empty, or still be part of the text.
	Remedy string
	// Because are other keys that make this one wrong, such as fabric.classes. A path may begin
	// anywhere around Path.
	Because []string
	// File is the file that is wrong, where that is not the one with the key. Several keys may name it.
	File string

	// inner is what the text includes, or what stands at Path if there is no text.
	inner error
}

// At returns the problem of a key. The format may wrap errors, as that of fmt.Errorf.
func At(path, format string, args ...any) *Problem {
	err := fmt.Errorf(format, args...)
	return &Problem{Path: path, Text: err.Error(), inner: err}
}

// New returns a problem of what its caller stands at.
func New(format string, args ...any) *Problem { return At("", format, args...) }

// Mend adds the remedy, and returns the problem.
func (p *Problem) Mend(format string, args ...any) *Problem {
	p.Remedy = fmt.Sprintf(format, args...)
	return p
}

// Due adds keys that make this one wrong, and returns the problem.
func (p *Problem) Due(keys ...string) *Problem {
	p.Because = append(p.Because, keys...)
	return p
}

// Inside names the file that is wrong, and returns the problem.
func (p *Problem) Inside(file string) *Problem {
	p.File = file
	return p
}

// In says where what an error is about stands; nil stays nil.
func In(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Problem{Path: path, inner: err}
}

// Error writes what is wrong and the remedy.
func (p *Problem) Error() string {
	switch {
	case p.Text == "":
		return p.Path + ": " + p.inner.Error()
	case p.Remedy == "":
		return p.Text
	}
	return p.Text + "; " + p.Remedy
}

// Unwrap returns what the problem is made of.
func (p *Problem) Unwrap() error { return p.inner }

// Subject splits an error into where it stands, as In said, and what is wrong there.
func Subject(err error) (path string, what error) {
	for p := (*Problem)(nil); errors.As(err, &p) && p.Text == ""; {
		path, err = Join(path, p.Path), p.inner
	}
	return path, err
}

// Of describes an error that may have problems within it: the path from the outermost to the
// innermost, all keys that are to blame, and the text. Remedies are apart from the text if they
// end it.
func Of(err error) Problem {
	whole := Problem{Text: err.Error(), inner: err}
	for p := (*Problem)(nil); errors.As(err, &p); err = p.inner {
		whole.Path = Join(whole.Path, p.Path)
		whole.Because = append(whole.Because, p.Because...)
		if whole.File == "" {
			whole.File = p.File
		}
		if end := len(whole.Text) - len("; ") - len(p.Remedy); p.Remedy != "" && end > 0 && whole.Text[end:] == "; "+p.Remedy {
			whole.Text = whole.Text[:end]
			if whole.Remedy != "" { // of what wraps this one
				whole.Remedy = p.Remedy + "; " + whole.Remedy
			} else {
				whole.Remedy = p.Remedy
			}
		}
	}
	return whole
}

// Join returns the path of a key below another; either may be empty. Where both sides name the
// key that is wrong, as a check of sizes and its caller do, it is one key: no key of a file
// stands below another of its name.
func Join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	if rest, ok := strings.CutPrefix(key, last); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		return path + rest
	}
	return path + "." + key
}
