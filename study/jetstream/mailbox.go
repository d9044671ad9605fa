package jetstream

import "sync"

// mailbox accepts notices from any goroutine without blocking. It has one reader.
type mailbox struct {
	mu     sync.Mutex
	texts  []string
	signal chan struct{}
}

func newMailbox() *mailbox { return &mailbox{signal: make(chan struct{}, 1)} }

func (m *mailbox) put(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.texts); n > 0 && m.texts[n-1] == text {
		return
	}
	m.texts = append(m.texts, text)
	select {
	case m.signal <- struct{}{}:
	default:
	}
}

func (m *mailbox) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := m.texts
	m.texts = nil
	return texts
}
