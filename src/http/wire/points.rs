//! Points as text: JSON, NDJSON or CSV.
//!
//! A long result has millions of points, most on the same day as the previous one. So a template of
//! the day's text is copied as a whole, and time of day and value are written into the copy.
//! Writing them into the template before the copy took twice as long as all other work, because the
//! copy had to wait for the stores.

use std::ops::Range;

use crate::domain::Timestamp;
use crate::domain::time::MS_PER_DAY;
use crate::http::wire::number::set_number;
use crate::query::{Point, Units};

/// The format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One object: `{"units":"watts","data":[{"t":"2013-01-18T21:52:13.000Z","v":234}]}`.
    Json,
    /// One line per point: `{"t":"2013-01-18T21:52:13.000Z","v":234}`.
    Ndjson,
    /// The line `t,v`, then one line per point: `2013-01-18T21:52:13.000Z,234`.
    Csv,
}

impl Format {
    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// The text before all points.
    const fn head(self, units: Units) -> &'static str {
        match (self, units) {
            (Self::Json, Units::Watts) => r#"{"units":"watts","data":["#,
            (Self::Json, Units::Watthours) => r#"{"units":"watthours","data":["#,
            (Self::Ndjson, _) => "",
            (Self::Csv, _) => "t,v\n",
        }
    }

    /// The text after all points.
    const fn tail(self) -> &'static str {
        match self {
            Self::Json => "]}",
            Self::Ndjson | Self::Csv => "",
        }
    }

    /// The text before a point's time (after [`Self::between`]), between its time and value, and
    /// after its value.
    const fn around(self) -> [&'static str; 3] {
        match self {
            Self::Json => [r#"{"t":""#, r#"","v":"#, "}"],
            Self::Ndjson => [r#"{"t":""#, r#"","v":"#, "}\n"],
            Self::Csv => ["", ",", "\n"],
        }
    }

    /// The text between two points.
    const fn between(self) -> &'static str {
        match self {
            Self::Json => ",",
            Self::Ndjson | Self::Csv => "",
        }
    }
}

/// Writes a result, one run of points at a time.
pub(crate) struct PointWriter {
    format: Format,
    units: Units,
    /// The text of a point on `day`, with a blank time of day and no value.
    line: PointText,
    /// The day, in milliseconds since 1970; empty before the first point.
    day: Range<i64>,
    /// The offset of the time in `line`.
    time_at: usize,
    /// The offset of the value in `line`.
    value_at: usize,
}

/// A point's text up to its value.
type PointText = [u8; 48];
/// Space for one point. Copies have this fixed length, which is faster than the exact one; the next
/// point overwrites the excess.
type Room = [u8; 80];

/// 24 bytes for the longest value, 38 for the time and the text around them.
const LONGEST_POINT: usize = 62;

/// A time as text, before its digits are set.
const BLANK_TIME: &str = "0000-00-00T00:00:00.000Z";

impl PointWriter {
    pub(crate) fn new(format: Format, units: Units) -> Self {
        let [before, between, _] = format.around();
        let start = [format.between(), before, BLANK_TIME, between].concat();
        let mut line = [0; size_of::<PointText>()];
        for (place, byte) in line.iter_mut().zip(start.bytes()) {
            *place = byte;
        }
        Self {
            format,
            units,
            line,
            time_at: format.between().len() + before.len(),
            value_at: start.len(),
            day: 0..0,
        }
    }

