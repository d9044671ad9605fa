package scenario

import (
	"weft/unit"
)

// Deflect configures how switches deflect short messages.
type Deflect struct {
	Threshold unit.Bytes `yaml:"threshold" default:"15KB" doc:"Queue above which a message is deflected when its first packet comes: what the port holds in the packet's class and those served before." source:"Dart §VI-A (15 KB, below ECN's 22.5 KB)" max:"4GB"`
	Tokens    int        `yaml:"tokens" default:"4" doc:"How often a packet may be deflected." source:"Dart §IV-A, §VI-A" min:"1" max:"14"`
	Table     int        `yaml:"table" default:"8" doc:"How many deflected messages a switch remembers. Messages of one packet need no room." source:"Dart §IV-A (8)" min:"0" max:"65536"`
	Short     unit.Bytes `yaml:"short" default:"8KB" doc:"Largest message that is deflected." source:"Dart §VI-A (2 to 8 KB)" min:"1B" max:"1GB"`
	Lanes     string     `yaml:"lanes" default:"auto" doc:"Priority classes of deflected frames. 1: that of the transport. 2: that of the transport, and the class before it once a packet has no tokens left. per-token: as many classes before that of the transport as the packet was deflected before its last hop, so that pauses cannot wait for each other in a circle. auto: per-token with fabric.pfc, otherwise 1. With several, messages of later classes than the first of any transport are not deflected." source:"Dart §IV-B (2); per-token: weft" enum:"auto,1,2,per-token"`
	Marks     string     `yaml:"marks" default:"together" introduced:"each" doc:"What fabric.ecn compares where lanes are classes: what all lanes of a port hold together, as if they were one queue, or each of them by itself. Rules of marking that keep a state for each class do so for each lane." source:"Dart §VI-A has one threshold; weft" enum:"together,each"`
	Age       unit.Time  `yaml:"age" default:"10ms" doc:"How long after the last packet of a message a switch forgets it; 0s is never. It matters where a last packet may be lost. A packet that comes later still may overtake others." source:"weft"`
}

// mostLaneTokens is the most tokens for which there are lanes. One class is left for the
// transport and one for acknowledgements.
const mostLaneTokens = mostClasses - 2
