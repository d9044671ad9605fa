package wire

import (
	"errors"

	"weft/wire/internal/carrier"
)

// Why a message or a dial ended otherwise than well. Contexts add their own.
var (
	ErrSilent    = carrier.ErrSilent
	ErrRestarted = carrier.ErrRestarted
	ErrRefused   = carrier.ErrRefused
	ErrMismatch  = carrier.ErrMismatch
	ErrClosed    = carrier.ErrClosed
)

// RefusedError says why a message was refused. No handler saw it. It wraps ErrRefused.
type RefusedError struct {
	// Reason is why.
	Reason Reason
	// Reply tells that it was the reply to a request of this endpoint, which itself refused it. A handler has seen the request.
	Reply bool
}

// Error says why.
func (e *RefusedError) Error() string {
	return (&carrier.RefusedError{Reason: carrier.Reason(e.Reason), Reply: e.Reply}).Error()
}

// Unwrap returns ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }

// Reason is why a message is refused.
type Reason uint8

const (
	// TooLarge is that the message is larger than the receiver's Config.Largest.
	TooLarge = Reason(carrier.TooLarge)
	// NoMemory is that the receiver's Config.Memory is full. Later there may be room.
	NoMemory = Reason(carrier.NoMemory)
	// NobodyListens is that the receiver has no Config.Handler.
	NobodyListens = Reason(carrier.NobodyListens)
	// Leaving is that the receiver is about to close.
	Leaving = Reason(carrier.Leaving)
)

// String says it in words.
func (r Reason) String() string { return carrier.Reason(r).String() }

// refusal returns an error of the carrier as this package has it.
func refusal(err error) error {
	var r *carrier.RefusedError
	if errors.As(err, &r) {
		return &RefusedError{Reason: Reason(r.Reason), Reply: r.Reply}
	}
	return err
}
