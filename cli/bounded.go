package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

// mostThreads is how many threads, and processes, a command takes on one machine: more is a slip
// of the pen, and would take its memory.
const mostThreads = 1024

// boundedInt is a flag with a whole number within bounds.
type boundedInt struct {
	value       *int
	least, most int
}

// threadsVar adds the flag --threads to an analysis; 0 stands for all cores.
func threadsVar(c *cobra.Command, value *int, usage string) {
	boundedVar(c, value, "threads", 0, mostThreads, usage)
}

// boundedVar adds a flag whose default is the least value.
func boundedVar(c *cobra.Command, value *int, name string, least, most int, usage string) {
	*value = least
	c.Flags().Var(&boundedInt{value, least, most}, name, usage)
}

func (b *boundedInt) String() string {
	if b.value == nil {
		return "0"
	}
	return strconv.Itoa(*b.value)
}

func (b *boundedInt) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < b.least || n > b.most {
		return fmt.Errorf("it takes %s", b.wants())
	}
	*b.value = n
	return nil
}

func (b *boundedInt) Type() string { return "int" }

func (b *boundedInt) wants() string {
	return fmt.Sprintf("a whole number from %d to %d", b.least, b.most)
}
