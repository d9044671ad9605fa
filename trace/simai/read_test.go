package simai

import (
	"fmt"
	"strings"
	"testing"

	"weft/trace"
	"weft/trace/collective"
)

func TestRefuses(t *testing.T) {
	const head = transformer + " model_parallel_NPU_group: 2 all_gpus: 4\n"
	const layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n"
	for _, test := range []struct{ text, wrong string }{
		{"", "x.txt: the file is empty; begin it with the parallelism, as in HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8"},
		{"HYBRID_TRANFORMER\n", `x.txt:1:1: "HYBRID_TRANFORMER" is no parallelism of a layer file of SimAI or ASTRA-sim 1; did you mean "HYBRID_TRANSFORMER"?`},
		{"MICRO\n1\n", "x.txt:1:1: weft does not read layer files of the parallelism MICRO; use HYBRID_TRANSFORMER_FWD_IN_BCKWD or HYBRID_TRANSFORMER or DATA"},
		{"DATA\n1\n", "x.txt:1:1: the first line has no all_gpus, so that the number of ranks is unknown; add it, as in all_gpus: 64"},
		{"DATA all_gpus:\n1\n", "x.txt:1:6: all_gpus has no value; write a number behind it"},
		{"DATA all_gpus: 0\n1\n", `x.txt:1:16: all_gpus is "0"; write a whole number from 1 to 1048576`},
		{"DATA all_gpus: 4 all_gpus: 4\n", "x.txt:1:18: all_gpus is given twice; leave one"},
		{"DATA all_gpu: 4\n", `x.txt:1:6: the first line has no key "all_gpu"; did you mean "all_gpus"?`},
		{"DATA all_gpus: 4 checkpoints: 2 1\n", "x.txt:1:18: checkpoints has no value"},
		{transformer + " model_parallel_NPU_group: 3 all_gpus: 4\n1\n" + layer, "x.txt:1:1: all_gpus is 4, which is no multiple of model_parallel_NPU_group 3 times pp 1"},
		{transformer + " model_parallel_NPU_group: 2 ep: 4 pp: 2 all_gpus: 8\n1\n" + layer, "x.txt:1:1: ep is 4, which does not divide the 2 groups of data parallelism"},
		{transformer + " all_gpus: 4 checkpoints: 1 1\n1\n" + layer, "x.txt:1:1: checkpoints names layer 1, but the last of the 1 layers is 0; layers count from 0"},
		{transformer + " all_gpus: 4 checkpoint_initiates: 1 0\n1\n" + layer, "x.txt:1:1: checkpoint_initiates names layer 0, but no checkpoint comes before it"},
		{head, "x.txt:1:72: the file ends where the number of layers is due"},
		{head + "x\n", `x.txt:2:1: the number of layers is "x"; write a whole number from 1 to`},
		{head + "2\n" + layer, "x.txt:3:34: the file ends after 1 layers; complete it, or correct the number of layers in its second line"},
		{head + "1\n" + layer + "b -1", `x.txt:4:1: "b" follows the last of 1 layers; correct the number of layers`},
		{head + "1\na -1 1 NONE 0 1 NONE 0 1 NONE\n", "x.txt:3:30: the file ends where the bytes of the weight gradient is due"},
		{head + "1\na 0.5 1 NONE 0", `x.txt:3:3: the dependency is "0.5"; write a whole number from -1`},
		{head + "1\na -1 -5 NONE 0", `x.txt:3:6: the time of the forward pass is "-5"; write a whole number from 0`},
		{head + "1\na -1 5 ALLGATHER_DP 0", `x.txt:3:8: "ALLGATHER_DP" is no collective; did you mean "ALLGATHER_EP"?`},
		{head + "1\na -1 5 ALLREDUCEALLTOALL 0", `x.txt:3:8: "ALLREDUCEALLTOALL" is no collective`},
		{head + "1\na -1 5 NONE 9223372036854775807", "the bytes of the forward pass is \"9223372036854775807\""},
		{"MODEL all_gpus: 4\n1\na -1 5 ALLGATHER 4000000000000000000", "x.txt:3:18: 4000000000000000000 bytes are too many for each of 4 ranks; write at most 1152921504606846975"},
		{head + "1\n" + strings.Repeat("a", mostLine+2), "x.txt:3:1: the line is longer than 1048576 bytes; a layer has a line of 12 words"},
	} {
		_, err := read(strings.NewReader(test.text), "x.txt")
		if err == nil || !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%.80q: got %v, want %q", test.text, err, test.wrong)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(transformer + " model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 8 ga: 24 all_gpus: 16 checkpoints: 1 0 checkpoint_initiates: 1 1 pp_comm 7\n2\na\t-1\t1\tALLGATHER_DP_EP\t9\t1\tREDUCESCATTER\t0\t1\tALLTOALL_EP\t8\t100\nb -1 0 NONE 0 0 NONE 0 0 NONE 0 0")
	f.Add("\ufeffDATA all_gpus: 3\r\n1\r\nx -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 5")
	f.Add("MODEL all_gpus: 1000000 model_parallel_NPU_group: 1\n1\nx -1 1 ALLREDUCE 4611686018427387903 1 NONE 0 1 NONE 0 5")
	f.Add("MICRO\n")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := read(strings.NewReader(text), "x.txt")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.txt:") || len(err.Error()) > 1000 {
				t.Fatalf("message: %v", err)
			}
			return
		}
		if w.ranks > 64 || len(w.layers) > 8 {
			return // too long to try
		}
		tr := &trace.Trace{}
		stop := fmt.Errorf("enough")
		_, _, err = w.scan("x.txt", collective.Settings{}, func(_ int, s *trace.Schedule) error {
			if tr.Ranks = append(tr.Ranks, *s); len(tr.Ranks) > w.ranks {
				return stop
			}
			return nil
		})
		switch {
		case err == stop:
			t.Fatal("there are too many ranks")
		case err != nil: // a buffer may be too large
			if !strings.HasPrefix(err.Error(), "x.txt: rank ") {
				t.Fatalf("message: %v", err)
			}
		default:
			if f := tr.Match(3); f.Total > 0 {
				t.Fatal(f.List)
			}
		}
	})
}
