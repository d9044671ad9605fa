package papers

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"weft/analysis"
	"weft/study"
)

// Models returns the models of package analysis, which keeps what it computed.
func Models() Theory { return &models{computed: map[string]*analysis.Result{}} }

type models struct {
	mu       sync.Mutex
	computed map[string]*analysis.Result
}

func (*models) Check(model string, params map[string]string) error {
	m, err := analysis.Find(model)
	if err != nil {
		return err
	}
	return m.Check(params)
}

func (t *models) Number(ctx context.Context, model string, params map[string]string, measure, row string) (study.Estimate, string, []string, error) {
	r, err := t.run(ctx, model, params)
	if err != nil {
		return study.Estimate{}, "", nil, err
	}
	n, err := r.Number(measure, row)
	if err != nil {
		return study.Estimate{}, "", nil, err
	}
	// Two, since an interval is of more than one.
	return study.Estimate{N: 2, Mean: n.Value, Low: n.Low, High: n.High, Min: n.Low, Max: n.High}, n.Unit, r.Notes, nil
}

func (t *models) run(ctx context.Context, model string, params map[string]string) (*analysis.Result, error) {
	words := []string{model}
	for _, key := range slices.Sorted(maps.Keys(params)) {
		words = append(words, key+"="+params[key])
	}
	key := strings.Join(words, "\n")
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.computed[key]; r != nil {
		return r, nil
	}
	r, err := analysis.Run(ctx, model, params)
	if err == nil {
		t.computed[key] = r
	}
	return r, err
}
