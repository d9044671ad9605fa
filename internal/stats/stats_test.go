package stats

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// TestSameBitsAsGonum: tables and verdicts were made with gonum's.
func TestSameBitsAsGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), 1, 40).Draw(t, "values")
		slices.Sort(v)
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		n := float64(rapid.IntRange(1, 1000).Draw(t, "degrees"))
		mean, deviation := MeanStdDev(v)
		wantMean, wantDeviation := stat.MeanStdDev(v, nil)
		for name, c := range map[string][2]float64{
			"mean":         {Mean(v), stat.Mean(v, nil)},
			"mean of both": {mean, wantMean},
			"sample":       {deviation, wantDeviation},
			"deviation":    {Deviation(v, mean), math.Sqrt(stat.MomentAbout(2, v, mean, nil))},
			"student":      {StudentQuantile(p, n), distuv.StudentsT{Sigma: 1, Nu: n}.Quantile(p)},
			"normal":       {NormalQuantile(p), distuv.UnitNormal.Quantile(p)},
			"normal CDF":   {NormalCDF(v[0] / 1e9), distuv.UnitNormal.CDF(v[0] / 1e9)},
		} {
			if math.Float64bits(c[0]) != math.Float64bits(c[1]) && !(math.IsNaN(c[0]) && math.IsNaN(c[1])) {
				t.Errorf("%s: %v, and gonum has %v", name, c[0], c[1])
			}
		}
	})
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		sorted []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{1, 4}, 2.5}, {[]float64{1, 2, 9}, 2}} {
		if got := Median(tt.sorted); got != tt.want {
			t.Errorf("Median(%v) = %v, want %v", tt.sorted, got, tt.want)
		}
	}
}
