package scenario_test

import (
	"strings"
	"testing"

	"weft/config"
)

// refuses checks what is said of a file that cannot be expanded. Of wrong levels,
// nothing is said of combinations.
func refuses(t *testing.T, text string, want ...string) {
	t.Helper()
	f, err := parse(t, least+text)
	if err == nil {
		_, err = f.Matrix()
	}
	if err == nil {
		t.Fatal("was accepted")
	}
	if _, ok := err.(*config.Error); !ok {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error lacks %q:\n%v", w, err)
		}
	}
	if !strings.Contains(strings.Join(want, ""), "(in ") && strings.Contains(err.Error(), "(in ") {
		t.Errorf("the error speaks of combinations:\n%v", err)
	}
	if places := strings.Count(err.Error(), "x.yaml:"); places != 1 && !strings.Contains(t.Name(), "several") {
		t.Errorf("the error has %d places:\n%v", places, err)
	}
}

func TestMatrixRefuses(t *testing.T) {
	t.Parallel()
	axis := func(text string) string { return "matrix:\n  - " + text }
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", axis("{name: x}"), []string{"x.yaml:6:5: matrix: an axis needs one of values, range, zip and levels; this one has none"}},
		{"two forms", axis("{path: seed, values: [1], range: {from: 1, to: 2, step: 1}}"), []string{"this one has values and range", "--set matrix.load.range=null"}},
		{"no path", axis("{values: [1]}"), []string{"x.yaml:6:5: matrix: an axis with values or range needs a path, the parameter that it changes; write as in path: transport.balancer"}},
		{"path of zip", axis("{path: seed, zip: {seed: [1]}}"), []string{"an axis with zip or levels has no path"}},
		{"nameless levels", axis("{levels: {a: {}}}"), []string{"an axis without a path needs a name, as in name: fault"}},
		{"label of two lines", axis(`{name: x, levels: {"a\nb": {seed: 1}}}`), []string{`the label "a\nb" of axis "x" has several lines or tabs; give the value a label on one line`}},
		{"name with a tab", axis(`{name: "x\ty", levels: {a: {seed: 1}}}`), []string{`the name "x\ty" of an axis has several lines or tabs; write it on one line`}},
		{"unknown key", axis("{nme: x, values: [1]}"), []string{`x.yaml:6:6: unknown key "nme" in matrix[0]; did you mean "name"?`}},
		{"unknown parameter", axis("{path: transport.balncer, values: [ecmp, ops, arcane]}"), []string{`x.yaml:6:12: unknown key "balncer" in transport; did you mean "balancer"?`}},
		{"unknown group", axis("{path: traffic.man.size, values: [1KiB, 2KiB]}"), []string{`x.yaml:6:12: there is no item man; did you mean "main"?`}},
		{"no path at all", axis("{path: a..b, values: [1, 2]}"), []string{`x.yaml:6:12: "a..b" is not a path; write it as in transport.ack.every`}},
		{"no such index", axis("{path: \"faults[3].rate\", values: [1Gbps]}\nfaults: [{kind: link-down, links: \"tor0->spine0\", at: 1us}]"), []string{`x.yaml:6:12: there is no item [3]; the list has 1`}},
		{"wrong value", axis("{path: transport.balancer, values: [ecmp, opps]}"), []string{`x.yaml:6:47: unknown balancer "opps"; did you mean "ops"?`}},
		{"value out of bounds", axis("{path: transport.ack.every, values: [1, 65]}"), []string{`x.yaml:6:45: transport.ack.every: "65" is out of bounds; the most is 64`}},
		{"value without unit", axis("{path: traffic.main.size, values: [1KiB, 7]}"), []string{`x.yaml:6:46: traffic[0].size`, "no unit"}},
		{"impossible value", axis("{path: transport.payload, values: [4096B, 65500B]}"), []string{"transport.payload: with payload: 65500B data frames have up to 65564 bytes"}},
		{"values of another form", axis("{path: seed, values: 5}"), []string{"x.yaml:6:26: values are a list, as in [ecmp, ops], or a mapping of labels to values, not a single value"}},
		{"empty list", axis("{path: transport.balancer, values: []}"), []string{`x.yaml:6:5: matrix: axis "balancer" has no values, so the study would have no runs`}},
		{"empty zip", axis("{name: x, zip: {}}"), []string{`axis "x" has no values`}},
		{"empty levels", axis("{name: x, levels: {}}"), []string{`axis "x" has no values`}},
		{"duplicate labels", axis("{path: transport.balancer, values: [ecmp, ops, ecmp]}"), []string{`matrix: two values of axis "balancer" are called "ecmp"; give each its own label, as in values: {first: …, second: …}`}},
		{"duplicate labels of lists", axis("{zip: {transport.ack.every: [1, 1], transport.rto: [9us, 9us]}}"), []string{`two values of axis "every+rto" are called "1+9us"; write them as levels`}},
		{"duplicate levels", axis("{name: x, levels: {a: {}, a: {}}}"), []string{`duplicate key "a"`}},
		{"unequal zips", axis("{zip: {transport.ack.every: [1, 4], transport.rto: [50us]}}"), []string{"x.yaml:6:56: transport.rto: 1 values here, but 2 for transport.ack.every; zipped lists must have equal length"}},
		{"zip of no lists", axis("{zip: {transport.ack.every: 4}}"), []string{"x.yaml:6:33: transport.ack.every: in zip every path has a list of values, not a single value"}},
		{"zip of another form", axis("{name: x, zip: [1]}"), []string{"zip is a mapping of paths to lists, as in {traffic.flows.size:", "not a list"}},
		{"levels of another form", axis("{name: x, levels: [a, b]}"), []string{"levels is a mapping of labels to what each level sets", "not a list"}},
		{"level of another form", axis("{name: x, levels: {a: 5}}"), []string{`x.yaml:6:27: level "a" is a mapping of paths to values, not a single value`}},
		{"unknown parameter of a level", axis("{name: x, levels: {a: {}, b: {transport.ack.evry: 3}}}"), []string{`x.yaml:6:35: unknown key "evry" in transport.ack; did you mean "every"?`}},
		{"one name twice", axis("{path: transport.ack.size, values: [64B]}\n  - {path: traffic.main.size, values: [1KiB]}"), []string{`x.yaml:7:5: matrix[1]: another axis is already called "size"; give this one its own name with name:`}},
		{"variants' name", "compare: [{name: a}]\n" + axis("{name: variant, path: transport.ack.size, values: [64B]}"), []string{`another axis is already called "variant"`}},
		{"seed", axis("{path: seed, values: [1, 2]}"), []string{"x.yaml:6:12: a variant or an axis cannot change the seed; list seeds under seeds:"}},
		{"seed of a level", axis("{name: x, levels: {a: {seed: 3}}}"), []string{"x.yaml:6:28: a variant or an axis"}},
		{"seed of a variant", "compare: [{name: a, seed: 3}]\nseeds: 2", []string{"x.yaml:5:21: a variant or an axis"}},
		{"the file's own", axis("{path: name, values: [a, b]}"), []string{`x.yaml:6:12: a variant or an axis of a study cannot change "name", which is set for the whole file`}},
		{"axis of axes", axis("{path: \"matrix[0].name\", values: [a, b]}"), []string{`a variant or an axis of a study cannot change "matrix"`}},
		{"huge product", axis("{path: transport.ack.every, range: {from: 1, to: 64, step: 1}}\n  - {path: transport.rto, range: {from: 1us, to: 2000us, step: 1us}}"), []string{"x.yaml:6:3: matrix: the product of the axes has more than 100000 cells; leave some values out"}},
		{"huge range", axis("{path: transport.rto, range: {from: 1us, to: 1000000us, step: 1us}}"), []string{"matrix: range of transport.rto: it has more than 10000 values"}},
		{"slow range", axis("{path: transport.rto, range: {from: 1us, to: 2us, factor: 1.000000000001}}"), []string{"it has more than 1000 values; take a larger step or factor"}},
		{"huge list", axis("{path: transport.ack.every, values: [" + strings.Repeat("1, ", 10000) + "1]}"), []string{"has 10001 values; at most 10000 are allowed"}},
		{"many runs", axis("{path: transport.ack.every, values: [1, 2]}\nseeds: 600000"), []string{"x.yaml:7:8: seeds: 2 combinations with 600000 seeds each are more than 1000000 runs"}},
		{"neither step nor factor", axis("{path: transport.rto, range: {from: 1us, to: 2us}}"), []string{"x.yaml:6:34: matrix: range of transport.rto: a range has either a step or a factor, as in {from: 20%, to: 80%, step: 20%}"}},
		{"step and factor", axis("{path: transport.rto, range: {from: 1us, to: 2us, step: 1us, factor: 2}}"), []string{"a range has either a step or a factor"}},
		{"without an end", axis("{path: transport.rto, range: {from: 1us, step: 1us}}"), []string{`"matrix[0].range.to" is missing`}},
		{"other units", axis("{path: traffic.main.size, range: {from: 64KiB, to: 1MiB, factor: 2}}"), []string{"it goes from 64KiB to 1MiB; write both in the same unit"}},
		{"other unit of the step", axis("{path: transport.rto, range: {from: 1us, to: 2us, step: 100ns}}"), []string{"it goes from 1us to 2us by 100ns; write all in the same unit"}},
		{"factor with a unit", axis("{path: transport.rto, range: {from: 1us, to: 2us, factor: 2us}}"), []string{"a factor is a number above 1 without a unit, not 2us"}},
		{"factor of 1", axis("{path: transport.rto, range: {from: 1us, to: 2us, factor: 1}}"), []string{"a factor is a number above 1 without a unit, not 1"}},
		{"factor from 0", axis("{path: transport.rto, range: {from: 0us, to: 2us, factor: 2}}"), []string{"no factor changes 0us; begin above 0, or use a step"}},
		{"step of 0", axis("{path: transport.rto, range: {from: 1us, to: 2us, step: 0us}}"), []string{"a step of 0us does not reach the end"}},
		{"backwards", axis("{path: transport.rto, range: {from: 2us, to: 1us, step: 1us}}"), []string{"it begins at 2us, which is above its end, 1us"}},
		{"no number", axis("{path: transport.rto, range: {from: fast, to: 1us, step: 1us}}"), []string{`"fast" is not a number with or without a unit, as in 20%, 64KiB or 3`}},
		{"below 0", axis("{path: transport.rto, range: {from: \"-2us\", to: 1us, step: 1us}}"), []string{`"-2us" is not a number`}},
		{"range of values that are none", axis("{path: transport.balancer, range: {from: 1, to: 1, step: 1}}"), []string{`unknown balancer "1"`}},
		{"no seeds", "seeds: 0", []string{"x.yaml:5:8: seeds: without a seed the study would have no runs; give at least one"}},
		{"empty seeds", "seeds: []", []string{"without a seed"}},
		{"seeds below 0", "seeds: -3", []string{`x.yaml:5:8: seeds: write how many (seeds: 5), a range (seeds: 1..5), or a list of seeds and ranges (seeds: [1, 2, 10..12]), not "-3"`}},
		{"seeds in words", "seeds: [1, two]", []string{`x.yaml:5:12: seeds: write how many`, `not "two"`}},
		{"nested seeds", "seeds: [1, [2]]", []string{"not a list"}},
		{"mapped seeds", "seeds: {from: 1}", []string{"not a mapping"}},
		{"seeds backwards", "seeds: 5..1", []string{"seeds: the range 5..1 begins above its end"}},
		{"open range of seeds", "seeds: 5..", []string{`not "5.."`}},
		{"too many seeds", "seeds: 1000001", []string{"more than 1000000 seeds are not allowed"}},
		{"all seeds", "seeds: 0..18446744073709551615", []string{"more than 1000000 seeds are not allowed"}},
		{"too many together", "seeds: [1..900000, 1000000..2000000]", []string{"more than 1000000 seeds are not allowed"}},
		{"seeds beyond the last", "seed: 18446744073709551615\nseeds: 2", []string{"2 seeds from 18446744073709551615 on"}},
		{"excluded axis", twoByThree + "exclude: [{ack: 1}]", []string{`x.yaml:10:12: exclude: there is no axis "ack"; did you mean "acks"? There are variant, acks`}},
		{"excluded label", twoByThree + "exclude: [{variant: [ECMP, ARCAN]}]", []string{`x.yaml:10:28: exclude: axis "variant" has no value "ARCAN"; did you mean "ARCANE"? There are ECMP, ARCANE`}},
		{"excluded mapping", twoByThree + "exclude: [{acks: {a: 1}}]", []string{`exclude: axis "acks" takes a label or a list of labels, not a mapping; there are 1, 2, 4`}},
		{"excluded word", twoByThree + "exclude: [ECMP]", []string{"exclude: an item is a mapping of axes to labels, as in {balancer: ecmp, fault: slow}"}},
		{"excluded nothing", twoByThree + "exclude: [{}]", []string{"exclude: an item is a mapping"}},
		{"excluded all", twoByThree + "exclude: [{variant: [ECMP, ARCANE]}]", []string{"x.yaml:10:10: exclude: it leaves nothing of the matrix, so the study would have no runs; exclude less"}},
		{"excluded without axes", "exclude: [{acks: 1}]", []string{`x.yaml:5:12: exclude: there is no axis "acks", nor any other; axes are listed under matrix:`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refuses(t, tt.text, tt.want...) })
	}
}

// TestMistakesAreFoundWhenTheFileIsRead: what needs no combination is told by
// validation already.
func TestMistakesAreFoundWhenTheFileIsRead(t *testing.T) {
	for _, text := range []string{
		"seeds: none", "matrix: [{name: x}]", "matrix: [{path: transport.rto, range: {from: 1us, to: 2us}}]", twoByThree + "exclude: [{ack: 1}]",
	} {
		if _, err := parse(t, least+text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
