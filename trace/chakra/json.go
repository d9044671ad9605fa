package chakra

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"weft/internal/userfile"
)

// graph is a file in JSON.
type graph struct {
	Graph []jsonNode `json:"workload_graph"`
	// Nodes are what PyTorch writes, before Chakra's converter.
	Nodes json.RawMessage `json:"nodes"`
}

// jsonNode is a node in JSON. Attributes stand beside the other fields.
type jsonNode struct {
	ID      *uint64  `json:"Id"`
	Name    string   `json:"Name"`
	Type    int32    `json:"NodeType"`
	Runtime float64  `json:"runtime"`
	Data    []uint64 `json:"data_deps"`
	// Control has two spellings.
	Control      []uint64 `json:"ctrl_deps"`
	ControlCamel []uint64 `json:"ctrlDeps"`

	IsCPUOp     any   `json:"is_cpu_op"`
	CommType    any   `json:"comm_type"`
	CommSize    any   `json:"comm_size"`
	CommSrc     any   `json:"comm_src"`
	CommDst     any   `json:"comm_dst"`
	CommTag     any   `json:"comm_tag"`
	TensorSize  any   `json:"tensor_size"`
	NumOps      any   `json:"num_ops"`
	PGName      any   `json:"pg_name"`
	InvolvedDim []any `json:"involved_dim"`
}

// readJSON reads a file in JSON.
func (t *reading) readJSON(r *rank) error {
	b, err := userfile.Read(r.file, largestJSON)
	if err != nil {
		return err
	}
	return t.readGraph(r, b)
}

func (t *reading) readGraph(r *rank, b []byte) error {
	var g graph
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&g); err != nil {
		return fmt.Errorf("%s: %w", r.file, placed(b, err))
	}
	switch {
	case g.Graph == nil && g.Nodes != nil:
		return notConverted(r.file)
	case g.Graph == nil:
		return fmt.Errorf("%s: there is no workload_graph, which Chakra's traces in JSON have; name a folder of such files, or of .et files", r.file)
	}
	var n raw
	for i := range g.Graph {
		j := &g.Graph[i]
		if j.ID == nil {
			return fmt.Errorf("%s: node %d of workload_graph has no Id; give each node a number", r.file, i)
		}
		n.reset()
		n.id, n.name, n.kind, n.micros = *j.ID, t.interned.of([]byte(j.Name)), nodeType(j.Type), j.Runtime
		if j.Runtime < 0 {
			return r.wrong(&n.node, "its runtime %v is negative; give microseconds", j.Runtime)
		}
		n.onData = append(n.onData, j.Data...)
		n.onControl = append(append(n.onControl, j.Control...), j.ControlCamel...)
		if err := n.setAll(j, t.interned); err != nil {
			return r.wrong(&n.node, "%w; write numbers as numbers", err)
		}
		if err := t.add(r, &n); err != nil {
			return err
		}
	}
	return nil
}

// placed adds the line to an error of JSON.
func placed(b []byte, err error) error {
	at := int64(-1)
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		at = e.Offset
	}
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		at = e.Offset
	}
	if at < 0 || at > int64(len(b)) {
		return err
	}
	line := 1
	for _, c := range b[:at] {
		if c == '\n' {
			line++
		}
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// setAll takes the attributes of a node.
func (a *attributes) setAll(j *jsonNode, names names) error {
	for _, one := range []struct {
		name string
		v    any
	}{
		{"is_cpu_op", j.IsCPUOp}, {"comm_type", j.CommType}, {"comm_size", j.CommSize}, {"comm_src", j.CommSrc}, {"comm_dst", j.CommDst},
		{"comm_tag", j.CommTag}, {"tensor_size", j.TensorSize}, {"num_ops", j.NumOps}, {"pg_name", j.PGName},
	} {
		if one.v == nil {
			continue
		}
		if err := a.set(one.name, valueOf(one.v), names); err != nil {
			return err
		}
	}
	if len(j.InvolvedDim) == 0 {
		return nil
	}
	v := value{kind: listed}
	for _, one := range j.InvolvedDim {
		n, err := valueOf(one).number(math.MaxInt32)
		if err != nil {
			return fmt.Errorf("attribute involved_dim: %w", err)
		}
		v.list = append(v.list, n)
	}
	return a.set("involved_dim", v, names)
}

// valueOf returns the value of an attribute in JSON.
func valueOf(v any) value {
	switch v := v.(type) {
	case bool:
		if v {
			return value{kind: whole, whole: 1}
		}
		return value{kind: whole}
	case string:
		return value{kind: text, text: []byte(v)}
	case json.Number:
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return value{kind: whole, whole: n}
		}
		if f, err := v.Float64(); err == nil {
			return value{kind: real, real: f}
		}
	}
	return value{kind: listed}
}
