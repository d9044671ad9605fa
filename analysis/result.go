package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Result is the output of a model.
type Result struct {
	Model  string            `json:"model"`
	Source string            `json:"source"`
	Params map[string]string `json:"params"`
	// Rows holds the numbers: one row, or one per value of a parameter that was given a list, or
	// one per thing compared.
	Rows []Row `json:"rows"`
	// Partial says what is missing from an interrupted analysis. It is empty if the result is
	// complete.
	Partial string `json:"partial,omitempty"`
	// Notes say what a reader should know, for example that a theorem does not cover the setting
	// or that a quantity does not exist.
	Notes []string `json:"notes,omitempty"`
	// Plots holds the data of figures.
	Plots []Plot `json:"plots,omitempty"`
}

// Row is a group of related numbers.
type Row struct {
	// Name identifies the row: "256", "ARCANE". It is empty if there is only one row.
	Name string `json:"name,omitempty"`
	// Of says what Name is: "entropies", "scheme".
	Of      string   `json:"of,omitempty"`
	Numbers []Number `json:"numbers"`
	// Among identifies the group of rows that this one is compared with.
	Among string `json:"-"`
}

// Number is a named quantity.
type Number struct {
	Name string
	// Value is infinite if the quantity has no bound.
	Value float64
	// Low and High are the 95 % interval of an estimate. Both equal Value if it is exact.
	Low, High float64
	// Unit follows the value: "µs", "bits", or nothing.
	Unit string
	// About is a one-line description.
	About string
}

// Exact returns an exact number, whose interval is the value.
func Exact(name string, value float64, unit, about string) Number {
	return Number{Name: name, Value: value, Low: value, High: value, Unit: unit, About: about}
}

// Exact reports whether the number is computed rather than estimated.
func (n Number) Exact() bool { return n.Low == n.Value && n.High == n.Value }

// MarshalJSON writes null for values that are not finite.
func (n Number) MarshalJSON() ([]byte, error) {
	finite := func(v float64) *float64 {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return &v
	}
	out := struct {
		Name  string   `json:"name"`
		Value *float64 `json:"value"`
		Low   *float64 `json:"low,omitempty"`
		High  *float64 `json:"high,omitempty"`
		Unit  string   `json:"unit,omitempty"`
		About string   `json:"about"`
	}{Name: n.Name, Value: finite(n.Value), Unit: n.Unit, About: n.About}
	if !n.Exact() {
		out.Low, out.High = finite(n.Low), finite(n.High)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes. It reads null as infinite.
func (n *Number) UnmarshalJSON(text []byte) error {
	in := struct {
		Name, Unit, About string
		Value, Low, High  *float64
	}{}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*n = Number{Name: in.Name, Unit: in.Unit, About: in.About, Value: math.Inf(1)}
	if in.Value != nil {
		n.Value = *in.Value
	}
	n.Low, n.High = n.Value, n.Value
	if in.Low != nil {
		n.Low = *in.Low
	}
	if in.High != nil {
		n.High = *in.High
	}
	return nil
}

// Number returns the number with a name. at is the name of its row, and may be empty if only one
// row has such a number. The error suggests the nearest name.
func (r *Result) Number(name, at string) (Number, error) {
	var found []Number
	var names, rows []string
	for _, row := range r.Rows {
		if !slices.Contains(rows, row.Name) {
			rows = append(rows, row.Name)
		}
		for _, n := range row.Numbers {
			if !slices.Contains(names, n.Name) {
				names = append(names, n.Name)
			}
			if n.Name == name && (at == "" || strings.EqualFold(row.Name, at)) {
				found = append(found, n)
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case !slices.Contains(names, name):
		return Number{}, fmt.Errorf("%s: %w", r.Model, unknown("measure", name, names))
	case len(found) == 0:
		return Number{}, fmt.Errorf("%s: %s: %w", r.Model, name, unknown("row", at, rows))
	}
	return Number{}, fmt.Errorf("%s: there is a %q for each of %s; name one", r.Model, name, strings.Join(rows, ", "))
}

// Plot is the data of a panel with lines.
type Plot struct {
	// Title is short. It is empty if there is only one panel.
	Title string `json:"title,omitempty"`
	// X and Y name the quantities with their units.
	X string `json:"x"`
	Y string `json:"y"`
	// LogX and LogY request logarithmic axes. All values must then be positive.
	LogX  bool    `json:"log_x,omitempty"`
	LogY  bool    `json:"log_y,omitempty"`
	Lines []Line  `json:"lines"`
	Marks []Level `json:"levels,omitempty"`
}

// Line is a sequence of points joined by a line, in order of X. Low and High, if not empty, bound
// a band around it and have the same length.
type Line struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	// Points requests points without a line between them.
	Points bool `json:"points,omitempty"`
	// Labels names the points, if they have names.
	Labels []string `json:"labels,omitempty"`
}

// Level is a horizontal reference line.
type Level struct {
	Name string  `json:"name"`
	Y    float64 `json:"y"`
}
