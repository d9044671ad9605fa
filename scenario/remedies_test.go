package scenario_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"weft"
	"weft/config"
	"weft/scenario"
)

// TestRemediesOfClasses: what messages advise for fabric.classes is a number that ports can have.
func TestRemediesOfClasses(t *testing.T) {
	advised := regexp.MustCompile(`classes: (-?\d+)`)
	seen := 0
	for _, text := range []string{
		"fabric: {pfc: {xoff: 100KB, classes: [%d]}}\ntransport: {congestion: dctcp, balancer: ecmp}",
		"fabric: {classes: 8, pfc: {xoff: 100KB, classes: [0, %d]}}\ntransport: {congestion: dctcp, balancer: ecmp}",
		"transport: {class: %d, congestion: homa, balancer: ops}",
		"transport: {class: %d, congestion: sird, balancer: ops}",
		"fabric: {classes: 8}\ntransport: {class: %d, congestion: homa, balancer: ops}",
		"fabric: {classes: 2, credits: {}}\ntransport: {class: %d, congestion: expresspass, balancer: ops}",
		"fabric: {pfc: 100KB, classes: 1}\nrouting: {policy: valiant, lanes: hop}\ntransport: {class: %d, congestion: dctcp, balancer: ecmp}",
		"transport: {class: %d, congestion: dctcp, balancer: ecmp, recovery: {kind: irn, class: 7}}",
		"fabric: {pfc: 100KB, classes: 8, deflect: {tokens: 6}}\ntransport: {class: %d, congestion: dctcp, balancer: ecmp}",
	} {
		for k := -1; k <= 9; k++ {
			file := least + fmt.Sprintf(text, k)
			f, err := scenario.Parse("x.yaml", []byte(file), weft.Builtin(), nil)
			var told []string
			if err != nil {
				told = append(told, err.Error())
			} else {
				built, err := f.Variants[0].Build()
				if err != nil {
					told = append(told, err.Error())
				}
				told = append(told, built.Notices...)
			}
			for _, message := range told {
				for _, m := range advised.FindAllStringSubmatch(withoutSource(message), -1) {
					seen++
					if n, err := strconv.Atoi(m[1]); err != nil || n < 1 || n > 8 {
						t.Errorf("%s\nfor\n%s", message, file)
					}
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d remedies were seen", seen)
	}
}

// withoutSource leaves the lines of the file out of an error.
func withoutSource(message string) string {
	return regexp.MustCompile(`(?m)^ *\d* \| .*$`).ReplaceAllString(message, "")
}

// TestSlowHostsAreNamedOnce refuses a host with two rates.
func TestSlowHostsAreNamedOnce(t *testing.T) {
	const text = least + "fabric: {pfc: {xoff: 100KB, slow_hosts: [{hosts: [host0, host0, 'host1*'], rate: 10Gbps, xoff: 50KB, xon: 40KB}, {hosts: [host11], rate: 5Gbps, xoff: 50KB, xon: 40KB}]}}\ntransport: {congestion: dctcp, balancer: ecmp}"
	f, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Variants[0].Build()
	var wrong *config.Error
	if want := "fabric.pfc.slow_hosts[1].hosts: host11 is in slow_hosts[0], too, and can have one rate only; name it in one of them"; !errors.As(err, &wrong) || wrong.Problems[0].Message() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestNoteOfDropsInLosslessFabrics: transports warn of drops only where they can happen.
func TestNoteOfDropsInLosslessFabrics(t *testing.T) {
	for text, warned := range map[string]bool{
		"fabric: {classes: 2}\ntransport: {congestion: {kind: sird, confirm: false}, balancer: ops}":                                                   true,
		"fabric: {classes: 2, pfc: {xoff: 100KB}}\ntransport: {congestion: {kind: sird, confirm: false}, balancer: ops}":                               false,
		"fabric: {classes: 2, pfc: {xoff: 100KB, classes: [0]}}\ntransport: {congestion: {kind: sird, confirm: false}, balancer: ops}":                 true,
		"fabric: {classes: 8, queue: 100KB}\ntransport: {congestion: {kind: homa, resend: 0s, unscheduled: 100KB}, balancer: ops}":                     true,
		"fabric: {classes: 8, queue: 100KB, pfc: {xoff: 100KB}}\ntransport: {congestion: {kind: homa, resend: 0s, unscheduled: 100KB}, balancer: ops}": false,
	} {
		f, err := scenario.Parse("x.yaml", []byte(least+text), weft.Builtin(), nil)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		built, err := f.Variants[0].Build()
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		found := false
		for _, notice := range built.Notices {
			found = found || regexp.MustCompile("drops any packet|dropped packets are never resent").MatchString(notice)
		}
		if found != warned {
			t.Errorf("a note of drops: %t, want %t: %q\n%s", found, warned, built.Notices, text)
		}
	}
}
