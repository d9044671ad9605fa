package workload

import (
	"errors"
	"slices"

	"weft/problem"
)

// This file lists the senders of an incast in its messages, for transports that announce an
// incast to its receiver in advance.

// Values of Traffic.LookAhead.
const (
	// ListNone lists nobody.
	ListNone = "none"
	// ListSenders lists the senders of the incast.
	ListSenders = "senders"
	// ListMembers lists all members of the group, whether they send in this incast or not.
	ListMembers = "members"
)

// MostListed is the largest number of senders in a list.
const MostListed = 36

// lists gives all sources the list of their incast, if the traffic asks for it. The n-th messages
// of all senders form one incast.
func (t Traffic) lists(d Destinations, s Setting, sources []Source) error {
	if t.LookAhead == ListNone || t.LookAhead == "" {
		return nil
	}
	if _, ok := t.Pattern.(Incast); !ok {
		return errNoIncasts
	}
	var senders []int32
	receiver := int32(-1)
	for _, h := range s.Members {
		if d.Fan(h) > 0 {
			senders = append(senders, h)
			receiver = d.Destination(h, 0, nil)
		}
	}
	if t.LookAhead == ListMembers {
		senders = slices.DeleteFunc(slices.Clone(s.Members), func(h int32) bool { return h == receiver })
	}
	if err := checkListed(len(senders)); err != nil {
		return err
	}
	for _, from := range sources {
		if from, ok := from.(*source); ok {
			from.round = &Round{Senders: senders}
		}
	}
	return nil
}

var errNoIncasts = errors.New("look_ahead: the pattern has no incasts of which senders know; use incast or bursts, or remove look_ahead")

func checkListed(n int) error {
	if n > MostListed {
		return problem.New("look_ahead: a list names at most %d senders, but there are %d", MostListed, n).Mend("let fewer take part, or remove look_ahead")
	}
	return nil
}
