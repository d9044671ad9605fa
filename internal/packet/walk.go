package packet

// The walk is what switches note of a packet's way: in the low four bits its tokens, in the four above them its phase. The
// fabric's phases take three of these.
const (
	tokenBits = 4
	tokenMask = 1<<tokenBits - 1
	phaseMask = besides &^ tokenMask
)

// MostTokens is the most tokens that packets can carry.
const MostTokens = tokenMask - 1

// Walk returns all of what switches noted.
func (p *Packet) Walk() uint8 { return uint8(p.src) }

// HasTokens tells whether a packet was ever given tokens.
func (p *Packet) HasTokens() bool { return p.src&tokenMask != 0 }

// SetTokens says how often switches may deflect a packet.
func (p *Packet) SetTokens(n int) { p.src = p.src&^tokenMask | uint32(n+1) }

// Tokens returns how often switches may still deflect a packet, and whether they ever might.
func (p *Packet) Tokens() (n int, ok bool) {
	n = int(p.src & tokenMask)
	return max(0, n-1), n > 0
}

// Phase returns how far a packet has come on a way with intermediates.
func (p *Packet) Phase() uint8 { return uint8(p.src & phaseMask >> tokenBits) }

// SetPhase says how far it has come.
func (p *Packet) SetPhase(phase uint8) { p.src = p.src&^phaseMask | uint32(phase)<<tokenBits }

// SpendToken notes that a packet was deflected, which has tokens left.
func (p *Packet) SpendToken() { p.src-- }
