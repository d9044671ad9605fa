//go:build clp

package throughput

// clpDemanded makes tests that compare with CLP fail where it is missing.
const clpDemanded = true
