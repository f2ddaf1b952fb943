//! The time of an upload's arrival, and the one check of the times of its readings.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::error::IngestError;
use crate::domain::clock::AGREE_WITHIN;
use crate::domain::{ClockWatch, Moment, Timestamp, Upload, UploadedReading};
use crate::store::Store;

/// The most that a reading's time may be ahead of the clock.
pub const AHEAD_AT_MOST: Duration = Duration::from_hours(24);

/// An upload whose times are not too far ahead of the server's clock.
#[derive(Debug)]
pub struct TimelyUpload {
    pub(super) upload: Upload,
    pub(super) arrival: Arrival,
}

/// The arrival of an upload, by the clock. It is read once per request: it bounds the times of the readings, and the upload is
/// stored under it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrival {
    At(Timestamp),
    /// The clock ran ahead, as the newest arrival shows, and is right again now.
    ClockIsBack {
        now: Timestamp,
        newest_arrival: Timestamp,
    },
    /// No upload can be stored.
    ClockNotSet {
        now: Timestamp,
        newest_arrival: Timestamp,
    },
}

impl Arrival {
    /// The time to store the upload under.
    const fn time(self) -> Result<Timestamp, IngestError> {
        match self {
            Self::At(time) | Self::ClockIsBack { now: time, .. } => Ok(time),
            Self::ClockNotSet {
                now,
                newest_arrival,
            } => Err(IngestError::ClockNotSet {
                now,
                newest_arrival,
            }),
        }
    }

    /// The latest time that a reading may have. While the clock is not set it is any: the upload is refused for that later.
    fn latest(self) -> Timestamp {
        self.time()
            .map_or(Timestamp::MAX, |now| now.saturating_add(AHEAD_AT_MOST))
    }

    /// The reading's time, if it is too far ahead.
    pub(super) fn ahead(self, reading: &UploadedReading) -> Option<Timestamp> {
        reading.time.filter(|time| *time > self.latest())
    }
}

/// Determines arrivals from the server's clock and the newest arrival stored.
#[derive(Clone)]
pub(super) struct ArrivalClock {
    store: Arc<Store>,
    clock_watch: Arc<Mutex<ClockWatch>>,
}

impl ArrivalClock {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            clock_watch: Arc::default(),
        }
    }

    pub(super) fn check_times(
        &self,
        upload: Upload,
        now: Moment,
    ) -> Result<TimelyUpload, IngestError> {
        let arrival = self.at(now);
        let mut readings = upload.readings().iter().enumerate();
        let ahead = readings.find_map(|(index, reading)| Some((index, arrival.ahead(reading)?)));
        match ahead {
            None => Ok(TimelyUpload { upload, arrival }),
            Some((index, time)) => Err(IngestError::AheadOfClock {
                index,
                time,
                now: arrival.time().unwrap_or(now.time),
            }),
        }
    }

    pub(super) fn counted_time(&self, now: Timestamp) -> Timestamp {
        self.check_clock(now).unwrap_or(now)
    }

    pub(super) fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        self.at(now).time().map(drop)
    }

    /// The arrival of an upload at `now`.
    pub(super) fn at(&self, now: Moment) -> Arrival {
        // The watch is consistent even after a panic of another holder.
        let watch = self.clock_watch.lock();
        let is_back = watch.unwrap_or_else(PoisonError::into_inner).is_back(now);
        let now = now.time;
        match self.check_clock(now) {
            Ok(time) => Arrival::At(time),
            Err(newest_arrival) if is_back => Arrival::ClockIsBack {
                now,
                newest_arrival,
            },
            Err(newest_arrival) => Arrival::ClockNotSet {
                now,
                newest_arrival,
            },
        }
    }

    /// The time to store an upload under. The first upload after the clock is back removes the arrivals ahead of it.
    ///
    /// # Errors
    /// [`IngestError::ClockNotSet`], [`IngestError::Store`].
    pub(super) async fn settle(&self, arrival: Arrival) -> Result<Timestamp, IngestError> {
        if let Arrival::ClockIsBack {
            now,
            newest_arrival,
        } = arrival
            // Another upload may have removed them meanwhile.
            && self.check_clock(now).is_err()
        {
            log::warn!(
                "the clock ran ahead to {newest_arrival} and is back at {now}: uploads stored under later times no longer count \
                 as arrivals; their readings are kept"
            );
            self.store.forget_arrivals_after_durably(now).await?;
        }
        arrival.time()
    }

    /// `now`, or the newest arrival if the clock was set back by less than a minute since. The error is the newest arrival:
    /// the clock is further behind, so it is not set.
    fn check_clock(&self, now: Timestamp) -> Result<Timestamp, Timestamp> {
        match self.store.newest_arrival() {
            Some(newest) if now.saturating_add(AGREE_WITHIN) < newest => Err(newest),
            Some(newest) => Ok(now.max(newest)),
            None => Ok(now),
        }
    }
}
