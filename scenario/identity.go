package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"weft/catalog"
	"weft/config"
	"weft/internal/inputs"
)

// Resolved returns the scenario with every default filled in, as a mapping that
// writes itself as JSON, and as YAML that loads to the same scenario. Names of
// files are absolute. It fails only for options that cannot be written as text.
func (s *Scenario) Resolved() (*config.Node, error) {
	n, err := config.Encoder{}.Encode(s.Spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	return n.Without(studyKeys...), nil
}

// Hash returns a hash, in hexadecimal, of all that decides the result: what
// distinguishes the scenario with every default filled in (config.Node.Distinct), but
// for its name and what never changes a result, and with the contents of the files
// that it names. So it stays what it was when options are added, and changes with a
// default.
func (s *Scenario) Hash() (string, error) {
	return s.hash(nil, hashlessKeys()...)
}

// hashlessKeys are those that Hash leaves out.
func hashlessKeys() []string {
	return append([]string{nameKey, "about", "engine", "record"}, studyKeys...)
}

// resolvedAndHash returns what Resolved, as JSON, and Hash do, in little more than
// the time of one of them if the scenario names no files.
func (s *Scenario) resolvedAndHash() (text []byte, hash string, err error) {
	files := false
	n, err := config.Encoder{Path: func(p catalog.Path) (string, error) {
		files = files || p != ""
		return string(p), nil
	}}.Encode(s.Spec)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", s.Path, err)
	}
	if text, err = n.Without(studyKeys...).MarshalJSON(); err != nil {
		return nil, "", fmt.Errorf("%s: %w", s.Path, err)
	}
	if files {
		hash, err = s.Hash()
	} else {
		hash, err = s.hashOf(n, hashlessKeys()...)
	}
	return text, hash, err
}

// Identity returns a hash, in hexadecimal, of all that decides what a run leaves
// but for its seed: the scenario as for Hash, and what is recorded. Files that are
// named again and again are read once if sums, which holds hashes by path, is not
// nil.
func (s *Scenario) Identity(sums map[string]string) (string, error) {
	return s.hash(sums, append([]string{nameKey, "about", "engine", "seed"}, studyKeys...)...)
}

// hash returns a hash of the scenario without some of its keys.
func (s *Scenario) hash(sums map[string]string, without ...string) (string, error) {
	contents := config.Encoder{Path: func(p catalog.Path) (string, error) {
		if p == "" {
			return "", nil
		}
		return inputs.Sums(sums).WithNamed(string(p))
	}}
	n, err := contents.Encode(s.Spec)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Path, err)
	}
	return s.hashOf(n, without...)
}

func (s *Scenario) hashOf(n *config.Node, without ...string) (string, error) {
	text, err := plainPolicy(n.Without(without...).Distinct()).MarshalJSON()
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Path, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
