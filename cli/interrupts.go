package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// interrupts decide what the first interrupt does. Most commands leave nothing that is half
// done, so that it ends them at once, whatever they are at. One that has something
// to bring to an end holds the interrupt, and watches its context.
type interrupts struct {
	mu       sync.Mutex
	holds    int
	cleanups []*func()
	// ctx is what an interrupt ends.
	ctx context.Context
}

// hold makes an interrupt end the context alone, until the returned function is called. If
// one came before, the command ends by itself, and keeps the hold.
func (i *interrupts) hold() (release func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.holds++
	return sync.OnceFunc(func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.ctx == nil || i.ctx.Err() == nil {
			i.holds--
		}
	})
}

// atEnd returns a function that does what it is given, such as removing a temporary folder.
// An interrupt that ends the program does it, too.
func (i *interrupts) atEnd(do func()) (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cleanups = append(i.cleanups, &do)
	return sync.OnceFunc(func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.cleanups = slices.DeleteFunc(i.cleanups, func(f *func()) bool { return f == &do })
		do()
	})
}

// interrupt ends the program by exit, unless somebody holds.
func (i *interrupts) interrupt(exit func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.holds > 0 {
		return
	}
	for _, do := range i.cleanups {
		(*do)()
	}
	exit()
}

// interruptible returns a context that the first interrupt ends. Programs are
// ended by the second one.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// endBy lets the end of a context end the program, unless a command holds it; until the
// returned function is called.
func (p *program) endBy(ctx context.Context) (stop func() bool) {
	p.interrupts.ctx = ctx
	return context.AfterFunc(ctx, func() {
		p.interrupts.interrupt(func() {
			if isTerminal(p.stderr) {
				control(p.stderr, clearLine) // of progress
			}
			os.Exit(p.interrupted(nil))
		})
	})
}
