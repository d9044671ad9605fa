package chakra

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A file is messages of protobuf, each behind its length as a varint. The first is the metadata of the file,
// and each other one a node. Numbers of fields are those of Chakra's et_def.proto.

// Fields of a node. The time of its start, 6, and its outputs, 9, are not read.
const (
	fieldID       = 1
	fieldName     = 2
	fieldType     = 3
	fieldControl  = 4
	fieldData     = 5
	fieldDuration = 7
	fieldInputs   = 8
	fieldAttr     = 10
)

// fieldValues is the first field of a node's inputs.
const fieldValues = 1

// Fields of an attribute: its name, and the value by type. A list of a type has the number behind it.
const (
	attrName     = 1
	attrDouble   = 3
	attrFloat    = 5
	attrInt32    = 7
	attrInt64    = 9
	attrUint32   = 11
	attrUint64   = 13
	attrSint32   = 15
	attrSint64   = 17
	attrFixed32  = 19
	attrFixed64  = 21
	attrSfixed32 = 23
	attrSfixed64 = 25
	attrBool     = 27
	attrBoolList = 28
	attrString   = 29
)

// errEndless is the error of a length whose varint does not end.
var errEndless = errors.New("a length of more than 64 bits")

// messages reads the messages of a file one after another.
type messages struct {
	r    *bufio.Reader
	at   int64 // where the next message begins
	size int64 // of the file
	buf  []byte
}

// next returns the next message and where it begins, or io.EOF. The bytes are good until the next call.
func (m *messages) next() (b []byte, at int64, err error) {
	at = m.at
	length, n, err := uvarint(m.r)
	switch {
	case err == io.EOF && n == 0:
		return nil, at, io.EOF
	case err == io.EOF:
		return nil, at, io.ErrUnexpectedEOF
	case err != nil:
		return nil, at, err
	}
	m.at += int64(n)
	if left := m.size - m.at; length > uint64(max(left, 0)) {
		return nil, at, fmt.Errorf("a message of %d bytes, but the file has %d more", length, max(left, 0))
	}
	if uint64(cap(m.buf)) < length {
		m.buf = make([]byte, length)
	}
	m.buf = m.buf[:length]
	if _, err := io.ReadFull(m.r, m.buf); err != nil {
		return nil, at, err
	}
	m.at += int64(length)
	return m.buf, at, nil
}

// uvarint reads a varint, and returns how many bytes it has.
func uvarint(r io.ByteReader) (v uint64, n int, err error) {
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, n, err
		}
		n++
		if n == binary.MaxVarintLen64 && b > 1 {
			return 0, n, errEndless
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, n, nil
		}
	}
}

// fields calls visit for each field of a message. A varint, or a number of fixed length, comes as v, and
// everything else as data.
func fields(b []byte, visit func(number protowire.Number, v uint64, data []byte) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var v uint64
		var data []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(b)
			v = uint64(short)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(b)
			if data == nil {
				data = []byte{}
			}
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return fmt.Errorf("field %d: %w", number, protowire.ParseError(n))
		}
		b = b[n:]
		if err := visit(number, v, data); err != nil {
			return err
		}
	}
	return nil
}

// varints appends numbers of a list, which is packed or has one of them.
func varints(list []uint64, v uint64, data []byte) ([]uint64, error) {
	if data == nil {
		return append(list, v), nil
	}
	for len(data) > 0 {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return list, protowire.ParseError(n)
		}
		list, data = append(list, v), data[n:]
	}
	return list, nil
}

// isNode tells whether a message is a node and not the metadata of a file: only nodes have a type.
func isNode(b []byte) (is bool, err error) {
	err = fields(b, func(number protowire.Number, _ uint64, _ []byte) error {
		is = is || number == fieldType
		return nil
	})
	return is, err
}

// raw is a node as it was read.
type raw struct {
	node
	onData, onControl []uint64
	// values are the inputs of a node of metadata.
	values []byte
}

// reset empties a node, so that another one can be read into it.
func (n *raw) reset() { *n = raw{onData: n.onData[:0], onControl: n.onControl[:0]} }

// decode reads a node from its message.
func (n *raw) decode(b []byte, names names) error {
	n.reset()
	return fields(b, func(number protowire.Number, v uint64, data []byte) (err error) {
		switch number {
		case fieldID:
			n.id = v
		case fieldName:
			n.name = names.of(data)
		case fieldType:
			n.kind = nodeType(min(v, math.MaxInt32))
		case fieldControl:
			n.onControl, err = varints(n.onControl, v, data)
		case fieldData:
			n.onData, err = varints(n.onData, v, data)
		case fieldDuration:
			n.micros = float64(v)
		case fieldInputs:
			if n.kind == metadataNode {
				err = fields(data, func(number protowire.Number, _ uint64, data []byte) error {
					if number == fieldValues {
						n.values = data
					}
					return nil
				})
			}
		case fieldAttr:
			err = n.decodeAttribute(data, names)
		}
		return err
	})
}

// decodeAttribute reads an attribute, if it is one that matters.
func (a *attributes) decodeAttribute(b []byte, names names) error {
	var name []byte
	var val value
	err := fields(b, func(number protowire.Number, v uint64, data []byte) (err error) {
		switch number {
		case attrName:
			name = data
		case attrDouble:
			val = value{kind: real, real: math.Float64frombits(v)}
		case attrFloat:
			val = value{kind: real, real: float64(math.Float32frombits(uint32(v)))}
		case attrInt32, attrInt64, attrSfixed64:
			val = value{kind: signed, whole: v}
		case attrSfixed32:
			val = value{kind: signed, whole: uint64(int64(int32(uint32(v))))}
		case attrUint32, attrUint64, attrFixed32, attrFixed64:
			val = value{kind: whole, whole: v}
		case attrSint32, attrSint64:
			val = value{kind: signed, whole: uint64(protowire.DecodeZigZag(v))}
		case attrBool:
			val = value{kind: whole, whole: v}
		case attrString:
			val = value{kind: text, text: data}
		case attrBoolList:
			val = value{kind: listed}
			err = fields(data, func(number protowire.Number, v uint64, data []byte) (err error) {
				if number == 1 {
					val.list, err = varints(val.list, v, data)
				}
				return err
			})
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.set(string(name), val, names)
}
