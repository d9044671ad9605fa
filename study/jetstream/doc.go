// Package jetstream executes the runs of studies on many machines, through a NATS server with
// JetStream that they share, and serves one. Studies on one machine need no server: see package
// local.
//
//	coordinator (study run)          NATS JetStream              machine with workers
//	                                                             supervisor ⇄ process
//	tasks ──────────────────► WEFT_TASKS ──────────────────────►     │      ⇄ process
//	   ▲                        (work queue)                         │      ⇄ …
//	   └─ Ended ◄──────────── WEFT_OUTCOMES ◄────────────────────────┤
//	      Began, Progressed ◄─── weft.event.… (not stored) ◄─────────┘
//
// # Subjects
//
//	weft.task.PROGRAM.STUDY.KEY      a task; consumer workers-PROGRAM, shared by its workers
//	weft.outcome.PROGRAM.STUDY.KEY   the end of an attempt; consumer study-PROGRAM-STUDY
//	weft.event.PROGRAM.STUDY         what runs, for whoever listens
//	weft.coordinator.PROGRAM.STUDY   who executes the study
//	weft.hello                       which workers are there
//
// Files that tasks need, and results that are too large for a message, are in the
// object store weft-PROGRAM-STUDY.
//
// # Life of a task
//
// The coordinator publishes it. A supervisor, which alone talks to the server for
// its machine, pulls it, hands it to one of its processes over a pipe, and tells the
// server at a third of AckWait that it is in good hands. When the attempt has ended,
// whichever way, the supervisor publishes the outcome and only then acknowledges the
// task. A process that died is such an end: the supervisor sees it at once. What to
// do next is the coordinator's to say alone: it reports the end to the Watcher, or
// publishes the task again, and then acknowledges the outcome. So nothing is
// ever unowned, and whoever is killed, each task ends once:
//
//   - a process: its supervisor reports it;
//   - a supervisor or its machine: the server hands out its tasks again after AckWait;
//     a machine that only slept passes over those that it has itself;
//   - the coordinator: the workers go on, and outcomes wait for the next one, which takes
//     them first.
//
// A task may thus be run twice, if rarely, but its second outcome is dropped. Message
// ids of key, execution and attempt keep the server from storing copies.
package jetstream
