package trace

import (
	"math"
	"strconv"
)

// labels are names of operations. Most are a letter and a number, as in l17, so that the number is
// enough to keep.
type labels struct {
	prefix  string
	numbers []uint32 // by operation; unnumbered if there is none
	others  map[uint32]string
}

const unnumbered = math.MaxUint32

func (l *labels) at(i uint32) string {
	if int(i) < len(l.numbers) && l.numbers[i] != unnumbered {
		return l.prefix + strconv.FormatUint(uint64(l.numbers[i]), 10)
	}
	return l.others[i]
}

// split separates the number at the end of a label, if printing it gives the same digits again.
func split(label []byte) (prefix []byte, number uint32, ok bool) {
	i := len(label)
	for i > 0 && label[i-1] >= '0' && label[i-1] <= '9' {
		i--
	}
	digits := label[i:]
	if len(digits) == 0 || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return nil, 0, false
	}
	for _, d := range digits {
		number = number*10 + uint32(d-'0')
	}
	return label[:i], number, true
}

// index finds operations by their labels.
type index struct {
	numbered []uint32 // operation + 1 by the number of its label
	others   map[string]uint32
}

// dense tells whether a number is small enough for a table by numbers.
func dense(number uint32, operations int) bool { return int(number) < 4*operations+1024 }

func (x *index) find(l *labels, label []byte) (uint32, bool) {
	if prefix, number, ok := split(label); ok && int(number) < len(x.numbered) && string(prefix) == l.prefix {
		if op := x.numbered[number]; op > 0 {
			return op - 1, true
		}
	}
	op, ok := x.others[string(label)]
	return op, ok
}

// add names an operation. The label must be new.
func (x *index) add(l *labels, op uint32, label []byte) {
	prefix, number, ok := split(label)
	if ok && len(l.numbers) == 0 && len(x.others) == 0 {
		l.prefix = string(prefix)
	}
	if ok && string(prefix) == l.prefix && dense(number, int(op)) {
		for len(l.numbers) < int(op) {
			l.numbers = append(l.numbers, unnumbered)
		}
		l.numbers = append(l.numbers, number)
		for len(x.numbered) <= int(number) {
			x.numbered = append(x.numbered, 0)
		}
		x.numbered[number] = op + 1
		return
	}
	if x.others == nil {
		x.others = map[string]uint32{}
	}
	if l.others == nil {
		l.others = map[uint32]string{}
	}
	text := string(label)
	x.others[text], l.others[op] = op, text
}

func (x *index) reset() {
	x.numbered, x.others = x.numbered[:0], nil
}
