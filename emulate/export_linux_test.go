package emulate

// Measured is how long ForwardsOnce measures what the emulator is compared with.
const Measured = measured

// ForwardsOnce is Forwards of packets of an MTU, measured once.
func ForwardsOnce(space *Space, mtu int) (perSecond float64, err error) {
	return forwards(space, mtu, 1)
}
