package cli

import (
	"io"

	"weft/explain"
	"weft/scenario"
	"weft/unit"
)

// The JSON of an explanation. Times are integers in picoseconds; those of the
// path and of packets are after the message's start.

type explanationJSON struct {
	Flow     uint64 `json:"flow"`
	Name     string `json:"name"`
	Group    string `json:"group"`
	Src      string `json:"src"`
	Dst      string `json:"dst"`
	Bytes    int64  `json:"bytes"`
	Packets  int64  `json:"packets"`
	Start    int64  `json:"start_ps"`
	Finished bool   `json:"finished"`
	Waits    string `json:"waits,omitempty"`
	FCT      int64  `json:"total_ps"`
	Ideal    int64  `json:"ideal_ps"`
	Bare     int64  `json:"ideal_bare_ps,omitempty"`

	Parts []partJSON `json:"parts"`
	Ports []portJSON `json:"ports"`
	Slow  []slowJSON `json:"slow_links"`

	Sent         int   `json:"sent"`
	Retransmits  int   `json:"retransmits"`
	Again        int64 `json:"retransmits_by_end"`
	Timeouts     int   `json:"timeouts"`
	TrimReports  int   `json:"trim_reports"`
	Marked       int   `json:"marked"`
	WindowClosed int64 `json:"window_closed_ps"`
	Paced        int64 `json:"paced_ps"`
	// Of messages whose receiver grants credit.
	Unscheduled *int   `json:"unscheduled,omitempty"`
	Grants      *int   `json:"grants,omitempty"`
	NoCredit    *int64 `json:"no_credit_ps,omitempty"`
	Acks        int    `json:"path_acks"`
	Credits     int    `json:"path_credits"`
	Losses      int    `json:"path_losses"`
	Unknown     int    `json:"unknown_causes"`

	Steps []stepJSON    `json:"steps"`
	Path  []segmentJSON `json:"path"`
	Sends []packetJSON  `json:"sends,omitempty"`
}

type partJSON struct {
	Part  string  `json:"part"`
	Time  int64   `json:"ps"`
	Share float64 `json:"share"`
}

type portJSON struct {
	Port   string `json:"port"`
	Own    int64  `json:"queue_own_ps"`
	Others int64  `json:"queue_others_ps"`
	// Paused is the time for which PausedBy, the far end of the link, had paused it.
	Paused   int64  `json:"paused_ps,omitempty"`
	PausedBy string `json:"paused_by,omitempty"`

	Frames int `json:"frames"`
}

type slowJSON struct {
	Port string `json:"port"`
	Rate int64  `json:"rate_bps"`
	Host int64  `json:"host_rate_bps"`
	Took int64  `json:"ps"`
}

type stepJSON struct {
	Step   string           `json:"step"`
	Packet uint32           `json:"packet"`
	Own    bool             `json:"own"`
	From   int64            `json:"from_ps"`
	To     int64            `json:"to_ps"`
	Parts  map[string]int64 `json:"parts_ps"`
	// Of a lost copy, unless it was only taken for lost.
	LostAt string `json:"lost_at,omitempty"`
	Why    string `json:"why,omitempty"`
}

type segmentJSON struct {
	Step   int    `json:"step"`
	From   int64  `json:"from_ps"`
	To     int64  `json:"to_ps"`
	Part   string `json:"part"`
	What   string `json:"what"`
	Port   string `json:"port,omitempty"`
	Frame  string `json:"frame"`
	Packet uint32 `json:"packet"`
}

type packetJSON struct {
	Packet  uint32    `json:"packet"`
	Copy    uint32    `json:"copy"`
	Bytes   int64     `json:"frame_bytes"`
	Entropy uint16    `json:"entropy"`
	Layer   *int      `json:"layer,omitempty"`
	Sent    int64     `json:"sent_ps"`
	Arrived *int64    `json:"arrived_ps"`
	Queue   int64     `json:"queueing_ps"`
	Fate    string    `json:"fate"`
	Marked  bool      `json:"marked"`
	Hops    []hopJSON `json:"hops"`
}

type hopJSON struct {
	Port  string `json:"port"`
	Ready int64  `json:"ready_ps"`
	// Begin and Departs are of frames that left the queue.
	Begin   *int64 `json:"begin_ps"`
	Departs *int64 `json:"departs_ps"`
}

