package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Result is what a model computed.
type Result struct {
	Model  string            `json:"model"`
	Source string            `json:"source"`
	Params map[string]string `json:"params"`
	// Rows hold the numbers: one row, or one a value of the parameter that was
	// given a list of values, or one a thing compared.
	Rows []Row `json:"rows"`
	// Partial says what is missing, of an analysis that was interrupted; it is empty if
	// the result is whole.
	Partial string `json:"partial,omitempty"`
	// Notes say what a reader of the numbers should know: that a theorem does not
	// cover the setting, that a quantity does not exist.
	Notes []string `json:"notes,omitempty"`
	// Plots are data of figures.
	Plots []Plot `json:"plots,omitempty"`
}

// Row is named numbers that belong together.
type Row struct {
	// Name tells rows apart: "256", "ARCANE". It is empty if there is one row only.
	Name string `json:"name,omitempty"`
	// Of says what Name is: "entropies", "scheme".
	Of      string   `json:"of,omitempty"`
	Numbers []Number `json:"numbers"`
	// Among names the rows that this one is compared with.
	Among string `json:"-"`
}

// Number is a quantity.
type Number struct {
	Name string
	// Value is not finite if the quantity has no bound.
	Value float64
	// Low and High are the 95 % interval of an estimate; both are Value if it is
	// exact.
	Low, High float64
	// Unit is written after the value: "µs", "bits", or nothing.
	Unit string
	// About is one line.
	About string
}

// Exact returns a number without an interval: its ends are the value.
func Exact(name string, value float64, unit, about string) Number {
	return Number{Name: name, Value: value, Low: value, High: value, Unit: unit, About: about}
}

// Exact tells whether the number is computed rather than estimated.
func (n Number) Exact() bool { return n.Low == n.Value && n.High == n.Value }

// MarshalJSON writes what is not finite as null.
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

// UnmarshalJSON reads what MarshalJSON writes; null is infinite.
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

// Number returns the number of that name; at is the name of its row, and may be
// empty if only one row has such a number. The error offers the nearest name.
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
	// Title is short; it is empty if there is one panel.
	Title string `json:"title,omitempty"`
	// X and Y name the quantities with their units.
	X string `json:"x"`
	Y string `json:"y"`
	// LogX and LogY ask for logarithmic axes, on which all values are positive.
	LogX  bool    `json:"log_x,omitempty"`
	LogY  bool    `json:"log_y,omitempty"`
	Lines []Line  `json:"lines"`
	Marks []Level `json:"levels,omitempty"`
}

// Line is points joined by a line, in order of X. Low and High, of the same length or empty,
// bound a band around it.
type Line struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	// Points asks for points without a line between them.
	Points bool `json:"points,omitempty"`
	// Labels are names of the points, if they have some.
	Labels []string `json:"labels,omitempty"`
}

// Level is a horizontal line of reference.
type Level struct {
	Name string  `json:"name"`
	Y    float64 `json:"y"`
}
