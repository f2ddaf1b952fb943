//! The committing thread: it takes queued changes, makes them durable as a group, and answers each. Nothing else makes
//! anything durable, and nothing here answers a query.
//!
//! | file | content |
//! | --- | --- |
//! | `database` | `Database`: what is written to sled and to the volumes, until a write fails |
//! | `commit_record` | a commit as the journal has it |
//! | `journal` | the file of commits that the database does not have yet |
//! | `landing` | `Landing`: those commits, and how they get into the database in slices |
//! | `group` | uploads that are committed together, as rows |
//! | `seal_plan` | planning which rows get into blocks together |
//! | `sealing` | `Sealing`: which hot rows become blocks, and when |
//! | `history` | changes of a sensor's history |
//! | `register` | changes of what is registered, and of what is known of uploads |
//! | `queue` | what callers send to the thread, and how it receives that |
//! | `commit` | `Committer`: the thread's work in order |
//! | `thread` | `Writer`: starts, feeds and stops the thread |

pub(crate) mod commit;
pub(crate) mod commit_record;
pub(crate) mod database;
pub(crate) mod group;
mod history;
pub(crate) mod journal;
pub(crate) mod landing;
pub(crate) mod queue;
pub(crate) mod register;
pub(crate) mod seal_plan;
pub(crate) mod sealing;
pub(crate) mod thread;

pub(crate) use self::database::Database;
pub(crate) use self::queue::{Concern, Task};
pub(crate) use self::sealing::Sealing;
pub(crate) use self::thread::Writer;
