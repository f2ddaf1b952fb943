//! From the body of an upload to readings.
//!
//! - `misnamed`: names of fields that look like those of a reading

mod misnamed;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use self::misnamed::Alike;
use crate::domain::{Measures, SensorId, StateOfCharge, Timestamp, Upload, UploadedReading};
use crate::http::gate::auth::{API_ID, API_KEY};
use crate::http::protocols::elec::json::{members_and_others, text};
use crate::http::protocols::elec::names::{
    READINGS, SENSOR_ID, STATE_OF_CHARGE, TIME, WATTHOURS, WATTS,
};
use crate::http::wire::ApiError;
use crate::ledger::notice::MisnamedField;

/// A parsed body.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) api_id: Option<String>,
    pub(crate) api_key: Option<String>,
    pub(crate) upload: Upload,
    /// Whether the readings came as a list.
    pub(crate) is_batch: bool,
    /// The other fields of its readings.
    pub(crate) beside: BesideMeasures,
}

/// The fields of readings that are neither time nor measure.
#[derive(Debug, Default)]
pub(crate) struct BesideMeasures {
    /// The newest state of charge and its time; `None` for now.
    pub(crate) charge: Option<(Option<Timestamp>, StateOfCharge)>,
    /// The first misnamed field of a reading; its value is ignored.
    pub(crate) misnamed: Option<MisnamedField>,
}

/// The members of one reading.
const READING: [&str; 4] = [TIME, WATTS, WATTHOURS, STATE_OF_CHARGE];
type RawReading<'a> = [Option<&'a RawValue>; 4];

/// Parses a body of at most `most` readings, with any Content-Type.
///
/// # Errors
/// [`ApiError::MalformedJson`], [`ApiError::MissingField`], [`ApiError::InvalidField`],
/// [`ApiError::TooManyReadings`].
pub(crate) fn read(body: &[u8], most: usize) -> Result<Sent, ApiError> {
    const NAMES: [&str; 8] = [
        SENSOR_ID,
        API_ID,
        API_KEY,
        TIME,
        WATTS,
        WATTHOURS,
        STATE_OF_CHARGE,
        READINGS,
    ];
    // Some systems put a byte order mark before UTF-8.
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let mut alike = Alike::default();
    let [
        sensor_id,
        api_id,
        api_key,
        time,
        watts,
        watthours,
        charge,
        list,
    ] = members_and_others(body, &NAMES, |name| alike.see(name))
        .map_err(|error| malformed(&error))?;
    let sensor = sensor(sensor_id)?;
    let (api_id, api_key) = (secret(API_ID, api_id)?, secret(API_KEY, api_key)?);
    let single = [time, watts, watthours, charge];
    let mut beside = BesideMeasures::default();
    let readings = match list {
        None => {
            let reading = beside.read(single, None)?;
            beside.misnamed = alike.misnamed(single);
            vec![reading]
        }
        Some(list) => match READING
            .iter()
            .zip(single)
            .find(|(_, member)| member.is_some())
        {
            None => batch(list, most, &mut beside)?,
            Some((name, _)) => {
                let problem =
                    format!("expected either a list of readings or a single one; got {name} too");
                return Err(ApiError::unfit(READINGS, problem));
            }
        },
    };
    Ok(Sent {
        api_id,
        api_key,
        upload: Upload::new(sensor, readings)
            .ok_or_else(|| ApiError::invalid(READINGS, "expected at least one reading", "[]"))?,
        is_batch: list.is_some(),
        beside,
    })
}

fn malformed(error: &serde_json::Error) -> ApiError {
    ApiError::MalformedJson(if error.is_data() {
        "expected a JSON object in UTF-8".into()
    } else {
        // The parser's messages about syntax quote nothing of the body, so they cannot leak a key.
        format!("expected a JSON object: {error}")
    })
}

fn sensor(member: Option<&RawValue>) -> Result<SensorId, ApiError> {
    let missing = || ApiError::MissingField(SENSOR_ID.into());
    let raw = member.ok_or_else(missing)?;
    let text =
        text(raw).ok_or_else(|| ApiError::invalid(SENSOR_ID, "expected a string", raw.get()))?;
    if text.is_empty() {
        return Err(missing());
    }
    SensorId::new(&text).map_err(|error| ApiError::invalid(SENSOR_ID, error, &text))
}

/// An id or a key. A value of another type is not shown: it may be a secret.
pub(crate) fn secret(name: &str, member: Option<&RawValue>) -> Result<Option<String>, ApiError> {
    let text = |raw| text(raw).ok_or_else(|| ApiError::unfit(name, "expected a string"));
    Ok(member.map(text).transpose()?.map(Cow::into_owned))
}

/// The list of readings in a batch, at most `most` of them.
fn batch(
    list: &RawValue,
    most: usize,
    beside: &mut BesideMeasures,
) -> Result<Vec<UploadedReading>, ApiError> {
    let mut json = serde_json::Deserializer::from_str(list.get());
    json.deserialize_seq(BatchVisitor { most, beside })
        .map_err(|_| ApiError::invalid(READINGS, "expected a list of readings", list.get()))?
}

