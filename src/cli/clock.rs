//! `wattkeeper clock`: what to do where the clock was wrong for a while.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::args::Global;
use super::confirm::confirm;
use crate::admin::Request;
use crate::server::system_clock;

/// The machine's clock, by which uploads are filed
#[derive(Subcommand)]
pub(super) enum ClockCommand {
    /// Take the clock for right although it lies before uploads that are stored
    ///
    /// Uploads are refused (`clock_not_set`) while the clock lies before the newest one that is stored: it may not be set
    /// yet. Where it ran ahead for a while, and is right now, this forgets when those uploads came. Their
    /// readings stay; delete those that are wrong with `readings delete`.
    Trust {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl ClockCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let Self::Trust { yes } = self;
        let now = system_clock()().time;
        let time_ms = now.millis();
        if !yes {
            let count: u64 = global.ask(Request::CountArrivalsAfter { time_ms })?;
            // With none there is nothing to forget.
            if count > 0 {
                confirm(&format!(
                    "Is it {now} now? Then {count} sensors uploaded under a clock that ran ahead. Forget when those uploads came?"
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
