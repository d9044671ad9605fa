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

// errorf notes an error. What a group has from the transport of all traffic is
// called by that name, so that it is noted once.
func (v *validation) errorf(path, format string, args ...any) {
	v.wrong(path, fmt.Errorf(format, args...))
}

func (v *validation) built(path string, err error) {
	if err != nil {
		v.wrong(path, err)
	}
}

// disagree notes an error of a group, though what it has may be that of all traffic.
func (v *validation) disagree(path string, err error) {
	v.errs.Append(v.s.wrong(path, err))
}

// limit checks the limit of a queue.
func (v *validation) limit(path string, a unit.Amount) {
	if a == (unit.Amount{}) {
		v.wrong(path, problem.New("a queue of size 0 drops everything").Mend("write as in 1BDP"))
	}
}

// wrong notes an error about what a path names.
func (v *validation) wrong(path string, err error) {
	v.errs.Append(v.s.wrong(v.s.written(path), err))
}
