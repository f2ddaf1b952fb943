//! Results as JSON, in bounded memory.
//!
//! A result is pulled: each chunk is read from the store, on a thread that may block, when the client
//! has taken the one before. So a slow client holds no thread, and one that goes away ends the scan.

use std::sync::Arc;

use actix_web::http::Version;
use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream;

use super::AppState;
use super::body::in_background;
use super::error::ApiError;
use super::number::write_number;
use crate::domain::sensor::SensorId;
use crate::domain::time::{MS_PER_DAY, Timestamp};
use crate::query::{Point, Query, Series, Units};
use crate::store::StoreError;

/// A chunk is sent once it is this long.
const CHUNK_BYTES: usize = 64 * 1024;

/// Answers `query` about `sensor`.
///
/// The first chunk is read before anything is answered: where the store fails by then, the client is
/// told so, and a result that fits in it is sent whole. A failure later breaks the connection, so that
/// nobody takes half a result for the whole.
///
/// # Errors
/// [`ApiError::NoRecentData`], [`ApiError::StorageUnavailable`], [`ApiError::Internal`].
pub(super) async fn respond(
    app: &AppState,
    request: &HttpRequest,
    sensor: SensorId,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let store = Arc::clone(&app.store);
    let now = app.counted_now();
    let (first, chunks) = in_background(move || {
        let mut chunks = Chunks::new(query.run(&store, &sensor, now)?);
        let first = chunks.next()?;
        Ok::<_, ApiError>((first.unwrap_or_default(), chunks))
    })
    .await??;
    let mut response = HttpResponse::Ok();
    response.content_type(ContentType::json());
    // Addresses hold credentials, and results change.
    response.insert_header((CACHE_CONTROL, "no-store"));
    if chunks.ended {
        return Ok(response.body(first));
    }
    let rest = stream::unfold(Some(chunks), |chunks| async move {
        let mut chunks = chunks?;
        let step = in_background(move || chunks.next().map(|chunk| (chunk, chunks))).await;
        match step {
            Ok(Ok((Some(chunk), chunks))) => Some((Ok(chunk), Some(chunks))),
            Ok(Ok((None, _))) => None,
            Ok(Err(error)) => Some((Err(broken_off(&error.into())), None)),
            Err(error) => Some((Err(broken_off(&error)), None)),
        }
    });
    let whole = stream::StreamExt::chain(stream::iter([Ok(first)]), rest);
    let mut response = response.streaming(whole);
    if request.version() < Version::HTTP_11 {
        // Such a client knows no chunks: for it the end of the connection is the end of the body.
        let head = response.head_mut();
        head.no_chunking(true);
        head.set_connection_type(actix_web::http::ConnectionType::Close);
    }
    Ok(response)
}

/// Why a result was not sent to its end; what happened is in the log.
#[derive(Debug, thiserror::Error)]
#[error("the result broke off")]
struct BrokenOff;

fn broken_off(error: &ApiError) -> BrokenOff {
    error.log();
    BrokenOff
}

/// A result under way, as chunks of JSON.
struct Chunks {
    series: Series,
    json: PointWriter,
    /// Points that were read; kept for its memory.
    run: Vec<Point>,
    ended: bool,
}

impl Chunks {
    fn new(series: Series) -> Self {
        Self {
            json: PointWriter::new(series.units()),
            series,
            run: Vec::new(),
            ended: false,
        }
    }

    /// The next chunk; `None` after the last. Blocks on the disk.
    fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        if self.ended {
            return Ok(None);
        }
        let mut chunk = Vec::new();
        while !self.ended && chunk.len() < CHUNK_BYTES {
            self.run.clear();
            let more = self.series.next_run(&mut self.run)?;
            for point in &self.run {
                self.json.write(*point, &mut chunk);
            }
            if !more {
                self.json.finish(&mut chunk);
                self.ended = true;
            }
        }
        Ok(Some(chunk.into()))
    }
}

