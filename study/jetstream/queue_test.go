package jetstream

import (
	"context"
	"net/http"
	"testing"

	js "github.com/nats-io/nats.go/jetstream"
)

// TestPatiently asks again while a server removes what has the same name, and not what it refuses.
func TestPatiently(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want int
	}{
		{"removing", &js.APIError{ErrorCode: js.JSErrCodeConsumerCreate, Code: http.StatusInternalServerError}, 2},
		{"refused", &js.APIError{ErrorCode: js.JSErrCodeConsumerCreate, Code: http.StatusBadRequest}, 1},
		{"done", nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			err := patiently(t.Context(), func(context.Context) error {
				if asked++; asked == 2 {
					return nil
				}
				return c.err
			})
			if asked != c.want || (err == nil) != (c.want == 2 || c.err == nil) {
				t.Errorf("asked %d times, %v; want %d", asked, err, c.want)
			}
		})
	}
}
