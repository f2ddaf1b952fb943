//! The log of the commands: stderr, and the last error kept for whoever looks at the service.

use crate::last_error;
use crate::server::system_clock;

/// Starts logging to stderr: at one level, or as a filter in the form of `RUST_LOG` says.
pub(super) fn start_log(level: &str) {
    let logger = env_logger::Builder::new().parse_filters(level).build();
    let most = logger.filter();
    // A second start in one process, as in tests, changes nothing.
    if log::set_boxed_logger(Box::new(KeepingLog(logger))).is_ok() {
        log::set_max_level(most.max(log::LevelFilter::Error));
    }
}

/// The log, the last error of which is kept, whether it is logged or filtered out.
struct KeepingLog(env_logger::Logger);

impl log::Log for KeepingLog {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() == log::Level::Error || self.0.enabled(metadata)
    }

    fn log(&self, record: &log::Record<'_>) {
        if record.level() == log::Level::Error {
            last_error::keep(system_clock()().time, record.args().to_string());
        }
        self.0.log(record);
    }

    fn flush(&self) {
        self.0.flush();
    }
}
