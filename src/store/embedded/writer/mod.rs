//! The committing thread: it takes queued changes, makes them durable as a group, and answers each. Nothing else makes
//! anything durable, and nothing here answers a query.
//!
//! | file | content |
//! | --- | --- |
//! | `database` | `Database`: what is written, until a write fails |
//! | `upkeep` | what the files need between two groups: cleaning of the log, compaction of facts, moves of blocks |
//! | `rewrite` | the log written anew, and another index in the place of one that failed |
//! | `landing` | `Landing`: those commits, and how they get into the log in slices |
//! | `group` | uploads that are committed together, as rows |
//! | `seal_plan` | planning which rows get into blocks together |
//! | `sealing` | `Sealing`: which hot rows become blocks, and when |
//! | `sealed_rows` | rows that are in blocks already, as a start finds them |
//! | `history` | changes of a sensor's history |
//! | `deletions` | deletions that a start carries out |
//! | `register` | changes of what is registered, and of what is known of uploads |
//! | `queue` | what callers send to the thread, and how it receives that |
//! | `commit` | `Committer`: the thread's work in order |
//! | `thread` | `Writer`: starts, feeds and stops the thread |

pub(crate) mod commit;
pub(crate) mod database;
mod deletions;
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
