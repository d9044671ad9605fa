package wire

import (
	"errors"

	"weft/wire/internal/carrier"
)

// Reasons why a message or a dial failed. Contexts add their own.
var (
	ErrSilent    = carrier.ErrSilent
	ErrRestarted = carrier.ErrRestarted
	ErrRefused   = carrier.ErrRefused
	ErrMismatch  = carrier.ErrMismatch
	ErrClosed    = carrier.ErrClosed
)

// RefusedError says why a message was refused. No handler saw the message. It wraps ErrRefused.
type RefusedError struct {
	// Reason is why it was refused.
	Reason Reason
	// Reply is set if this endpoint refused the reply to its own request. In that case a handler
	// has seen the request.
	Reply bool
}

// Error implements error.
func (e *RefusedError) Error() string {
	return (&carrier.RefusedError{Reason: carrier.Reason(e.Reason), Reply: e.Reply}).Error()
}

// Unwrap returns ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }

// Reason is why a message was refused.
type Reason uint8

const (
	// TooLarge means that the message exceeds the receiver's Config.Largest.
	TooLarge = Reason(carrier.TooLarge)
	// NoMemory means that the receiver's Config.Memory is full. There may be room later.
	NoMemory = Reason(carrier.NoMemory)
	// NobodyListens means that the receiver has no Config.Handler.
	NobodyListens = Reason(carrier.NobodyListens)
	// Leaving means that the receiver is about to close.
	Leaving = Reason(carrier.Leaving)
)

// String returns the reason in words.
func (r Reason) String() string { return carrier.Reason(r).String() }

// refusal converts a carrier's RefusedError to this package's. It returns other errors unchanged.
func refusal(err error) error {
	var r *carrier.RefusedError
	if errors.As(err, &r) {
		return &RefusedError{Reason: Reason(r.Reason), Reply: r.Reply}
	}
	return err
}
