package chakra

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"weft/internal/userfile"
	"weft/trace"
	"weft/unit"
)

// Limits of a file.
const (
	largest     = 1 << 42 * unit.Byte
	largestJSON = 8 * unit.GiB // it is read as a whole
	mostNodes   = trace.MaxOperations / 2
)

// notes counts what a reader changed.
type notes struct {
	invalid, hostCollectives, lostControl, uneven, noPeer, alone int
	noControl                                                    bool
}

// readAll reads the files of all ranks.
func (t *reading) readAll() error {
	for number := range t.files.ranks {
		r := &rank{number: int32(number), file: t.files.path(number)}
		if err := t.readFile(r); err != nil {
			return err
		}
		t.ranks = append(t.ranks, r)
	}
	return t.arrangeNodes()
}

// readFile reads a file of messages, or one in JSON. Tools have given messages the name of the other form, so
// the first byte decides there.
func (t *reading) readFile(r *rank) error {
	f, err := userfile.Open(r.file, largest)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var head [64]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if t.files.form == jsonForm && isObject(head[:n]) {
		return t.readJSON(r)
	}
	return t.readMessages(r, f, info.Size())
}

// readMessages reads the messages of a file.
func (t *reading) readMessages(r *rank, from io.Reader, size int64) error {
	m := messages{r: bufio.NewReaderSize(from, 1<<16), size: size}
	var n raw
	for first := true; ; first = false {
		b, at, err := m.next()
		switch {
		case err == io.EOF && first:
			return fmt.Errorf("%s: the file is empty; a trace begins with its metadata", r.file)
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%s: at byte %d: the file ends within a message; it is cut off, so write it anew", r.file, at)
		case err != nil:
			return fmt.Errorf("%s: at byte %d: %w; the file is cut off or no Chakra trace", r.file, at, err)
		}
		if first {
			node, err := isNode(b)
			if err != nil {
				return fmt.Errorf("%s: at byte %d: %w; a file of Chakra begins with a message of metadata, so this is another file or a damaged one", r.file, at, err)
			}
			if !node {
				continue
			}
		}
		if err := n.decode(b, t.interned); err != nil {
			return fmt.Errorf("%s: at byte %d: %w", r.file, at, r.wrong(&n.node, "%w; the file is damaged", err))
		}
		if err := t.add(r, &n); err != nil {
			return err
		}
	}
}

// add keeps a node.
func (t *reading) add(r *rank, n *raw) error {
	if len(r.nodes) == mostNodes {
		return r.wrong(&n.node, "a rank has more than %d nodes, which is too much for weft", mostNodes)
	}
	switch n.kind {
	case invalidNode:
		t.notes.invalid++
	case metadataNode:
		if err := t.groups.define(r, n.values); err != nil {
			return r.wrong(&n.node, "%w", err)
		}
	case collectiveNode:
		if n.cpu {
			n.kind = computeNode
			t.notes.hostCollectives++
		} else if _, ok := n.collective(); !ok {
			return r.wrong(&n.node, "comm_type %d is no collective of Chakra's; there are 0 (all-reduce) to %d (barrier)", n.comm, len(kinds)-1)
		}
	case sendNode, recvNode:
		t.largest = max(t.largest, n.tag)
	case loadNode, storeNode, computeNode:
	default:
		return r.wrong(&n.node, "type %d is unknown; weft knows Chakra's types 0 (%s) to %d (%s), so leave the node out or give it one of them", n.kind, types[0], len(types)-1, types[len(types)-1])
	}
	if len(r.deps)+len(n.onData)+len(n.onControl) > math.MaxInt32 {
		return r.wrong(&n.node, "a rank has more than %d dependencies, which is too much for weft", math.MaxInt32)
	}
	kept := n.node
	kept.first = int32(len(r.deps))
	r.deps = append(r.deps, n.onData...)
	kept.control = int32(len(r.deps))
	r.deps = append(r.deps, n.onControl...)
	kept.end = int32(len(r.deps))
	r.nodes = append(r.nodes, kept)
	return nil
}
