//! Load on a running service: uploads from several threads, each recorded before it is sent and
//! when it is answered.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::chance::Chance;
use crate::service::Service;
use crate::truth::Truth;

/// 2020-01-01, the time of the first reading.
pub(crate) const BEGIN_MS: i64 = 1_577_836_800_000;
/// The interval of readings.
const STEP_MS: i64 = 1_000;

/// A generator of one sensor's readings: uses each time once.
pub(crate) struct Source {
    sensor: String,
    next: AtomicI64,
}

impl Source {
    pub(crate) fn new(sensor: &str) -> Self {
        Self {
            sensor: sensor.to_owned(),
            next: AtomicI64::new(0),
        }
    }

    /// `count` readings, some of them late, between earlier ones.
    pub(crate) fn take(&self, count: usize, chance: &mut Chance) -> Vec<(i64, f64)> {
        let is_late = chance.one_in(5);
        let of = |_| {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            let time = if is_late && number > 0 {
                // Among old readings, at an unused time.
                BEGIN_MS + number / 8 * STEP_MS + 500 + number % 8
            } else {
                BEGIN_MS + number * STEP_MS
            };
            // Compressible values, so that not every block has the maximum length.
            (
                time,
                f64::from(u32::try_from(number % 5_000).unwrap()) / 10.0,
            )
        };
        let mut readings: Vec<_> = (0..count).map(of).collect();
        readings.sort_by_key(|(time, _)| *time);
        readings
    }

    /// Sends one upload, a single reading or a batch; returns the status.
    pub(crate) fn send(
        &self,
        service: &Service,
        truth: &Truth,
        chance: &mut Chance,
        record: impl Fn() -> u64,
    ) -> Option<u16> {
        let count = if chance.one_in(2) {
            1
        } else {
            1 + chance.index(40)
        };
        self.send_some(count, service, truth, chance, record)
    }

    /// Sends an upload of this many readings.
    pub(crate) fn send_some(
        &self,
        count: usize,
        service: &Service,
        truth: &Truth,
        chance: &mut Chance,
        record: impl Fn() -> u64,
    ) -> Option<u16> {
        let readings = self.take(count, chance);
        let ticket = truth.sending(&self.sensor, &readings);
        let status = service.upload(&self.sensor, &readings);
        if status == Some(200) {
            truth.acknowledged(&ticket, record());
        }
        status
    }

    /// Uploads until `stopping`, or until an upload is refused; returns its status.
    pub(crate) fn run(
        &self,
        service: &Service,
        truth: &Truth,
        stopping: &AtomicBool,
        chance: &mut Chance,
        record: impl Fn() -> u64,
    ) -> Option<u16> {
        while !stopping.load(Ordering::SeqCst) {
            let status = self.send(service, truth, chance, &record);
            if status != Some(200) {
                return status;
            }
        }
        Some(200)
    }
}
