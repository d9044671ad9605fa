package jetstream

import (
	"os"
	"testing"

	"weft/study/internal/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Main(func() int { return withConfigHome(m.Run) }, map[string]func() error{
		"coordinator": coordinatorRole,
		"worker":      workerRole,
		"server":      serverRole,
	})
}

// withConfigHome runs tests with a folder of their own for the tokens of servers.
func withConfigHome(run func() int) int {
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_CONFIG_HOME", dir)
	return run()
}
