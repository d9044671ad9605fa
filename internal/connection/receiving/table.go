package receiving

// complete marks a table entry whose message has arrived in full.
const complete int32 = -1

// table is a hash table of messages by sender and message number. Senders reuse numbers, so the
// table grows only with the number of messages under way. The serial in an entry distinguishes
// late copies of the number's last message from a new message.
type table struct {
	entries []entry
	used    int
}

type entry struct {
	src     int32 // plus 1; 0 marks an empty entry
	message uint32
	serial  uint32
	inbound int32
}

// at returns the entry of a message, created if needed, and whether it existed. The pointer is
// valid until the next call.
func (t *table) at(src int32, message uint32) (en *entry, known bool) {
	if 2*t.used >= len(t.entries) {
		t.grow()
	}
	en = t.place(src+1, message)
	if en.src != 0 {
		return en, true
	}
	en.src, en.message = src+1, message
	t.used++
	return en, false
}

// find returns the entry of a message, or nil.
func (t *table) find(src int32, message uint32) *entry {
	if len(t.entries) == 0 {
		return nil
	}
	if en := t.place(src+1, message); en.src != 0 {
		return en
	}
	return nil
}

// place returns the entry for a key, or the empty entry where it belongs.
func (t *table) place(src int32, message uint32) *entry {
	mask := uint32(len(t.entries) - 1)
	i := (message + uint32(src)*0x85ebca6b) * 0x9e3779b1 >> 9 & mask
	for {
		en := &t.entries[i]
		if en.src == 0 || en.message == message && en.src == src {
			return en
		}
		i = (i + 1) & mask
	}
}

func (t *table) grow() {
	old := t.entries
	t.entries = make([]entry, max(tableStart, 2*len(old)))
	for _, en := range old {
		if en.src != 0 {
			*t.place(en.src, en.message) = en
		}
	}
}
