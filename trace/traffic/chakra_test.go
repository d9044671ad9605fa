package traffic_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
)

// TestChakra: a folder of Chakra's form whose collective is lowered sends the messages of the pattern, by a
// ring and by halving and doubling.
func TestChakra(t *testing.T) {
	for pattern, algorithm := range map[string]string{"ring-allreduce": "ring", "butterfly-allreduce": "halving-doubling"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "app"), 0o700); err != nil {
			t.Fatal(err)
		}
		for rank := range 8 {
			text := `{"workload_graph": [{"Id": 1, "Name": "sum", "NodeType": 7, "comm_type": 0, "comm_size": 1000003}]}`
			if err := os.WriteFile(filepath.Join(dir, "app", fmt.Sprintf("app.%d.json", rank)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		scenario := strings.Replace(star, "file: app.goal", `file: app, collectives: ["all-reduce=`+algorithm+`"]`, 1)
		if err := os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte(scenario), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := weft.Load(filepath.Join(dir, "scenario.yaml"), weft.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := weft.Run(context.Background(), file.Variants[0])
		if err != nil {
			t.Fatal(err)
		}
		own, err := run(t, "", strings.Replace(star, "pattern: {kind: trace, file: app.goal}", "pattern: "+pattern+", size: 1000003B", 1))
		if err != nil {
			t.Fatal(err)
		}
		if lowered.Summary.ResultHash != own.Summary.ResultHash {
			t.Errorf("%s: the trace ends after %v, the pattern after %v", algorithm, lowered.Summary.Runtime, own.Summary.Runtime)
		}
	}
}
