package record

// hold does nothing and never gets the lock: Windows cannot lock folders, nor move one that is
// open. So leftovers stay.
func hold(string) (release func(), held bool) { return func() {}, false }

// lives always returns true, because processes cannot be checked here.
func lives(int) bool { return true }
