package workload

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"weft/catalog"
	"weft/internal/portable"
	"weft/problem"
	"weft/unit"
)

// Arrival determines when senders start messages.
type Arrival interface {
	// Messages returns how many messages a sender with the given fan starts, or false if it
	// continues to the end of the run.
	Messages(fan int) (n int64, ok bool)
	// Process makes the arrival process of one sender.
	Process(s Sender) (Process, error)
}

// Sender describes a host to its arrival process.
type Sender struct {
	// Start is when the first message may start.
	Start unit.Time
	// Fan is how many destinations the host cycles through, at least 1.
	Fan int
	// MeanSize is the expected size of a message in bytes.
	MeanSize float64
	// LineRate is the rate of the host's link, 0 if unknown.
	LineRate unit.Rate
	// Rand is the initial state of the host's random stream for arrivals.
	Rand rand.PCG
}

// Process yields the start times of one sender's messages. It allocates nothing after its
// creation.
type Process interface {
	// Next returns when the next message starts, never before the previous one, or false if there
	// is none now.
	Next() (unit.Time, bool)
	// Completed reports that one of the messages was completed at time now.
	Completed(now unit.Time)
}

// Arrivals returns the arrival processes that a scenario can name.
func Arrivals() []catalog.Entry[Arrival] {
	return []catalog.Entry[Arrival]{
		catalog.Define("once",
			"every sender starts its messages together, at the start",
			"ARCANE §4.2 (synthetic benchmarks)", checked[Once]),
		catalog.Define("closed",
			"every sender keeps messages in flight; the next starts when one completes",
			"closed loop: Schroeder et al., NSDI 2006, §2", checked[Closed]),
		catalog.Define("poisson",
			"messages start at random times at a mean load or rate, whether or not earlier ones completed",
			"open loop: Schroeder et al., NSDI 2006, §2; pFabric, SIGCOMM 2013, §5", checked[Poisson]).Alias("open-loop"),
	}
}

// checked validates an arrival's options.
func checked[A interface {
	Arrival
	check() error
}](options A) (Arrival, error) {
	return options, options.check()
}

// maxCount limits the messages of a sender, so that sums do not overflow.
const maxCount = 1_000_000_000_000

func checkCount(count *int) error {
	if count != nil && (*count < 1 || *count > maxCount) {
		return problem.At("count", "count is %d", *count).Mend("it must be from 1 to %d", maxCount)
	}
	return nil
}

// Once starts all messages together.
type Once struct {
	Count int `yaml:"count" default:"1" doc:"Messages from a sender to each of its destinations." min:"1"`
}

func (o Once) check() error { return prefix("once", checkCount(&o.Count)) }

// Messages implements Arrival.
func (o Once) Messages(fan int) (int64, bool) { return int64(o.Count) * int64(fan), true }

// Process implements Arrival.
func (o Once) Process(s Sender) (Process, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	n, _ := o.Messages(s.Fan)
	return &burst{at: s.Start, left: n}, nil
}

// burst starts messages at one time.
type burst struct {
	at   unit.Time
	left int64
}

func (p *burst) Next() (unit.Time, bool) {
	if p.left == 0 {
		return 0, false
	}
	p.left--
	return p.at, true
}

func (p *burst) Completed(unit.Time) {}

// Closed keeps a number of messages of every sender in flight.
type Closed struct {
	Outstanding int       `yaml:"outstanding" default:"1" doc:"Messages that a sender has in flight at a time." min:"1" max:"65536"`
	Count       *int      `yaml:"count" doc:"Messages from a sender to each of its destinations (default: as many as fit into the run)." min:"1"`
	Think       unit.Time `yaml:"think" default:"0ns" doc:"Time from the completion of a message to the start of the next."`
	Together    *bool     `yaml:"together" doc:"Whether the next messages start together, once all that a sender has in flight completed: bursts, with think between them (default: no)." source:"Dart §V-A"`
}

func (o Closed) check() error {
	const most = 65536
	switch {
	case o.Outstanding < 1 || o.Outstanding > most:
		return problem.At("outstanding", "closed: outstanding is %d", o.Outstanding).Mend("it must be from 1 to %d", most)
	case o.Think < 0:
		return problem.At("think", "closed: think is %v", o.Think).Mend("it cannot be negative")
	}
	return prefix("closed", checkCount(o.Count))
}

// Messages implements Arrival.
func (o Closed) Messages(fan int) (int64, bool) { return counted(o.Count, fan) }

func counted(count *int, fan int) (int64, bool) {
	if count == nil {
		return math.MaxInt64, false
	}
	return int64(*count) * int64(fan), true
}

// Process implements Arrival.
func (o Closed) Process(s Sender) (Process, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	n, _ := o.Messages(s.Fan)
	p := &loop{left: n, think: o.Think, ready: make([]unit.Time, o.Outstanding), waiting: int32(o.Outstanding), step: 1}
	if o.Together != nil && *o.Together {
		p.step = p.waiting
	}
	for i := range p.ready {
		p.ready[i] = s.Start
	}
	return p, nil
}

// loop starts a message for each completed one.
type loop struct {
	left  int64
	think unit.Time
	// ready is a ring of due start times, from head on.
	ready         []unit.Time
	head, waiting int32
	// done counts completions since messages last became due. They become due when done reaches
	// step.
	done, step int32
}