/// Writes `{"units":"watts","data":[{"t":"2013-01-18T21:52:13.000Z","v":234}]}`, a point at a time.
struct PointWriter {
    /// What comes before the next point.
    before: String,
    /// The day that `date` is, counted from 1970.
    day: Option<i64>,
    /// The day as points begin with it: `{"t":"2013-01-18T`.
    date: String,
}

impl PointWriter {
    fn new(units: Units) -> Self {
        let units = match units {
            Units::Watts => "watts",
            Units::Watthours => "watthours",
        };
        Self {
            before: format!("{{\"units\":\"{units}\",\"data\":["),
            day: None,
            date: String::new(),
        }
    }

    fn write(&mut self, point: Point, out: &mut Vec<u8>) {
        out.extend_from_slice(self.before.as_bytes());
        self.before.replace_range(.., ",");
        self.write_time(point.time, out);
        out.extend_from_slice(b"Z\",\"v\":");
        write_number(point.value, out);
        out.push(b'}');
    }

    /// Writes a time up to its milliseconds. Long results have many points a day: the date is only
    /// made where it changes.
    fn write_time(&mut self, time: Timestamp, out: &mut Vec<u8>) {
        let day = time.millis().div_euclid(MS_PER_DAY);
        if self.day != Some(day) {
            let (year, month, day_of_month) = time.civil_date();
            self.date = format!("{{\"t\":\"{year:04}-{month:02}-{day_of_month:02}T");
            self.day = Some(day);
        }
        out.extend_from_slice(self.date.as_bytes());
        let ms = time.millis_of_day();
        let digit = |place: i64, base: i64| b'0' + u8::try_from(ms / place % base).unwrap_or(0);
        out.extend_from_slice(&[
            b'0' + u8::try_from(ms / 36_000_000).unwrap_or(0),
            digit(3_600_000, 10),
            b':',
            digit(600_000, 6),
            digit(60_000, 10),
            b':',
            digit(10_000, 6),
            digit(1_000, 10),
            b'.',
            digit(100, 10),
            digit(10, 10),
            digit(1, 10),
        ]);
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        if self.day.is_none() {
            out.extend_from_slice(self.before.as_bytes());
        }
        out.extend_from_slice(b"]}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json(units: Units, points: &[(i64, f64)]) -> String {
        let mut writer = PointWriter::new(units);
        let mut out = Vec::new();
        for &(ms, value) in points {
            let time = Timestamp::from_millis(ms).unwrap();
            writer.write(Point { time, value }, &mut out);
        }
        writer.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_shape_is_exact() {
        assert_eq!(json(Units::Watts, &[]), r#"{"units":"watts","data":[]}"#);
        assert_eq!(
            json(Units::Watts, &[(1_358_545_933_000, 234.0)]),
            r#"{"units":"watts","data":[{"t":"2013-01-18T21:52:13.000Z","v":234}]}"#
        );
        assert_eq!(
            json(
                Units::Watthours,
                &[(-1, 10.1), (0, -0.5), (MS_PER_DAY, 1e21)]
            ),
            concat!(
                r#"{"units":"watthours","data":[{"t":"1969-12-31T23:59:59.999Z","v":10.1},"#,
                r#"{"t":"1970-01-01T00:00:00.000Z","v":-0.5},"#,
                r#"{"t":"1970-01-02T00:00:00.000Z","v":1e+21}]}"#
            )
        );
    }

    proptest! {
        #[test]
        fn times_and_values_read_back_identical(
            points in proptest::collection::vec(
                (
                    Timestamp::MIN.millis()..=Timestamp::MAX.millis(),
                    proptest::num::f64::NORMAL | proptest::num::f64::ZERO | proptest::num::f64::SUBNORMAL,
                ),
                0..8,
            )
        ) {
            let text = json(Units::Watts, &points);
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            let data = read["data"].as_array().unwrap();
            prop_assert_eq!(data.len(), points.len());
            for (point, (ms, value)) in data.iter().zip(points) {
                let time = Timestamp::from_millis(ms).unwrap().to_string();
                prop_assert_eq!(point["t"].as_str(), Some(time.as_str()));
                prop_assert_eq!(point["v"].as_f64().unwrap().to_bits(), value.to_bits());
            }
        }
    }
}
