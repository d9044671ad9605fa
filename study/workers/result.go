package workers

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"weft/study"
)

// Result is the outcome of a task in a child.
type Result struct {
	// Packed is the result, nil if there is a Failure.
	Packed  []byte
	Failure *study.Failure
	Started time.Time
	Took    time.Duration
}

// A result is sent as two times in nanoseconds and a letter, followed by the packed result,
// or by the failure as JSON.
const (
	resultHead   = 17
	resultPacked = 'P'
	resultFailed = 'F'
)

// encode returns the head and the rest.
func (r *Result) encode() (head, rest []byte, err error) {
	head = binary.LittleEndian.AppendUint64(make([]byte, 0, resultHead), uint64(r.Started.UnixNano()))
	head = binary.LittleEndian.AppendUint64(head, uint64(r.Took))
	if r.Failure == nil {
		return append(head, resultPacked), r.Packed, nil
	}
	rest, err = json.Marshal(r.Failure)
	return append(head, resultFailed), rest, err
}

func decodeResult(body []byte) (*Result, error) {
	if len(body) < resultHead {
		return nil, errors.New("a worker process wrote a result that is cut off")
	}
	r := &Result{
		Started: time.Unix(0, int64(binary.LittleEndian.Uint64(body))),
		Took:    time.Duration(binary.LittleEndian.Uint64(body[8:])),
	}
	rest := body[resultHead:]
	switch body[resultHead-1] {
	case resultPacked:
		r.Packed = rest
		return r, nil
	case resultFailed:
		r.Failure = &study.Failure{}
		if err := json.Unmarshal(rest, r.Failure); err != nil {
			return nil, fmt.Errorf("a worker process wrote a failure that cannot be read: %w", err)
		}
		return r, nil
	}
	return nil, fmt.Errorf("a worker process wrote a result of kind %q", body[resultHead-1])
}
