package cli

import (
	"strings"
	"testing"

	"weft/study"
)

// TestHintsHaveNoSecrets: how to go on with a study is printed, and kept in logs.
func TestHintsHaveNoSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"nats://s3cret@host:4222": "continue with weft-queue study resume d --engine nats://host:4222, and the secret that is in its URL",
		"s3cret@host:4222":        "continue with weft-queue study resume d --engine host:4222, and the secret that is in its URL",
		"nats://host:4222":        "continue with weft-queue study resume d --engine nats://host:4222",
	} {
		f := studyFlags{engineFlags: engineFlags{url: url}}
		if got := f.goOn(&study.Study{Dir: "d"}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, url := range []string{"nats://s3cret@host:4222", "s3cret@host:4222", "nats://host:1,user:s3cret@host:2"} {
		f := submitFlags{slurm: true, connect: url, tasks: 1, poll: 1}
		if err := f.check(func(string) bool { return false }); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("a job script with the secret of %s: %v", url, err)
		}
	}
}
