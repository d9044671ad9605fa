package sird

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// tenancy is a receiver that grants to tenants, of which tenant k has host k+1 and, as its
// group, k. Data comes back as soon as it is granted.
type tenancy struct {
	*bare
	t       *testing.T
	n       int // credits so far
	numbers [3]uint32
	sizes   [3]unit.Bytes
	sent    [3]unit.Bytes
	// stuck are tenants whose data does not come back.
	stuck [3]bool
}

func newTenancy(t *testing.T, weights ...int) *tenancy {
	o := testOptions()
	o.Policy, o.Weights, o.Confirm = "classes", weights, false
	return &tenancy{bare: newBare(o), t: t}
}

// announce lets a message of so many packets of a tenant arrive, which has no other.
func (y *tenancy) announce(tenant int, packets unit.Bytes) {
	y.numbers[tenant], y.sizes[tenant], y.sent[tenant] = y.numbers[tenant]+1, packets*mss, 0
	y.Receive(slow(y.n), &protocol.Packet{
		Peer: int32(tenant + 1), Group: uint8(tenant), Kind: kindRequest, Message: y.numbers[tenant] - 1, Size: packets * mss, Wire: 84,
	})
}

// grants lets so many credits go, and counts them by tenant.
func (y *tenancy) grants(credits int) (count [3]int) {
	y.t.Helper()
	for range credits {
		k := y.next(y.t, slow(y.n), kindCredit).Peer - 1
		count[k]++
		if !y.stuck[k] {
			y.returnAll(k, 1)
		}
		y.n++
	}
	return count
}

// returnAll lets so many packets of a tenant come.
func (y *tenancy) returnAll(tenant int32, packets int) {
	for range packets {
		y.Receive(slow(y.n), data(tenant+1, y.numbers[tenant]-1, y.sizes[tenant], y.sent[tenant]))
		y.sent[tenant] += mss
	}
	if err := y.Check(); err != nil {
		y.t.Fatal(err)
	}
}

// share fails unless the next credits are divided as wanted, give or take one.
func (y *tenancy) share(name string, want [3]int) {
	y.t.Helper()
	got := y.grants(want[0] + want[1] + want[2])
	for k := range want {
		if got[k] < want[k]-1 || got[k] > want[k]+1 {
			y.t.Errorf("%s: the next credits are divided %v, want %v", name, got, want)
			return
		}
	}
}

// TestTenantsShare has three tenants with weights.
func TestTenantsShare(t *testing.T) {
	y := newTenancy(t, 1, 2, 5)
	for k := range 3 {
		y.announce(k, 10000)
	}
	for range 10 {
		y.share("three tenants", [3]int{1, 2, 5})
	}
	y.share("three tenants", [3]int{100, 200, 500})
}

// TestTenantsOnNetwork has a tenant with one long message and one with many short ones, from
// two hosts.
func TestTenantsOnNetwork(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset, o.UnschT, o.Policy, o.Weights = preset, unit.Threshold{}, "classes", []int{3, 1}
		n := newNet(t, o, 3, testEnv(3))
		var bytes [2]unit.Bytes
		n.Arrived = func(_ int32, p *protocol.Packet) {
			if p.Kind == kindData {
				bytes[p.Group] += p.Wire
			}
		}
		n.Send(1, 0, 10*unit.MB, 0)
		for range 200 {
			n.Send(2, 0, 5*unit.KB, 1)
		}
		n.Run(100 * unit.Microsecond)
		if share := float64(bytes[0]) / float64(bytes[0]+bytes[1]); share < 0.74 || share > 0.76 {
			t.Errorf("%s: the tenant with three quarters of the weight had %.3f of the bytes", preset, share)
		}
	}
}

// TestTenantAlone lets a tenant be granted much while it is alone, then another one begin
// after it is done, and then the first come back: they share at once, though they were
// granted so unequally before. Who is first and what the weights are makes no difference.
func TestTenantAlone(t *testing.T) {
	for _, tt := range []struct {
		weights []int
		first   int
		later   unit.Bytes // credits that the other one has before the first comes back
		want    [3]int
	}{
		{[]int{1, 1}, 0, 10, [3]int{4, 4}},
		{[]int{1, 1}, 1, 0, [3]int{4, 4}},
		{[]int{3, 1}, 0, 10, [3]int{6, 2}},
		{[]int{3, 1}, 1, 10, [3]int{6, 2}},
		{[]int{3, 1}, 0, 0, [3]int{6, 2}},
		{[]int{1, 1}, 0, 2000, [3]int{4, 4}},
	} {
		y := newTenancy(t, tt.weights...)
		y.announce(tt.first, 1000)
		y.grants(1000)
		if len(y.wanting) > 0 {
			t.Fatalf("%d messages want credit, want none", len(y.wanting))
		}
		y.announce(1-tt.first, 10000)
		y.grants(int(tt.later))
		y.announce(tt.first, 10000)
		y.share("after one was alone", tt.want)
		y.share("long after one was alone", [3]int{10 * tt.want[0], 10 * tt.want[1]})
	}
}

// TestTenantEnters lets a tenant that was granted nothing begin while another one is
// granted to: it shares at once, and takes no more than its part for what it did not have.
func TestTenantEnters(t *testing.T) {
	y := newTenancy(t, 1, 1, 2)
	y.announce(0, 10000)
	y.grants(1000)
	y.announce(1, 10000)
	y.share("after another one began", [3]int{4, 4})
	y.grants(1000)
	y.announce(2, 10000)
	y.share("after a third one began", [3]int{2, 2, 4})
}

// TestTenantBlocked lets a tenant's buckets be full for long: when credit comes back it
// shares with the other tenant, and with one that began meanwhile, as if nothing had been.
func TestTenantBlocked(t *testing.T) {
	y := newTenancy(t, 1, 1, 1)
	y.announce(0, 10000)
	y.stuck[0] = true
	y.grants(65) // a bucket of 100 kB
	y.announce(1, 10000)
	if got := y.grants(1000); got[0] > 0 {
		t.Fatalf("the bucket lets %d credits go, want none", got[0])
	}
	y.announce(2, 10000)
	y.share("while one is blocked", [3]int{0, 4, 4})
	y.returnAll(0, 65)
	y.stuck[0] = false
	y.share("after credit came back", [3]int{3, 3, 3})
}
