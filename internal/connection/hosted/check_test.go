package hosted

import (
	"strings"
	"testing"

	"weft/protocol/dart"
)

// TestCheckAdvertise: endpoints refuse to advise senders, since nobody lists any to them.
func TestCheckAdvertise(t *testing.T) {
	for _, advertise := range []bool{false, true} {
		d, err := dart.Entries()[0].Defaults()
		if err != nil {
			t.Fatal(err)
		}
		o := d.(*dart.Options)
		o.Fallback, o.Advertise = "none", &advertise
		c, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		err = CheckControl(&c)
		if advertise && (err == nil || !strings.Contains(err.Error(), "endpoints send no lists")) {
			t.Errorf("with advertise it is refused with %v", err)
		}
		if !advertise && err != nil {
			t.Errorf("without advertise it is refused: %v", err)
		}
	}
}
