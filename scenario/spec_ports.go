package scenario

import (
	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// PortQueue overrides the fabric's queues at some ports.
type PortQueue struct {
	Links   []string                          `yaml:"links" doc:"Ports, by patterns such as tor0->spine*: those that send in the direction of the arrow. NICs have no queues of their own and are skipped."`
	Queue   *QueueLimit                       `yaml:"queue" doc:"Limit of each priority class, as in fabric.queue (default: fabric.queue)."`
	ECN     *catalog.Choice[protocol.Marking] `yaml:"ecn" doc:"When frames are marked, as in fabric.ecn (default: fabric.ecn). Shares are of the port's limit."`
	Headers *unit.Amount                      `yaml:"headers" doc:"Limit of class 0, which holds trimmed headers, as in fabric.trim.queue (default: fabric.trim.queue). With overflow: trim only."`
}
