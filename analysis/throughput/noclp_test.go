//go:build !clp

package throughput

// clpDemanded is set by the build tag clp.
const clpDemanded = false
