package packet

// The walk is what switches note about a packet's route. The low four bits hold its tokens, the
// upper four its phase. The fabric's phases take three of these bits.
const (
	tokenBits = 4
	tokenMask = 1<<tokenBits - 1
	phaseMask = besides &^ tokenMask
)

// MostTokens is the largest number of tokens that a packet can carry.
const MostTokens = tokenMask - 1

// Walk returns the whole walk.
func (p *Packet) Walk() uint8 { return uint8(p.src) }

// HasTokens reports whether a packet was ever given tokens.
func (p *Packet) HasTokens() bool { return p.src&tokenMask != 0 }

// SetTokens sets how often switches may deflect a packet.
func (p *Packet) SetTokens(n int) { p.src = p.src&^tokenMask | uint32(n+1) }

// Tokens returns how often switches may still deflect a packet. ok is false if it was never given
// tokens.
func (p *Packet) Tokens() (n int, ok bool) {
	n = int(p.src & tokenMask)
	return max(0, n-1), n > 0
}

// Phase returns the phase of a packet on a route with intermediate switches.
func (p *Packet) Phase() uint8 { return uint8(p.src & phaseMask >> tokenBits) }

// SetPhase sets the phase.
func (p *Packet) SetPhase(phase uint8) { p.src = p.src&^phaseMask | uint32(phase)<<tokenBits }

// SpendToken notes a deflection. The packet must have tokens left.
func (p *Packet) SpendToken() { p.src-- }
