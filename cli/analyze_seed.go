package cli

import (
	"fmt"
	"reflect"

	"weft/catalog"
)

// raiseSeed adds to the seed among the options of a topology.
func raiseSeed(options any, more uint64) error {
	v := reflect.ValueOf(options).Elem()
	fields, err := catalog.Fields(v.Type())
	if err != nil {
		return err
	}
	for _, f := range fields {
		seed := v.FieldByIndex(f.Index)
		if f.Name != "seed" {
			continue
		}
		if seed.Kind() != reflect.Uint64 {
			return fmt.Errorf("the seed of this topology is a %v; several graphs need a whole number", seed.Type())
		}
		seed.SetUint(seed.Uint() + more)
	}
	return nil
}
