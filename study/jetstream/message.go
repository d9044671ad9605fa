package jetstream

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"weft/study"
)

// taskHeader holds a taskMeta: its fields separated by spaces, the key last. The body of
// the message is the study.Task.
const taskHeader = "Weft-Task"

// taskMeta travels with a task, for programs that forward it.
type taskMeta struct {
	Key string
	// Session identifies the Execute that sent the task. Attempt counts its attempts.
	Session string
	Attempt int
	// AckWait is the consumer's: a worker must report progress more often.
	AckWait time.Duration
	// Inputs: the task has input files.
	Inputs bool
}

// id returns the message id of a task and of its outcome. It keeps the server from storing
// either twice.
func (m taskMeta) id() string { return fmt.Sprintf("%s/%s/%d", m.Key, m.Session, m.Attempt) }

func taskMessage(subject string, m taskMeta, body []byte) *nats.Msg {
	msg := nats.NewMsg(subject)
	msg.Data = body
	msg.Header.Set(taskHeader, fmt.Sprintf("%s %d %v %t %s", m.Session, m.Attempt, m.AckWait, m.Inputs, m.Key))
	msg.Header.Set(nats.MsgIdHdr, m.id())
	return msg
}

func readTaskMeta(h nats.Header) (taskMeta, error) {
	text := h.Get(taskHeader)
	parts := strings.SplitN(text, " ", 5)
	if len(parts) < 5 || parts[4] == "" {
		return taskMeta{}, fmt.Errorf("its header %s is %q", taskHeader, text)
	}
	m := taskMeta{Session: parts[0], Key: parts[4]}
	var errs [3]error
	m.Attempt, errs[0] = strconv.Atoi(parts[1])
	m.AckWait, errs[1] = time.ParseDuration(parts[2])
	m.Inputs, errs[2] = strconv.ParseBool(parts[3])
	if err := errors.Join(errs[:]...); err != nil || m.AckWait < leastAckWait || m.AckWait > mostAckWait || m.Attempt < 0 || len(text) > mostHeader {
		return taskMeta{}, fmt.Errorf("its header %s is %.100q", taskHeader, text)
	}
	return m, nil
}

// Limits on the values in a header. A worker reports three times within AckWait.
const (
	leastAckWait = 10 * time.Millisecond
	mostAckWait  = 24 * time.Hour
	mostHeader   = 1024
)

// outcomeMeta describes the end of an attempt.
type outcomeMeta struct {
	Key     string         `json:"key"`
	Session string         `json:"session"`
	Attempt int            `json:"attempt"`
	Failure *study.Failure `json:"failure,omitempty"`
	// Lost: the process of the run died, for the reason in Failure.
	Lost    bool          `json:"lost,omitempty"`
	Worker  string        `json:"worker"`
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took"`
	// Object is the name of the result in the study's bucket, if the result was too large
	// for the message.
	Object string `json:"object,omitempty"`
}

// encode returns the body of an outcome's message: the length of the metadata, the
// metadata, and the packed result.
func (m outcomeMeta) encode(packed []byte) ([]byte, error) {
	meta, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, binary.MaxVarintLen64+len(meta)+len(packed))
	body = binary.AppendUvarint(body, uint64(len(meta)))
	return append(append(body, meta...), packed...), nil
}

func decodeOutcome(body []byte) (outcomeMeta, []byte, error) {
	var m outcomeMeta
	n, used := binary.Uvarint(body)
	if used <= 0 || n > uint64(len(body)-used) {
		return m, nil, errors.New("an outcome is cut off")
	}
	end := used + int(n)
	if err := json.Unmarshal(body[used:end], &m); err != nil {
		return m, nil, err
	}
	if m.Key == "" {
		return m, nil, errors.New("an outcome has no key")
	}
	if m.Object != "" && !strings.HasPrefix(m.Object, resultsOf(m.Key)) {
		return m, nil, fmt.Errorf("an outcome names the file %.100q, which is no result of its run", m.Object)
	}
	return m, body[end:], nil
}

// resultsOf returns the prefix of the names of a run's results in the study's bucket.
func resultsOf(key string) string { return "result/" + key + "/" }

// event is a progress report of a worker to the coordinator, which may or may not be
// listening.
type event struct {
	Kind    string  `json:"kind"`
	Key     string  `json:"key"`
	Session string  `json:"session"`
	Attempt int     `json:"attempt"`
	Worker  string  `json:"worker"`
	Share   float64 `json:"share,omitempty"`
}

const (
	eventBegan    = "began"
	eventProgress = "progress"
	// eventReturned: a worker that is stopping gave back a task that it had started.
	eventReturned = "returned"
)

// hello is a worker's answer on helloSubject.
type hello struct {
	Program string `json:"program"`
	Worker  string `json:"worker"`
	Slots   int    `json:"slots"`
}
