package analysis

import (
	"errors"
	"fmt"
	"strings"
)

// Interrupted is the error of an analysis whose context ended. The accompanying result has what
// was finished.
type Interrupted struct {
	// Of names what is counted: "fabrics", "schemes of fabrics".
	Of string
	// Done out of All are finished. Missing names the others.
	Done, All int
	Missing   []string
	// Cause is why the context ended.
	Cause error
}

// Error says what is finished and what is missing.
func (e *Interrupted) Error() string {
	return fmt.Sprintf("%d of %d %s finished; missing: %s", e.Done, e.All, e.Of, strings.Join(e.Missing, ", "))
}

// Unwrap returns the cause.
func (e *Interrupted) Unwrap() error { return e.Cause }

// Stopped reports whether an error is an Interrupted, which comes with a partial result.
func Stopped(err error) bool {
	var i *Interrupted
	return errors.As(err, &i)
}
