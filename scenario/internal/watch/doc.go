// Package watch defines the observers of a run, which look at it from time to time between
// its events. They record time series of ports, connections and credit, snapshots of all
// ports, reactions to an event, and the buffer occupancy of switches. Each Observer owns
// its records. A run calls the observers of a list and knows none of them by name.
// Observers do not change the result of a run.
package watch
