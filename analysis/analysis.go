// Package analysis computes what can be known about load balancing without simulating packets:
// closed forms and Monte-Carlo models, by name. Each model is an entry of a catalog, so command
// lines and files give its parameters as text, with units, defaults and bounds. A model returns a
// [Result] with named numbers in rows, and plots.
//
//	r, err := analysis.Run(ctx, "imbalance", map[string]string{"uplinks": "32", "entropies": "256"})
//	mean, err := r.Number("mean", "")
//
// The computations themselves are in the packages below this one, which take plain option structs:
// ballsbins, hashing, capacity and memory.
package analysis

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"weft/catalog"
	"weft/internal/nearest"
)

// Calculation is a model whose parameters are set. If progress is not nil, it may be called with
// the share that is done, from 0 to 1. The calculation fails if ctx ends or the parameters are
// inconsistent.
type Calculation func(ctx context.Context, progress func(share float64)) (*Result, error)

// Model is a named computation.
type Model struct {
	// Name is its name on command lines and in files, in lower case with dashes.
	Name string
	// About is a one-line description for lists.
	About string
	// Source names the paper, section and equation.
	Source string
	// Params lists its parameters. All have defaults or are derived.
	Params []catalog.Param

	entry catalog.Entry[Calculation]
}

// Models lists all models.
func Models() []Model {
	entries := Entries()
	models := make([]Model, len(entries))
	for i, e := range entries {
		models[i] = Model{Name: e.Name, About: e.Summary, Source: e.Source, Params: e.Info().Params(), entry: e}
	}
	return models
}

// Find returns the model with a name. The error suggests the nearest name.
func Find(name string) (Model, error) {
	models := Models()
	names := make([]string, len(models))
	for i, m := range models {
		if m.Name == name {
			return m, nil
		}
		names[i] = m.Name
	}
	return Model{}, unknown("model", name, names)
}

// Run runs the model with a name; see [Model.Run].
func Run(ctx context.Context, model string, params map[string]string) (*Result, error) {
	m, err := Find(model)
	if err != nil {
		return nil, err
	}
	return m.Run(ctx, params, nil)
}

// Run runs the model. Parameters are written as in scenario files ("400Gbps", "10ms"), and lists
// are separated by commas. Missing parameters have their defaults. Run fails before computing
// anything if a parameter is unknown, cannot be read, or is out of bounds.
func (m Model) Run(ctx context.Context, params map[string]string, progress func(share float64)) (*Result, error) {
	calculate, err := m.prepare(params)
	if err != nil {
		return nil, err
	}
	r, err := calculate(ctx, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	r.Model, r.Source, r.Params = m.Name, m.Source, m.resolved(params)
	return r, nil
}

// Check returns the error that Run would return about the parameters before computing.
func (m Model) Check(params map[string]string) error {
	_, err := m.prepare(params)
	return err
}

func (m Model) prepare(params map[string]string) (Calculation, error) {
	options, err := m.entry.Defaults()
	if err != nil {
		return nil, err
	}
	fields, err := catalog.Fields(m.entry.Options())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	// Sorted, so that the same mistake is reported first every time.
	for _, name := range slices.Sorted(maps.Keys(params)) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("%s: %w", m.Name, unknown("parameter", name, names))
		}
		if err := set(reflect.ValueOf(options).Elem().FieldByIndex(fields[i].Index), fields[i], params[name]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", m.Name, name, err)
		}
	}
	calculate, err := m.entry.Build(options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return calculate, nil
}

// set parses a field from text. A list may be in brackets.
func set(v reflect.Value, f catalog.Field, text string) error {
	if v.Kind() != reflect.Slice {
		return f.Parse(v, text)
	}
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "["), "]")
	var items []string
	if strings.TrimSpace(text) != "" {
		items = strings.Split(text, ",")
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := f.Parse(list.Index(i), strings.TrimSpace(item)); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

// resolved returns all parameters, including the defaults used, but not derived values.
func (m Model) resolved(given map[string]string) map[string]string {
	all := map[string]string{}
	for _, p := range m.Params {
		if p.Default != "" {
			all[p.Name] = strings.Trim(p.Default, "[]")
		}
		if v, ok := given[p.Name]; ok {
			all[p.Name] = v
		}
	}
	return all
}

func unknown(what, name string, names []string) error {
	hint := ""
	if near, ok := nearest.Name(name, names); ok {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return fmt.Errorf("there is no %s %q; %sthere are %s", what, name, hint, strings.Join(names, ", "))
}