    /// Appends the text before all points. Must be called first, once.
    pub(crate) fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.format.head(self.units).as_bytes());
    }

    /// Appends points.
    pub(crate) fn write(&mut self, points: &[Point], out: &mut Vec<u8>) {
        let [.., after] = self.format.around();
        let (after, after_length) = (padded(after), after.len());
        let is_first = self.day.is_empty();
        let start = out.len();
        let mut at = start;
        // Zeros that the points overwrite: the buffer grows once for the whole run.
        out.resize(at + points.len() * LONGEST_POINT + size_of::<Room>(), 0);
        let room = out.as_mut_slice();
        let mut day = self.day.clone();
        for point in points {
            let ms = point.time.millis();
            if !day.contains(&ms) {
                let start = ms - ms.rem_euclid(MS_PER_DAY);
                day = start..start + MS_PER_DAY;
                set_date(&mut self.line, self.time_at, point.time);
            }
            let Some(room) = room
                .get_mut(at..)
                .and_then(<[u8]>::first_chunk_mut::<{ size_of::<Room>() }>)
            else {
                // Unreachable: the space above is enough for every point and for the excess of the
                // last copy.
                break;
            };
            if let Some(line) = room.first_chunk_mut() {
                *line = self.line;
            }
            set_time_of_day(room, self.time_at, ms - day.start);
            let value = room.get_mut(self.value_at..).unwrap_or_default();
            let length = set_number(point.value, value);
            if let Some(place) = value.get_mut(length..).and_then(<[u8]>::first_chunk_mut) {
                *place = after;
            }
            at += self.value_at + length + after_length;
        }
        self.day = day;
        out.truncate(at);
        // Every point begins with the text between two points; before the first point it is
        // removed.
        if is_first && !points.is_empty() {
            out.drain(start..start + self.format.between().len());
        }
    }

    /// Appends the text after all points.
    pub(crate) fn finish(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.format.tail().as_bytes());
    }
}

/// The time within a line.
fn time_in(line: &mut [u8], at: usize) -> Option<&mut [u8; 24]> {
    line.get_mut(at..)?.first_chunk_mut()
}

/// The text after a point, padded to a fixed length, so that the copy has a fixed length too.
fn padded(after: &str) -> [u8; 2] {
    let mut bytes = after.bytes();
    [(); 2].map(|()| bytes.next().unwrap_or_default())
}

fn set_date(line: &mut [u8], at: usize, time: Timestamp) {
    let Some([c1, c2, y1, y2, _, m1, m2, _, d1, d2, ..]) = time_in(line, at) else {
        return;
    };
    let (year, month, day) = time.civil_date();
    let year = year.unsigned_abs();
    [*c1, *c2] = two_digits(year / 100);
    [*y1, *y2] = two_digits(year);
    [*m1, *m2] = two_digits(month.into());
    [*d1, *d2] = two_digits(day.into());
}

/// Sets the time of day, in milliseconds, in a time that shows midnight.
fn set_time_of_day(line: &mut [u8], at: usize, ms_of_day: i64) {
    let Some([_, _, _, _, _, _, _, _, _, _, _, time @ .., _]) = time_in(line, at) else {
        return;
    };
    // From 0 to 86,399,999: `day` contains the time.
    let ms = u32::try_from(ms_of_day).unwrap_or(0);
    let minute = MINUTES.get((ms / 60_000) as usize);
    if let (Some(place), Some(minute)) = (time.first_chunk_mut(), minute) {
        *place = *minute;
    }
    let ms = ms % 60_000;
    // Meters that read once a minute often read at the full minute. The zeros of the blank time are
    // right then.
    if ms != 0
        && let Some([s1, s2, _, f1, f2, f3]) = time.last_chunk_mut()
    {
        [*s1, *s2] = two_digits(ms / 1_000);
        [_, *f1] = two_digits(ms / 100);
        [*f2, *f3] = two_digits(ms);
    }
}

/// All minutes of a day, because a look-up is faster than formatting.
static MINUTES: [[u8; 5]; 24 * 60] = {
    let mut minutes = [*b"00:00"; 24 * 60];
    let mut rest: &mut [[u8; 5]] = &mut minutes;
    let mut minute = *b"00:00";
    while let [first, others @ ..] = rest {
        *first = minute;
        rest = others;
        minute = match minute {
            [h, b'9', _, b'5', b'9'] => [h + 1, b'0', b':', b'0', b'0'],
            [h, k, _, b'5', b'9'] => [h, k + 1, b':', b'0', b'0'],
            [h, k, _, m, b'9'] => [h, k, b':', m + 1, b'0'],
            [h, k, _, m, n] => [h, k, b':', m, n + 1],
        };
    }
    minutes
};

