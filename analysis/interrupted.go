package analysis

import (
	"errors"
	"fmt"
	"strings"
)

// Interrupted is the error of an analysis whose context ended. What was finished
// before is in the result that comes with it.
type Interrupted struct {
	// Of says what is counted: "fabrics", "schemes of fabrics".
	Of string
	// Done of All are finished; Missing names the others.
	Done, All int
	Missing   []string
	// Cause is why the context ended.
	Cause error
}

// Error tells what is finished and what is missing.
func (e *Interrupted) Error() string {
	return fmt.Sprintf("%d of %d %s finished; missing: %s", e.Done, e.All, e.Of, strings.Join(e.Missing, ", "))
}

// Unwrap returns the cause.
func (e *Interrupted) Unwrap() error { return e.Cause }

// Stopped tells whether an error is that of an analysis whose context ended, which
// comes with a result of what was finished.
func Stopped(err error) bool {
	var i *Interrupted
	return errors.As(err, &i)
}
