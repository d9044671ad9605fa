package sird

import (
	"strings"
	"testing"

	"weft/unit"
)

// TestNoticesOfCredit tells of credit that is short beside congested senders, and of more than a
// sender can use. What the paper runs with is not told of, nor senders that never mark.
func TestNoticesOfCredit(t *testing.T) {
	const short, much = "to keep its downlink busy, a receiver needs ", "the most in the paper"
	inf := unit.Threshold{Inf: true}
	half, whole := unit.Threshold{Amount: unit.Amount{BDPs: 0.5}}, unit.Threshold{Amount: unit.Amount{BDPs: 1}}
	for _, tt := range []struct {
		b, bucket float64
		sThr      unit.Threshold
		want      string
	}{
		{1.5, 1, half, ""},
		{1.25, 1, half, ""},
		{1.1, 1, half, short + "125KB"},
		{1.25, 1, whole, short + "150KB"},
		{1, 1, inf, ""},
		{0.9, 1, half, "below 1 BDP of 100KB"},
		{1.5, 1.01, half, much},
		{1.5, 0.5, half, ""},
	} {
		o := testOptions()
		o.B, o.SenderBucket, o.SThr = unit.Amount{BDPs: tt.b}, unit.Amount{BDPs: tt.bucket}, tt.sThr
		c, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		notices, err := c.CheckHost(testEnv(2))
		got := strings.Join(notices, "; ")
		if err != nil || tt.want == "" && got != "" || !strings.Contains(got, tt.want) || len(notices) > 1 {
			t.Errorf("b %vBDP, sender_bucket %vBDP, sthr %v: %q, want %q, error %v", tt.b, tt.bucket, tt.sThr, got, tt.want, err)
		}
	}
}
