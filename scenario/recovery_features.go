package scenario

import "weft/protocol"

// recoveryFeature is loss recovery from gaps between packets. loss_recovery.go resolves its
// options.
var recoveryFeature = feature{
	name: "transport.recovery: go-back-n, irn, sack",
	conflicts: []conflict{
		{
			with: "fabric.overflow: trim", at: ".recovery", due: []string{"fabric.overflow"},
			why:  "{recovery} finds losses out by gaps between packets, but with fabric.overflow: trim switches report them",
			ways: []way{{"write recovery: selective", 0}, {"write overflow: drop", protocol.Trimming}},
			sent: func(f *Fabric, c *carrier, _ []carrier) bool { return c.byGaps() && f.Overflow == trimming },
		},
		{
			with: "a control whose receivers grant credit (eqds, ndp)", at: ".recovery",
			why:    "{control} lets receivers send credit for what was lost, as recovery: selective does",
			remedy: "write that, or choose a control with a window, such as dcqcn",
			sent:   func(_ *Fabric, c *carrier, _ []carrier) bool { return c.byGaps() && c.congestion.NewReceiver != nil },
		},
		{
			with: "transport.rto, or transport.timer: connection, for irn", at: ".recovery",
			why: "irn has timeouts of its own, rto_low and rto_high", remedy: "leave transport.rto and transport.timer out",
			sent: func(_ *Fabric, c *carrier, _ []carrier) bool {
				return c.byGaps() && c.t.Recovery.kind() == irn && (c.t.RTO != nil || c.t.Timer == perConnection)
			},
		},
	},
}

// resendFeature sends retransmissions in a class of their own.
var resendFeature = feature{
	name: "transport.recovery.class",
	conflicts: []conflict{
		{
			with: "fabric.pfc in that class", at: ".recovery.class", due: []string{"fabric.pfc"},
			why:    "the class of retransmissions is lossless (fabric.pfc), and hosts cannot pause retransmissions alone",
			remedy: "leave class out of recovery, or out of fabric.pfc.classes",
			sent: func(f *Fabric, c *carrier, _ []carrier) bool {
				return c.resends() && f.PFC != nil && f.PFC.lossless(f.Classes)>>*c.t.Recovery.Class&1 != 0
			},
		},
		{
			with: controllerFeature.name, at: ".recovery.class",
			why:    "switches compute the rates of {control} for the queues of one class",
			remedy: "leave class out of recovery, or choose another control, such as dcqcn",
			sent:   func(_ *Fabric, c *carrier, _ []carrier) bool { return c.resends() && c.congestion.Controller.On() },
		},
	},
}

// byGaps reports whether a transport takes a packet for lost once later ones have arrived.
func (c *carrier) byGaps() bool {
	kind := c.t.Recovery.kind()
	return kind != selective && kind != byOrder && c.congestion.NewHost == nil
}

// resends reports whether a transport retransmits in another class.
func (c *carrier) resends() bool { return c.t.Recovery.Class != nil && c.congestion.NewHost == nil }
