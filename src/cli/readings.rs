//! `wattkeeper readings`: delete readings.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::args::{Global, usage};
use super::input::confirm;
use crate::admin::{ReadingRange, Request};
use crate::domain::{TimeRange, Timestamp};

/// Stored readings
#[derive(Subcommand)]
pub(super) enum ReadingsCommand {
    /// Delete a sensor's readings in a range of time
    Delete {
        /// The sensor
        #[arg(long, value_name = "ID")]
        sensor: String,
        /// The first time, included: YYYY-MM-DDTHH:MM:SS, or a date for its midnight, in UTC unless
        /// it has an offset
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        start: Timestamp,
        /// The last time, included
        #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
        end: Timestamp,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl ReadingsCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let Self::Delete {
            sensor,
            start,
            end,
            yes,
        } = self;
        if TimeRange::new(start, end).is_none() {
            return Err(usage("--start is after --end"));
        }
        let range = ReadingRange {
            sensor: sensor.clone(),
            start_ms: start.millis(),
            end_ms: end.millis(),
        };
        if !yes {
            // Two requests, so that others can use the store while somebody thinks about the
            // question.
            let count: u64 = global.ask(Request::CountReadings(range.clone()))?;
            confirm(&format!(
                "Delete {count} readings of sensor {sensor} from {start} to {end}?"
            ))?;
        }
        let deleted: u64 = global.ask(Request::DeleteReadings(range))?;
        global.print(
            &json!({"sensor_id": sensor, "deleted": deleted}),
            &format!("deleted {deleted} readings of sensor {sensor}"),
        )
    }
}
