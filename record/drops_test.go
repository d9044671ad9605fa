package record

import (
	"reflect"
	"strings"
	"testing"
)

// Each field of Drops is a reason, in its order, with its key and its column.
func TestReasons(t *testing.T) {
	var d Drops
	v := reflect.ValueOf(&d).Elem()
	if v.NumField() != len(reasons) {
		t.Fatalf("%d fields, but %d reasons", v.NumField(), len(reasons))
	}
	for i := range reasons {
		r, f := &reasons[i], v.Type().Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key != r.key || f.Tag.Get("parquet") != r.column() {
			t.Errorf("%s has the key %s and the column %s, but its reason %s and %s", f.Name, key, f.Tag.Get("parquet"), r.key, r.column())
		}
		v.Field(i).SetInt(int64(1) << i)
		if n := d.Dropped(r.key); n != 1<<i {
			t.Errorf("%s: %d frames, want %d", f.Name, n, 1<<i)
		}
	}
	sum := d
	sum.add(&d)
	if want := int64(0xff &^ (1 << 5)); d.Total() != want || sum.Total() != 2*want {
		t.Errorf("%d in all, and twice that %d, want %d", d.Total(), sum.Total(), want)
	}
}
