//! One poll of a device, to test its settings before they are kept.

use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::timeout;

use super::error::PollError;
use super::get;
use super::host::poll;
use super::settings::PollSettings;
use super::sunspec::SunspecStation;
use crate::ingest::DeviceReading;

/// The time that a person waits. Some devices answer once a second by Modbus, and their first
/// answer has many parts.
const TRIAL_WITHIN: Duration = Duration::from_secs(30);

/// Polls a device once, and stores nothing. Blocks for up to 30 seconds.
///
/// # Errors
/// The reason why it has no usable answer.
pub fn try_device(device: &PollSettings) -> Result<Vec<DeviceReading>, PollError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|_| PollError::Panic)?;
    let mut station = SunspecStation::default();
    let agent = get::agent();
    let polling = async { timeout(TRIAL_WITHIN, poll(device, &agent, &mut station)).await };
    let polled = runtime.block_on(polling);
    // A request under way ends by itself, after 10 seconds.
    runtime.shutdown_background();
    Ok(polled
        .map_err(|_| PollError::NoAnswer(TRIAL_WITHIN))??
        .readings)
}
