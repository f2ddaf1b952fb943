//! The log: to stderr, and the last error kept in memory for the pages.

use std::env;
use std::io::{self, IsTerminal as _, Write};
use std::time::Instant;

use log::{Level, LevelFilter, Record};
use rustix::fs::{FileType, fstat};

use super::line_limit::{LineLimit, line_of};
use crate::domain::Timestamp;
use crate::last_error;
use crate::server::system_clock;

/// Starts logging to stderr: at one level, or by a filter in the form of `RUST_LOG`.
pub(super) fn start_log(level: &str) {
    let mut builder = env_logger::Builder::new();
    builder.parse_filters(level);
    if is_read_by_journal() {
        builder.format(write_to_journal);
    }
    let logger = builder.build();
    let most = logger.filter();
    // A second call in one process, as in tests, has no effect.
    if log::set_boxed_logger(Box::new(KeepingLog {
        log: logger,
        keep: last_error::keep,
        limit: LineLimit::default(),
        started: Instant::now(),
    }))
    .is_ok()
    {
        // Errors pass even with `off`, because `KeepingLog` keeps the last one for the status page.
        log::set_max_level(most.max(LevelFilter::Error));
    }
}

/// The prefix of a line that journald reads as an error.
pub(super) const ERROR_PRIORITY: &str = "<3>";

/// Whether journald reads stderr. With a terminal or a file, the variable may be inherited from the
/// process that started the shell.
pub(super) fn is_read_by_journal() -> bool {
    let is_file = || {
        let found = fstat(io::stderr()).map(|found| FileType::from_raw_mode(found.st_mode));
        found == Ok(FileType::RegularFile)
    };
    env::var_os("JOURNAL_STREAM").is_some() && !io::stderr().is_terminal() && !is_file()
}

/// Writes a record with its priority in each line, as described in sd-daemon(3), and without the
/// time, which the journal adds.
fn write_to_journal(out: &mut impl Write, record: &Record<'_>) -> io::Result<()> {
    let priority = match record.level() {
        Level::Error => ERROR_PRIORITY,
        Level::Warn => "<4>",
        Level::Info => "<6>",
        Level::Debug | Level::Trace => "<7>",
    };
    let text = format!("[{} {}] {}", record.level(), record.target(), record.args());
    for line in text.lines() {
        writeln!(out, "{priority}{line}")?;
    }
    Ok(())
}

/// A log that also keeps the last error, even if it is filtered out. Its lines are limited, unless
/// details are requested.
struct KeepingLog {
    log: env_logger::Logger,
    keep: fn(Timestamp, String),
    limit: LineLimit,
    started: Instant,
}

impl log::Log for KeepingLog {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        !is_secret(metadata)
            && (metadata.level() == log::Level::Error || self.log.enabled(metadata))
    }

    fn log(&self, record: &Record<'_>) {
        if is_secret(record.metadata()) {
            return;
        }
        let is_limited = record.level() <= log::Level::Info;
        let place = || {
            let module = record.module_path_static().unwrap_or_default();
            (module, record.line().unwrap_or_default())
        };
        let elapsed = self.started.elapsed();
        let left_out = if is_limited {
            self.limit.allows(place(), elapsed)
        } else {
            Some(0)
        };
        let Some(left_out) = left_out else {
            return;
        };
        let text = record.args().to_string();
        let line = line_of(&text, left_out);
        if record.level() == log::Level::Error {
            (self.keep)(system_clock()().time, line.to_string());
        }
        // The inner log applies the filter itself.
        self.log.log(
            &Record::builder()
                .metadata(record.metadata().clone())
                .module_path(record.module_path())
                .args(format_args!("{line}"))
                .build(),
        );
    }

    fn flush(&self) {
        self.log.flush();
    }
}

/// Messages of the PostgreSQL client, which contain statements with hashes of keys and the password
/// of the broker.
fn is_secret(metadata: &log::Metadata<'_>) -> bool {
    metadata.target().starts_with("tokio_postgres")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use log::Log as _;

    use super::*;

    static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn errors_are_kept_even_if_nothing_is_logged() {
        let log = KeepingLog {
            log: env_logger::Builder::new().parse_filters("off").build(),
            keep: |_, text| KEPT.lock().unwrap().push(text),
            limit: LineLimit::default(),
            started: Instant::now(),
        };
        for (level, text) in [
            (Level::Warn, "a warning"),
            (Level::Error, "an error"),
            (Level::Info, "news"),
        ] {
            let arguments = format_args!("{text}");
            let record = Record::builder().level(level).args(arguments).build();
            assert_eq!(log.enabled(record.metadata()), level == Level::Error);
            log.log(&record);
        }
        assert_eq!(*KEPT.lock().unwrap(), ["an error"]);
    }

    #[test]
    fn each_line_has_its_priority_for_the_journal() {
        for (level, expected) in [
            (Level::Error, "<3>[ERROR store] one\n<3>two\n"),
            (Level::Warn, "<4>[WARN store] one\n<4>two\n"),
            (Level::Info, "<6>[INFO store] one\n<6>two\n"),
            (Level::Debug, "<7>[DEBUG store] one\n<7>two\n"),
            (Level::Trace, "<7>[TRACE store] one\n<7>two\n"),
        ] {
            let mut out = Vec::new();
            let arguments = format_args!("one\ntwo");
            let record = Record::builder()
                .level(level)
                .target("store")
                .args(arguments)
                .build();
            write_to_journal(&mut out, &record).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_written_to_an_engine_is_not_logged() {
        static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let log = KeepingLog {
            log: env_logger::Builder::new().parse_filters("trace").build(),
            keep: |_, text| LOGGED.lock().unwrap().push(text),
            limit: LineLimit::default(),
            started: Instant::now(),
        };
        for target in ["tokio_postgres::query", "wattkeeper::store"] {
            let arguments = format_args!("by {target}");
            let record = Record::builder()
                .level(Level::Error)
                .target(target)
                .args(arguments)
                .build();
            assert_eq!(
                log.enabled(record.metadata()),
                target == "wattkeeper::store"
            );
            log.log(&record);
        }
        assert_eq!(*LOGGED.lock().unwrap(), ["by wattkeeper::store"]);
    }
}
