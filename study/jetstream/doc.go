// Package jetstream executes the runs of studies on many machines that share a NATS server
// with JetStream. It can also serve one. Studies on one machine need no server: see package
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
//	weft.event.PROGRAM.STUDY         progress of runs, for anyone who subscribes
//	weft.coordinator.PROGRAM.STUDY   answered by the process that executes the study
//	weft.hello                       answered by workers
//
// Files that tasks need, and results that are too large for a message, are in the object
// store weft-PROGRAM-STUDY.
//
// # Life of a task
//
// The coordinator publishes the task. Each machine has one supervisor, the only process
// there that talks to the server. It pulls the task, hands it to one of its processes over
// a pipe, and reports progress to the server at every third of AckWait. When the attempt
// ends, the supervisor publishes the outcome, and only then acknowledges the task. A
// process that dies also ends its attempt: the supervisor notices at once. Only the
// coordinator decides what follows. It reports the end to the Watcher, or publishes the
// task again, and then acknowledges the outcome. So nothing is ever unowned, and each task
// ends once, whoever is killed:
//
//   - a process: its supervisor reports it;
//   - a supervisor or its machine: the server hands out its tasks again after AckWait;
//     a machine that only slept skips the tasks that it still holds;
//   - the coordinator: the workers continue, and outcomes wait for the next coordinator,
//     which takes them first.
//
// A task may thus run twice in rare cases, but its second outcome is dropped. Message ids
// made from key, execution and attempt keep the server from storing copies.
package jetstream
