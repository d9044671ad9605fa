package chakra

import "google.golang.org/protobuf/encoding/protowire"

// version is that of the format that is written.
const version = "1.0.0"

// appendMetadata appends the metadata of a file.
func appendMetadata(b []byte) []byte {
	return protowire.AppendBytes(b, protowire.AppendString(protowire.AppendTag(nil, fieldVersion, protowire.BytesType), version))
}

// fieldVersion is the first field of a file's metadata.
const fieldVersion = 1

// encoder appends nodes to a file.
type encoder struct {
	file, node, part []byte
}

// begin begins a node. Its fields come in the order of their numbers.
func (e *encoder) begin(id uint64, name string, kind nodeType, deps []uint64, micros uint64) {
	b := e.node[:0]
	if id > 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, fieldID, protowire.VarintType), id)
	}
	b = protowire.AppendString(protowire.AppendTag(b, fieldName, protowire.BytesType), name)
	b = protowire.AppendVarint(protowire.AppendTag(b, fieldType, protowire.VarintType), uint64(kind))
	if len(deps) > 0 {
		e.part = e.part[:0]
		for _, d := range deps {
			e.part = protowire.AppendVarint(e.part, d)
		}
		b = protowire.AppendBytes(protowire.AppendTag(b, fieldData, protowire.BytesType), e.part)
	}
	if micros > 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, fieldDuration, protowire.VarintType), micros)
	}
	e.node = b
}

// number adds an attribute, in the field of its type.
func (e *encoder) number(name string, field protowire.Number, v uint64) {
	e.part = protowire.AppendString(protowire.AppendTag(e.part[:0], attrName, protowire.BytesType), name)
	e.part = protowire.AppendVarint(protowire.AppendTag(e.part, field, protowire.VarintType), v)
	e.node = protowire.AppendBytes(protowire.AppendTag(e.node, fieldAttr, protowire.BytesType), e.part)
}

// text adds an attribute that is a text.
func (e *encoder) text(name, v string) {
	e.part = protowire.AppendString(protowire.AppendTag(e.part[:0], attrName, protowire.BytesType), name)
	e.part = protowire.AppendString(protowire.AppendTag(e.part, attrString, protowire.BytesType), v)
	e.node = protowire.AppendBytes(protowire.AppendTag(e.node, fieldAttr, protowire.BytesType), e.part)
}

// end ends a node.
func (e *encoder) end() { e.file = protowire.AppendBytes(e.file, e.node) }

// join adds a node that takes no time and no processor. ASTRA-sim takes it for a computation of 1 ns on the
// accelerator. Its statistics refuse nodes of metadata, invalid ones, and computations of the host.
func (e *encoder) join(id uint64, name string, deps []uint64) {
	e.begin(id, name, computeNode, deps, 0)
	e.number("is_cpu_op", attrBool, 0)
	e.number(isJoin, attrBool, 1)
	e.end()
}
