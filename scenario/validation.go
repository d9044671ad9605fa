package scenario

import (
	"fmt"

	"weft/config"
	"weft/problem"
	"weft/unit"
)

type validation struct {
	s    *Scenario
	errs config.Error
}

// errorf adds an error. If a group has the value from the scenario's transport, the error
// is about that, so that it is reported once.
func (v *validation) errorf(path, format string, args ...any) {
	v.wrong(path, fmt.Errorf(format, args...))
}

func (v *validation) built(path string, err error) {
	if err != nil {
		v.wrong(path, err)
	}
}

// disagree adds an error about a group, even if the value is the scenario's.
func (v *validation) disagree(path string, err error) {
	v.errs.Append(v.s.wrong(path, err))
}

// limit checks the limit of a queue.
func (v *validation) limit(path string, a unit.Amount) {
	if a == (unit.Amount{}) {
		v.wrong(path, problem.New("a queue of size 0 drops everything").Mend("write as in 1BDP"))
	}
}

// wrong adds an error about a path.
func (v *validation) wrong(path string, err error) {
	v.errs.Append(v.s.wrong(v.s.written(path), err))
}
