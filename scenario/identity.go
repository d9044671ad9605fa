package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"weft/catalog"
	"weft/config"
	"weft/internal/inputs"
)

// Resolved returns the scenario with every default filled in, as a mapping that encodes
// itself as JSON, or as YAML that loads to the same scenario. File names are absolute. It
// fails only for options that cannot be written as text.
func (s *Scenario) Resolved() (*config.Node, error) {
	n, err := config.Encoder{}.Encode(s.Spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	return n.Without(studyKeys...), nil
}

// Hash returns a hash, in hexadecimal, of everything that decides the result: the distinct
// part of the scenario with every default filled in (config.Node.Distinct), and the
// contents of the files that it names. It leaves out the name and keys that never change a
// result. So the hash survives new options, and changes with a changed default.
func (s *Scenario) Hash() (string, error) {
	return s.hash(nil, hashlessKeys()...)
}

// hashlessKeys returns the keys that Hash leaves out.
func hashlessKeys() []string {
	return append([]string{nameKey, "about", "engine", "record"}, studyKeys...)
}

// resolvedAndHash returns the results of Resolved, as JSON, and of Hash. If the scenario
// names no files, both take little more time than one.
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

// Identity returns a hash, in hexadecimal, of everything that decides the output of a run
// except its seed: the input of Hash, and what is recorded. sums, if not nil, caches hashes
// of files by path, so that files named repeatedly are read once.
func (s *Scenario) Identity(sums map[string]string) (string, error) {
	return s.hash(sums, append([]string{nameKey, "about", "engine", "seed"}, studyKeys...)...)
}

// hash returns a hash of the scenario without the given keys.
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