func (p *loop) Next() (unit.Time, bool) {
	if p.left == 0 || p.waiting == 0 {
		return 0, false
	}
	at := p.ready[p.head]
	p.head = (p.head + 1) % int32(len(p.ready))
	p.waiting--
	p.left--
	return at, true
}

func (p *loop) Completed(now unit.Time) {
	if int(p.waiting+p.done) == len(p.ready) {
		return // nothing was in flight
	}
	if p.done++; p.done < p.step {
		return
	}
	for ; p.done > 0; p.done-- {
		p.ready[(p.head+p.waiting)%int32(len(p.ready))] = sum(now, p.think)
		p.waiting++
	}
}

// sum returns t + d, or Forever if that overflows.
func sum(t, d unit.Time) unit.Time {
	if d > unit.Forever-t {
		return unit.Forever
	}
	return t + d
}

// Poisson starts messages at exponentially distributed intervals.
type Poisson struct {
	Load  *unit.Ratio `yaml:"load" doc:"Mean payload that each sender offers, as a share of the rate of its own link, or of what of says; headers come on top. This or rate." max:"200%"`
	Of    LoadOf      `yaml:"of" default:"hosts" enum:"hosts,uplinks,core,tightest" doc:"What load is a share of. hosts: the rate of the sender's own link. uplinks, core: what all links of the first tier above hosts, or of the innermost, can carry; between groups of a Dragonfly, core is the links between groups. tightest: the busiest link of all. Links carry what this group brings them on its routes, split equally at each switch; weft validate shows it." source:"Dally and Towles 2004, §3.1 (load of channels)"`
	Rate  *float64    `yaml:"rate" doc:"Messages per second that each sender starts on average, whatever their sizes and its link; instead of load." source:"FatPaths §VII-A4 (λ, 200 to 300)" min:"0.000001" max:"1e12"`
	Count *int        `yaml:"count" doc:"Messages from a sender to each of its destinations (default: as many as fit into the run)." min:"1"`
}

func (o Poisson) check() error {
	switch r := o.Rate; {
	case r != nil && !o.Of.ofHosts():
		return problem.At("of", "poisson: of: %s says what load is a share of", o.Of).Mend("give load (as in 60%%) instead of rate, or remove of")
	case (r == nil) == (o.Load == nil):
		return errors.New("poisson: give either load (as in 60%) or rate (messages per second of each sender, as in 300), to set how often they start")
	case r != nil && !(*r >= leastRate && *r <= mostRate):
		return problem.At("rate", "poisson: rate is %v", *r).Mend("it must be from %v to %v messages per second of each sender, as in 300", leastRate, mostRate)
	case r != nil:
		return prefix("poisson", checkCount(o.Count))
	}
	if !(*o.Load > 0 && *o.Load <= mostLoad) {
		return problem.At("load", "poisson: load is %v", *o.Load).Mend("it must be above 0 and at most %v of the sender's link, as in 60%%", unit.Ratio(mostLoad))
	}
	return prefix("poisson", checkCount(o.Count))
}

// Bounds of Poisson.Rate: from one message in 12 days to one per picosecond.
const (
	leastRate = 1e-6
	mostRate  = 1e12
)

// Offers returns the mean payload rate of a sender as a share of its link's rate.
func (o Poisson) Offers(meanSize float64, line unit.Rate) float64 {
	if o.Rate != nil {
		return float64(*o.Rate*meanSize) * 8 / float64(line)
	}
	return float64(*o.Load)
}

// Messages implements Arrival.
func (o Poisson) Messages(fan int) (int64, bool) { return counted(o.Count, fan) }

// Process implements Arrival.
func (o Poisson) Process(s Sender) (Process, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if !o.Of.ofHosts() {
		return nil, problem.New("poisson: what a load of %s means for hosts depends on the network", o.Of).Mend("use Traffic.Scaled")
	}
	n, _ := o.Messages(s.Fan)
	p := &renewal{last: s.Start, left: n, rand: s.Rand}
	switch {
	case o.Rate != nil:
		p.mean = float64(unit.Second) / *o.Rate
	case s.LineRate <= 0:
		return nil, errors.New("poisson: the rate of the sender's link is not known, so a load has no meaning; give rate, in messages per second")
	default:
		bitTimes := float64(s.MeanSize * 8 * float64(unit.Second))
		p.mean = bitTimes / float64(float64(*o.Load)*float64(s.LineRate))
	}
	return p, nil
}

// renewal starts messages at independent, exponentially distributed intervals.
type renewal struct {
	last unit.Time
	mean float64 // mean interval in picoseconds
	left int64
	rand rand.PCG
}

func (p *renewal) Next() (unit.Time, bool) {
	if p.left == 0 {
		return 0, false
	}
	p.left--
	gap := math.Round(-p.mean * portable.Log(portable.Uniform(&p.rand)))
	if gap >= float64(unit.Forever-p.last) {
		p.left = 0
		return 0, false
	}
	p.last += unit.Time(gap)
	return p.last, true
}

func (p *renewal) Completed(unit.Time) {}

func prefix(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