func writeExplanationJSON(w io.Writer, x *scenario.Explanation, flags *explainFlags) error {
	f := &x.Flow
	after := func(t unit.Time) int64 { return int64(t - x.Start) }
	out := explanationJSON{
		Flow: f.ID, Name: f.Name(), Group: f.Group, Src: f.Src, Dst: f.Dst, Bytes: int64(f.Bytes), Packets: f.Packets,
		Start: int64(x.Start), Finished: x.Finished, Waits: x.Waits, FCT: int64(x.Total), Ideal: int64(f.Ideal), Bare: int64(f.IdealBare),
		Sent: x.Sent, Retransmits: x.Retransmits, Again: f.Retransmits, Timeouts: x.Timeouts, TrimReports: x.TrimReports, Marked: x.Marked,
		WindowClosed: int64(x.WindowClosed), Paced: int64(x.Paced), Acks: x.Count(explain.RoundTrip), Credits: x.Count(explain.CreditTrip) + x.Count(explain.RequestTrip), Losses: x.Count(explain.LostCopy), Unknown: x.Count(explain.Guess),
		Parts: []partJSON{}, Ports: []portJSON{}, Slow: []slowJSON{}, Steps: []stepJSON{}, Path: []segmentJSON{},
	}
	if x.Credited {
		noCredit := int64(x.NoCredit)
		out.Unscheduled, out.Grants, out.NoCredit = &x.Unscheduled, &x.Grants, &noCredit
	}
	for k, part := range x.Parts {
		out.Parts = append(out.Parts, partJSON{explain.Kind(k).String(), int64(part), share(part, x.Total) / 100})
	}
	for _, p := range x.Ports {
		port := portJSON{Port: x.Port(p.Port), Own: int64(p.Own), Others: int64(p.Others), Paused: int64(p.Paused), Frames: p.Frames}
		if p.Paused > 0 {
			port.PausedBy = pauser(x, p.Port)
		}
		out.Ports = append(out.Ports, port)
	}
	for _, l := range x.Slow {
		out.Slow = append(out.Slow, slowJSON{x.Port(l.Port), int64(l.Rate), int64(l.Host), int64(l.Took)})
	}
	for i := range x.Steps {
		s := &x.Steps[i]
		step := stepJSON{s.Does.String(), s.Packet, !s.Other, after(s.From), after(s.To), map[string]int64{}, x.Port(s.LostPort), s.Why}
		for k, part := range s.Parts {
			if part > 0 {
				step.Parts[explain.Kind(k).String()] = int64(part)
			}
		}
		out.Steps = append(out.Steps, step)
	}
	for _, s := range x.Path {
		out.Path = append(out.Path, segmentJSON{
			s.Step, after(s.From), after(s.To), s.Kind.String(), s.What.String(), x.Port(s.Port), s.Frame.String(), s.Packet,
		})
	}
	if flags.packets {
		for _, frame := range x.Frames {
			if frame.Kind == explain.Data {
				out.Sends = append(out.Sends, sendJSON(x, frame))
			}
		}
	}
	return writeJSON(w, out)
}

func sendJSON(x *scenario.Explanation, f *explain.Frame) packetJSON {
	after := func(t unit.Time) int64 { return int64(t - x.Start) }
	p := packetJSON{
		Packet: f.Packet, Copy: f.Copy, Bytes: int64(f.Size), Entropy: f.Entropy, Sent: after(f.Sent),
		Queue: int64(f.Queueing()), Fate: fate(x, f), Marked: f.Marked,
	}
	if x.Layers > 0 {
		layer := x.Layer(f)
		p.Layer = &layer
	}
	if f.Delivered != explain.Never {
		arrived := after(f.Delivered)
		p.Arrived = &arrived
	}
	for _, h := range f.Hops {
		hop := hopJSON{Port: x.Port(h.Port), Ready: after(h.Ready)}
		if h.Begin != explain.Never {
			begin, departs := after(h.Begin), after(h.Departs)
			hop.Begin, hop.Departs = &begin, &departs
		}
		p.Hops = append(p.Hops, hop)
	}
	return p
}
