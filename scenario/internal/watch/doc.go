// Package watch has what looks at a run at times, between its events: series of ports, of connections and of credit, snapshots of all
// ports, reactions to a moment, the buffering of switches. Each is an Observer and owns what it notes. A run walks a list of them,
// and knows none by name. They change nothing of a result.
package watch
