//go:build !unix

package workers

import "os"

func signalOf(*os.ProcessState) int { return 0 }
