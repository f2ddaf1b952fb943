//! `wattkeeper clock`: recovers from a clock that was wrong for a while.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::args::Global;
use super::input::confirm;
use crate::admin::Request;
use crate::server::system_clock;

/// The machine's clock, which times uploads
#[derive(Subcommand)]
pub(super) enum ClockCommand {
    /// Trust the clock although stored uploads are later
    ///
    /// Uploads are refused (`clock_not_set`) while the clock is earlier than the newest stored
    /// upload, because it may not be set yet. If it ran ahead for a while and is right now, this
    /// forgets when those uploads came. Their readings stay; delete wrong ones with `readings
    /// delete`.
    Trust {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl ClockCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let Self::Trust { yes } = self;
        // The same time for both requests, so that the question and the change agree.
        let now = system_clock()().time;
        let time_ms = now.millis();
        if !yes {
            let count: u64 = global.ask(Request::CountArrivalsAfter { time_ms })?;
            // With none, there is nothing to forget.
            if count > 0 {
                confirm(&format!(
                    "Is it {now} now? If so, {count} sensors uploaded under a clock that ran ahead. Forget when those uploads came?"
                ))?;
            }
        }
        let sensors: u64 = global.ask(Request::ForgetArrivalsAfter { time_ms })?;
        global.print(
            &json!({"time": now.to_string(), "sensors": sensors}),
            &format!("trusting the clock at {now}: forgot the later uploads of {sensors} sensors"),
        )
    }
}
