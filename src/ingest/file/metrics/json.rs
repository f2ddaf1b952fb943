//! A line with a series, read without keeping unwanted values.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use crate::ingest::file::intake::Offer;

/// The maximum number of values in a line: none can be used before all are read, and each takes 16
/// bytes. Seven years of minutes are fewer.
const VALUES: usize = 4_000_000;
/// The maximum number of labels of a series, and of bytes of a label.
const LABELS: usize = 256;
const LABEL_BYTES: usize = 4_096;

/// The labels of a line, and its points if they are wanted.
#[derive(Default)]
pub(super) struct MetricLine {
    pub(super) labels: Vec<(String, String)>,
    /// In seconds.
    pub(super) times: Vec<f64>,
    /// NaN for missing values.
    pub(super) values: Vec<f64>,
    /// Set once the labels are known; without it, points are skipped.
    pub(super) offer: Option<Offer>,
    /// The reason why the import cannot continue.
    pub(super) problem: Option<String>,
}

/// Reads a line into `line`, and calls `choose` once its labels are known.
pub(super) struct LineSeed<'a, F> {
    pub(super) line: &'a mut MetricLine,
    pub(super) choose: Option<F>,
}

impl<'de, F: FnOnce(&mut MetricLine)> DeserializeSeed<'de> for LineSeed<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnOnce(&mut MetricLine)> Visitor<'de> for LineSeed<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with metric, values and timestamps")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "metric" => {
                    self.line.labels = map.next_value_seed(LabelSeed)?;
                    if let Some(choose) = self.choose.take() {
                        choose(self.line);
                    }
                }
                "values" | "timestamps" if self.choose.is_some() => {
                    return Err(A::Error::custom("expected the labels before the values"));
                }
                "values" if self.line.offer.is_some() => {
                    let (times, values) = (&mut self.line.times, &mut self.line.values);
                    map.next_value_seed(ListSeed(|value: MetricValue| {
                        times.extend(value.time);
                        values.push(value.number);
                    }))?;
                }
                "timestamps" if self.line.offer.is_some() => {
                    let times = &mut self.line.times;
                    map.next_value_seed(ListSeed(|ms: MetricValue| times.push(ms.number / 1e3)))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match self.choose {
            Some(_) => Err(A::Error::missing_field("metric")),
            None => Ok(()),
        }
    }
}

/// Reads labels.
struct LabelSeed;

impl<'de> DeserializeSeed<'de> for LabelSeed {
    type Value = Vec<(String, String)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LabelSeed {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("labels")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut labels = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, String>()? {
            if labels.len() == LABELS || name.len() + value.len() > LABEL_BYTES {
                return Err(A::Error::custom("it has too many or too long labels"));
            }
            labels.push((name, value));
        }
        // Sorted, so that the series is the same in any order.
        labels.sort();
        Ok(labels)
    }
}

/// Reads an array of values, one after another.
struct ListSeed<F>(F);

impl<'de, F: FnMut(MetricValue)> DeserializeSeed<'de> for ListSeed<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(MetricValue)> Visitor<'de> for ListSeed<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let mut count = 0;
        while let Some(value) = seq.next_element()? {
            count += 1;
            if count > VALUES {
                return Err(A::Error::custom(
                    "it has more than 4000000 values: export with max_rows_per_line=100000",
                ));
            }
            (self.0)(value);
        }
        Ok(())
    }
}

/// An element of an array.
struct MetricValue {
    /// In seconds, if the element is a pair.
    time: Option<f64>,
    /// NaN if it is not a number.
    number: f64,
}

impl MetricValue {
    fn of(number: f64) -> Self {
        let number = if number.is_finite() { number } else { f64::NAN };
        Self { time: None, number }
    }
}

impl<'de> serde::Deserialize<'de> for MetricValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = MetricValue;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, null, a text such as \"NaN\", or a time and a number")
    }

    fn visit_f64<E>(self, number: f64) -> Result<MetricValue, E> {
        Ok(MetricValue::of(number))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "no time or measurement has so many digits"
    )]
    fn visit_u64<E>(self, number: u64) -> Result<MetricValue, E> {
        Ok(MetricValue::of(number as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "no measurement has so many digits"
    )]
    fn visit_i64<E>(self, number: i64) -> Result<MetricValue, E> {
        Ok(MetricValue::of(number as f64))
    }

    fn visit_unit<E>(self) -> Result<MetricValue, E> {
        Ok(MetricValue::of(f64::NAN))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<MetricValue, E> {
        // `NaN` and `Inf` are numbers for Rust too.
        let number: f64 = text
            .parse()
            .map_err(|_| E::custom(format!("expected a number, got {text:?}")))?;
        self.visit_f64(number)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MetricValue, A::Error> {
        let wrong = || A::Error::custom("expected a time and a value");
        let time: f64 = seq.next_element()?.ok_or_else(wrong)?;
        let value: MetricValue = seq.next_element()?.ok_or_else(wrong)?;
        if value.time.is_some() || seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(wrong());
        }
        Ok(MetricValue {
            time: Some(time),
            ..value
        })
    }
}
