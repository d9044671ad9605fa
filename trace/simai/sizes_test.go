package simai

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/collective"
)

// volumes lists the collectives of a trace, as in "all-gather tp 4096".
func volumes(tr *trace.Trace) (list []string) {
	for _, c := range tr.Calls {
		if group, first := strings.CutSuffix(c.Group, "0"); first {
			list = append(list, fmt.Sprintf("%s %s %d", c.Name, group, c.Size))
		}
	}
	return list
}

// TestSmall: SimAI makes 4096 bytes of fewer in forward passes, and computes those again that have so many. Other
// passes and other parallelisms have what the file says.
func TestSmall(t *testing.T) {
	const layers = "3\na -1 1 ALLREDUCE 1 1 ALLREDUCE 7 1 ALLREDUCE 8 0\nb -1 1 ALLTOALL 4095 1 NONE 0 1 NONE 0 0\nc -1 1 ALLREDUCE 4097 1 NONE 9 1 NONE 0 0"
	for header, want := range map[string][]string{
		transformer + " model_parallel_NPU_group: 2 all_gpus: 4":                                            {"all-reduce tp 4096", "all-to-all tp 4096", "all-reduce tp 4097", "all-reduce tp 7", "all-reduce dp 8"},
		transformer + " model_parallel_NPU_group: 2 all_gpus: 4 checkpoints: 1 0 checkpoint_initiates: 1 2": {"all-reduce tp 4096", "all-to-all tp 4096", "all-reduce tp 4097", "all-reduce tp 4096", "all-to-all tp 4096", "all-reduce tp 7", "all-reduce dp 8"},
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 4":                                        {"all-reduce tp 1", "all-to-all tp 4095", "all-reduce tp 4097", "all-reduce tp 7", "all-reduce dp 8"},
		"MODEL all_gpus: 4":                 {"all-reduce tp 1", "all-to-all tp 4095", "all-reduce tp 4097"},
		"DISTRIBUTED_INFERENCE all_gpus: 4": {"all-reduce tp 1", "all-to-all tp 4095", "all-reduce tp 4097"},
	} {
		tr := parsed(t, header+"\n"+layers, collective.Settings{})
		if diff := cmp.Diff(want, volumes(tr)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", header, diff)
		}
	}
	// Nothing is sent of nothing.
	tr := parsed(t, transformer+" model_parallel_NPU_group: 2 all_gpus: 2\n1\na -1 1 ALLREDUCE 0 1 NONE 0 1 NONE 0 0", collective.Settings{})
	if len(tr.Calls) > 0 {
		t.Error(tr.Calls)
	}
}

// TestParts: in files of ASTRA-sim 1 the size of an all-gather is that of a part, which a notice says. Of other
// collectives it is that of the whole buffer, as everything is in files of SimAI.
func TestParts(t *testing.T) {
	const layer = "\n1\na -1 1 ALLGATHER 5000 1 REDUCESCATTER 6000 1 ALLGATHER_DP_EP 7000 0"
	for header, want := range map[string][]string{
		transformer + " model_parallel_NPU_group: 2 ep: 2 all_gpus: 12":     {"all-gather tp 5000", "reduce-scatter tp 6000", "all-gather edp 7000"},
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 all_gpus: 12": {"all-gather tp 10000", "reduce-scatter tp 6000", "all-gather edp 21000"},
		"DATA ep: 2 all_gpus: 12":           {"all-gather edp 42000"},
		"MODEL all_gpus: 12":                {"all-gather tp 60000"},
		"DISTRIBUTED_INFERENCE all_gpus: 3": {"all-gather tp 15000"},
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 2 pp: 6 all_gpus: 12": nil,
	} {
		tr := parsed(t, header+layer, collective.Settings{Choice: collective.Choice{{Algorithm: collective.Ring}}})
		if diff := cmp.Diff(want, volumes(tr)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", header, diff)
		}
		noticed := slices.ContainsFunc(tr.Notices, func(n string) bool {
			return strings.HasPrefix(n, "sizes of all-gathers are those of a rank's part, as ASTRA-sim 1 has them for "+strings.Fields(header)[0])
		})
		if old := !strings.HasPrefix(header, transformer) && want != nil; noticed != old {
			t.Errorf("%s: notices %q", header, tr.Notices)
		}
	}
	// Each of 12 ranks hands on 11 parts.
	tr := parsed(t, "MODEL all_gpus: 12"+layer, collective.Settings{Choice: collective.Choice{{Algorithm: collective.Ring}}})
	sent := int64(0)
	for i := range uint32(tr.Ranks[5].Len()) {
		if o := tr.Ranks[5].At(i); o.Kind == trace.Send {
			sent += o.Size
		}
	}
	if sent != 11*5000 {
		t.Errorf("a rank sends %d bytes", sent)
	}
}