/// The last two digits of a number.
fn two_digits(number: u32) -> [u8; 2] {
    [number / 10 % 10, number % 10].map(|digit| b'0' + digit.to_le_bytes()[0])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(format: Format, units: Units, points: &[(i64, f64)]) -> String {
        let mut writer = PointWriter::new(format, units);
        let mut out = Vec::new();
        writer.begin(&mut out);
        for run in points.chunks(2) {
            let run: Vec<Point> = run
                .iter()
                .map(|&(ms, value)| Point {
                    time: Timestamp::from_millis(ms).unwrap(),
                    value,
                })
                .collect();
            writer.write(&run, &mut out);
        }
        writer.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_shape_is_exact() {
        for (format, nothing) in [
            (Format::Json, r#"{"units":"watts","data":[]}"#),
            (Format::Ndjson, ""),
            (Format::Csv, "t,v\n"),
        ] {
            assert_eq!(written(format, Units::Watts, &[]), nothing);
        }
        let points = [(-1, 10.1), (0, -0.5), (MS_PER_DAY, 1e21)];
        assert_eq!(
            written(Format::Json, Units::Watthours, &points),
            concat!(
                r#"{"units":"watthours","data":[{"t":"1969-12-31T23:59:59.999Z","v":10.1},"#,
                r#"{"t":"1970-01-01T00:00:00.000Z","v":-0.5},"#,
                r#"{"t":"1970-01-02T00:00:00.000Z","v":1e+21}]}"#
            )
        );
        assert_eq!(
            written(Format::Ndjson, Units::Watts, &points[..2]),
            concat!(
                "{\"t\":\"1969-12-31T23:59:59.999Z\",\"v\":10.1}\n",
                "{\"t\":\"1970-01-01T00:00:00.000Z\",\"v\":-0.5}\n",
            )
        );
        assert_eq!(
            written(Format::Csv, Units::Watts, &points[..2]),
            "t,v\n1969-12-31T23:59:59.999Z,10.1\n1970-01-01T00:00:00.000Z,-0.5\n"
        );
    }

    /// Times near each other, so that every digit both changes and stays in some pair.
    fn any_times() -> impl Strategy<Value = Vec<i64>> {
        let steps = prop_oneof![
            Just(60_000_i64),
            0_i64..2_000,
            0_i64..200_000,
            -100_000_000_i64..100_000_000
        ];
        (
            -10_000_000_000_i64..10_000_000_000,
            proptest::collection::vec(steps, 0..12),
        )
            .prop_map(|(start, steps)| {
                let sums = steps.into_iter().scan(start, |ms, step| {
                    *ms += step;
                    Some(*ms)
                });
                sums.collect()
            })
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
            let text = written(Format::Json, Units::Watts, &points);
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            let data = read["data"].as_array().unwrap();
            prop_assert_eq!(data.len(), points.len());
            for (point, (ms, value)) in data.iter().zip(points) {
                let time = Timestamp::from_millis(ms).unwrap().to_string();
                prop_assert_eq!(point["t"].as_str(), Some(time.as_str()));
                prop_assert_eq!(point["v"].as_f64().unwrap().to_bits(), value.to_bits());
            }
        }

        #[test]
        fn times_are_formatted_as_elsewhere(times in any_times()) {
            let points: Vec<(i64, f64)> = times.iter().map(|&ms| (ms, 1.0)).collect();
            let lines = times.iter().map(|&ms| format!("{},1\n", Timestamp::from_millis(ms).unwrap()));
            let expected = lines.collect::<Vec<_>>().concat();
            prop_assert_eq!(written(Format::Csv, Units::Watts, &points), format!("t,v\n{expected}"));
        }
    }
}
