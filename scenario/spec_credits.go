package scenario

import "weft/unit"

// Credits configures the class of credits at each port, which ExpressPass needs.
type Credits struct {
	Credit unit.Bytes `yaml:"credit" default:"84B" doc:"Size of a credit on the wire, with preamble and gap." source:"ExpressPass, SIGCOMM 2017, §3.1" min:"1B" max:"65535B"`
	Data   unit.Bytes `yaml:"data" default:"1538B" doc:"Largest frame on the wire that a credit triggers: credits get the share credit/(credit+data) of a link." source:"ExpressPass, SIGCOMM 2017, §3.1" min:"1B" max:"65535B"`
	Queue  unit.Bytes `yaml:"queue" default:"672B" doc:"Credits that may wait at a port, besides the one in service; more are dropped." source:"ExpressPass, SIGCOMM 2017, §3.1 (8 credits)" min:"1B"`
	Burst  unit.Bytes `yaml:"burst" default:"168B" doc:"Depth of the token bucket that limits credits." source:"ns2-xpass (2 credits)" min:"1B"`
}
