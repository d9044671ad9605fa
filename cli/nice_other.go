//go:build !unix

package cli

// yieldProcessor does nothing where the standard library cannot ask for it.
func yieldProcessor() {}