/// Parses each element while it is scanned. After the first invalid element, or one too many, the
/// rest is only counted.
struct BatchVisitor<'a> {
    most: usize,
    beside: &'a mut BesideMeasures,
}

impl<'de> Visitor<'de> for BatchVisitor<'_> {
    type Value = Result<Vec<UploadedReading>, ApiError>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut readings = Vec::new();
        while let Some(element) = list.next_element::<&RawValue>()? {
            let mut came = readings.len() + 1;
            let mut count_rest = || -> Result<usize, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {
                    came += 1;
                }
                Ok(came)
            };
            if readings.len() == self.most {
                let (most, came) = (self.most, count_rest()?);
                return Ok(Err(ApiError::TooManyReadings { most, came }));
            }
            match batched_reading(element, readings.len(), self.beside) {
                Ok(reading) => readings.push(reading),
                Err(error) => {
                    // serde_json expects the end of the list when a visitor returns; its own error
                    // would hide this one.
                    count_rest()?;
                    return Ok(Err(error));
                }
            }
        }
        Ok(Ok(readings))
    }
}

fn batched_reading(
    element: &RawValue,
    index: usize,
    beside: &mut BesideMeasures,
) -> Result<UploadedReading, ApiError> {
    let mut alike = Alike::default();
    // One misnamed field in an upload is enough.
    let see = |name: &str| {
        if beside.misnamed.is_none() {
            alike.see(name);
        }
    };
    let members = members_and_others(element.get().as_bytes(), &READING, see).map_err(|_| {
        ApiError::invalid(
            format!("{READINGS}[{index}]"),
            "expected an object",
            element.get(),
        )
    })?;
    let read = beside.read(members, Some(index))?;
    if beside.misnamed.is_none() {
        beside.misnamed = alike.misnamed(members);
    }
    Ok(read)
}

impl BesideMeasures {
    /// One reading: alone, or at its index in a batch. Takes its state of charge.
    fn read(
        &mut self,
        members: RawReading<'_>,
        index: Option<usize>,
    ) -> Result<UploadedReading, ApiError> {
        let [time, watts, watthours, charge] = members;
        let time = time.map(|raw| timestamp(raw, index)).transpose()?;
        let watts = watts.map(|raw| number(raw, WATTS, index)).transpose()?;
        let watthours = watthours
            .map(|raw| number(raw, WATTHOURS, index))
            .transpose()?;
        let measures = Measures::new(watts, watthours)
            .map_err(|_| ApiError::MissingField(path(index, &format!("{WATTS} or {WATTHOURS}"))))?;
        if let Some(raw) = charge {
            let charge = state_of_charge(raw, index)?;
            // Without a time it is that of now.
            let is_older = |(known, _): &(Option<Timestamp>, _)| {
                time.is_some_and(|time| known.is_none_or(|known| time < known))
            };
            if !self.charge.as_ref().is_some_and(is_older) {
                self.charge = Some((time, charge));
            }
        }
        Ok(UploadedReading { time, measures })
    }
}

fn state_of_charge(raw: &RawValue, index: Option<usize>) -> Result<StateOfCharge, ApiError> {
    let percent = number(raw, STATE_OF_CHARGE, index)?;
    StateOfCharge::new(percent).ok_or_else(|| {
        let place = path(index, STATE_OF_CHARGE);
        ApiError::invalid(place, "expected percent, from 0 to 100", raw.get())
    })
}

fn timestamp(raw: &RawValue, index: Option<usize>) -> Result<Timestamp, ApiError> {
    let invalid =
        |expected: &dyn fmt::Display| ApiError::invalid(path(index, TIME), expected, raw.get());
    let text = text(raw).ok_or_else(|| invalid(&"expected a string"))?;
    Timestamp::parse(&text).map_err(|error| invalid(&error))
}

/// A finite number, or a string that contains one, as some meters send.
fn number(raw: &RawValue, name: &str, index: Option<usize>) -> Result<f64, ApiError> {
    // A string may have escapes and white space around the number; a plain number is used as it is.
    let digits = if raw.get().starts_with('"') {
        text(raw).unwrap_or_default()
    } else {
        Cow::Borrowed(raw.get())
    };
    parse_number(digits.trim())
        .ok_or_else(|| ApiError::invalid(path(index, name), "expected a finite number", raw.get()))
}

fn parse_number(digits: &str) -> Option<f64> {
    // Rust's parser would accept `inf` and `nan` too.
    let plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let number = digits.bytes().all(plain).then(|| digits.parse())?;
    number.ok().filter(|number: &f64| number.is_finite())
}

/// The name of the time of the reading at `index`.
pub(crate) fn time_name(is_batch: bool, index: usize) -> String {
    path(is_batch.then_some(index), TIME)
}

/// A field's name: `watts`, or `readings[3].watts` in a batch.
fn path(index: Option<usize>, name: &str) -> String {
    match index {
        Some(index) => format!("{READINGS}[{index}].{name}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
