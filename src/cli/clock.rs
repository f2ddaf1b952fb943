//! `wattkeeper clock`: what to do where the clock was wrong for a while.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::Global;
use super::confirm::confirm;
use super::output::{print_json, print_line};
use crate::admin::Request;
use crate::server::system_clock;
use crate::store::OpenMode;

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
            let count = global.with_store(OpenMode::Existing, |store| {
                store.count(Request::CountArrivalsAfter { time_ms })
            })?;
            // Where there are none nothing is forgotten.
            if count > 0 {
                confirm(&format!(
                    "Is it {now} now? Then {count} sensors uploaded under a clock that ran ahead. Forget when those uploads came?"
                ))?;
            }
        }
        let sensors = global.with_store(OpenMode::Existing, |store| {
            store.count(Request::ForgetArrivalsAfter { time_ms })
        })?;
        if global.json {
            print_json(&json!({"time": now.to_string(), "sensors": sensors}))
        } else {
            print_line(&format!(
                "the clock is taken for right at {now}: uploads of {sensors} sensors that came after that are forgotten"
            ))
        }
    }
}
