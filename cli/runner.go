package cli

import (
	"context"

	"weft/study"
)

// runner executes the tasks of studies.
func (p *program) runner() study.Runner {
	return func(context.Context, study.Task, func(float64)) ([]byte, *study.Failure) {
		return nil, &study.Failure{Message: "this program cannot run tasks yet", Permanent: true}
	}
}
