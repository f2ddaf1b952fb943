//! The committing thread: it takes queued changes, makes them durable as a group, and answers each.
//! Only this thread makes changes durable, and it answers no queries.
//!
//! | file | content |
//! | --- | --- |
//! | `database` | `Database`: the files, until a write fails |
//! | `fact_changes` | changes of facts, and the work on their files |
//! | `upkeep` | maintenance between two groups: cleaning of the log, compaction of facts, moves of blocks |
//! | `rewrite` | rewrites a damaged log, and replaces a failed index |
//! | `landing` | `Landing`: commits on their way from the journal into the log, in slices |
//! | `group` | uploads that are committed together, as rows |
//! | `seal_plan` | plans which rows go into blocks together |
//! | `sealing` | `Sealing`: which hot rows become blocks, and when |
//! | `sealed_rows` | rows that a start finds in blocks already |
//! | `history` | changes of a sensor's history |
//! | `deletions` | notes of deletions, and deletions that a start completes |
//! | `register` | changes of the registry, and of activities |
//! | `queue` | the queue of tasks, and how the thread receives them |
//! | `commit` | `Committer`: the thread's work in order |
//! | `thread` | `Writer`: starts, feeds and stops the thread |

pub(crate) mod commit;
pub(crate) mod database;
mod deletions;
mod fact_changes;
pub(crate) mod group;
mod history;
pub(crate) mod landing;
pub(crate) mod queue;
pub(crate) mod register;
mod rewrite;
pub(crate) mod seal_plan;
mod sealed_rows;
pub(crate) mod sealing;
pub(crate) mod thread;
mod upkeep;

pub(crate) use self::database::Database;
pub(crate) use self::queue::{Concern, Task};
pub(crate) use self::sealing::Sealing;
pub(crate) use self::thread::Writer;
