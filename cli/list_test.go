package cli

import (
	"reflect"
	"slices"
	"testing"

	"weft/catalog"
	"weft/scenario"
)

// TestRoutingPoliciesAreListed holds the list to the words that files can say.
func TestRoutingPoliciesAreListed(t *testing.T) {
	var words []string
	for _, param := range catalog.Params(reflect.TypeFor[scenario.Routing]()) {
		if param.Name == routingPolicy {
			words = param.Enum
		}
	}
	if names := routingPolicies().Names(); len(words) == 0 || !slices.Equal(names, words) {
		t.Errorf("listed are %v, and files can say %v", names, words)
	}
	for _, word := range words {
		if p := policies[word]; p.summary == "" || p.source == "" || p.keeps == "" {
			t.Errorf("the list does not have all about %s", word)
		}
	}
	if len(policies) != len(words) {
		t.Errorf("%d policies are described, and files can say %d", len(policies), len(words))
	}
}
