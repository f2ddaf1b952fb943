//! Documents of ENTSO-E: `Publication_MarketDocument` with prices, and
//! `Acknowledgement_MarketDocument` with the reason why there are none.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{AnswerEntry, MOST_ENTRIES};
use crate::domain::{Currency, Timestamp};
use crate::price_sources::answer::time::iso;
use crate::price_sources::error::SourceError;

const NOT_XML: SourceError = SourceError::Format("a document of ENTSO-E");
/// The reason of an acknowledgement that means: there are no prices.
const NO_DATA: u16 = 999;
/// The type of the day-ahead market.
const DAY_AHEAD: &str = "A01";
const DEEPEST: usize = 16;
const LONGEST_TEXT: usize = 64;
/// The most entries of all series of a document together, also of those that do not count.
const MOST_IN_ALL: usize = 4 * MOST_ENTRIES;

/// The series that is being read. A document has a series for each auction: of the day-ahead
/// market, and of those within the day. The first day-ahead auction is the one of the coupled
/// market.
#[derive(Default)]
struct EntsoeSeries {
    sequence: Option<String>,
    /// The type of its market; `A01` is day-ahead.
    market: Option<String>,
    currency: Option<String>,
    /// Whether points that equal the one before them are left out (curve type A03).
    repeats: bool,
    entries: Vec<AnswerEntry>,
    period: EntsoePeriod,
}

#[derive(Default)]
struct EntsoePeriod {
    start: String,
    end: String,
    resolution: String,
    /// Position and price of each point.
    points: Vec<(usize, Option<String>)>,
}

impl EntsoeSeries {
    fn is_day_ahead(&self) -> bool {
        let is = |found: Option<&str>, wanted| found.is_none_or(|it| it == wanted);
        is(self.market.as_deref(), DAY_AHEAD) && is(self.sequence.as_deref(), "1")
    }
}

/// The entries of a document, and the currency of their prices, if it says so.
pub(super) fn entries(body: &[u8]) -> Result<(Vec<AnswerEntry>, Option<Currency>), SourceError> {
    let mut xml = Reader::from_reader(body);
    let (mut buffer, mut text) = (Vec::new(), String::new());
    let mut path: Vec<String> = Vec::new();
    let (mut series, mut entries) = (EntsoeSeries::default(), Vec::new());
    let mut root = String::new();
    let mut left = MOST_IN_ALL;
    let mut currency: Option<Currency> = None;
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| NOT_XML)? {
            Event::Start(start) => {
                if path.len() == DEEPEST {
                    return Err(NOT_XML);
                }
                let name: String = start.local_name().as_ref().to_owned();
                if path.is_empty() {
                    root.clone_from(&name);
                }
                path.push(name);
                text.clear();
            }
            Event::Text(part) if text.len() + part.len() <= LONGEST_TEXT => text.push_str(&part),
            Event::End(_) => {
                let name = path.pop().unwrap_or_default();
                close(&path, &name, text.trim(), &mut series, &mut left)?;
                if name == "TimeSeries" {
                    let series = std::mem::take(&mut series);
                    if series.is_day_ahead() {
                        if let Some(named) = &series.currency {
                            let index = entries.len() + 1;
                            let wrong = || SourceError::Entry(index, "currency");
                            let named = Currency::new(named).map_err(|_| wrong())?;
                            if currency.get_or_insert_with(|| named.clone()) != &named {
                                return Err(wrong());
                            }
                        }
                        entries.extend(series.entries);
                    }
                }
                if entries.len() > MOST_ENTRIES {
                    return Err(SourceError::TooMany(MOST_ENTRIES));
                }
                text.clear();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match root.as_str() {
        "Publication_MarketDocument" | "Acknowledgement_MarketDocument" if path.is_empty() => {
            Ok((entries, currency))
        }
        _ => Err(NOT_XML),
    }
}

/// Handles the end of the element `name` inside `path`. `left` more slots may follow.
fn close(
    path: &[String],
    name: &str,
    text: &str,
    series: &mut EntsoeSeries,
    left: &mut usize,
) -> Result<(), SourceError> {
    let period = &mut series.period;
    match (path.last().map(String::as_str), name) {
        (Some("Reason"), "code") => {
            let code = text.parse().map_err(|_| NOT_XML)?;
            if code != NO_DATA {
                return Err(SourceError::Refused(code));
            }
        }
        (_, "classificationSequence_AttributeInstanceComponent.position") => {
            series.sequence = Some(text.to_owned());
        }
        (_, "contract_MarketAgreement.type") => series.market = Some(text.to_owned()),
        (_, "currency_Unit.name") => series.currency = Some(text.to_owned()),
        (_, "curveType") => series.repeats = text == "A03",
        (Some("timeInterval"), "start") => text.clone_into(&mut period.start),
        (Some("timeInterval"), "end") => text.clone_into(&mut period.end),
        (Some("Period"), "resolution") => text.clone_into(&mut period.resolution),
        (Some("Point"), "position") => {
            let position = text
                .parse()
                .ok()
                .filter(|it| (1..=MOST_ENTRIES).contains(it));
            let index = period.points.len();
            let position = position.ok_or(SourceError::Entry(index + 1, "position"))?;
            period.points.push((position, None));
        }
        (Some("Point"), "price.amount") => {
            let index = period.points.len();
            let point = period.points.last_mut();
            let point = point.ok_or(SourceError::Entry(index + 1, "position"))?;
            point.1 = Some(text.to_owned());
        }
        (_, "Period") => {
            let period = std::mem::take(period);
            let room = MOST_ENTRIES.saturating_sub(series.entries.len());
            let entries = period.entries(series.repeats, room, left)?;
            series.entries.extend(entries);
        }
        _ => {}
    }
    if series.entries.len() + series.period.points.len() > MOST_ENTRIES {
        return Err(SourceError::TooMany(MOST_ENTRIES));
    }
    Ok(())
}

impl EntsoePeriod {
    /// Its entries, if there is `room` for them.
    fn entries(
        self,
        repeats: bool,
        room: usize,
        left: &mut usize,
    ) -> Result<Vec<AnswerEntry>, SourceError> {
        const TOO_MANY: SourceError = SourceError::TooMany(MOST_ENTRIES);
        let step_ms: i64 = match self.resolution.as_str() {
            "PT15M" => 900_000,
            "PT30M" => 1_800_000,
            "PT60M" | "PT1H" => 3_600_000,
            _ => return Err(SourceError::Missing("resolution".to_owned())),
        };
        let time = |text: &str| iso(text).ok_or(SourceError::Missing("timeInterval".to_owned()));
        let (start, end) = (time(&self.start)?, time(&self.end)?);
        let slots = usize::try_from((end.millis() - start.millis()) / step_ms).unwrap_or(0);
        *left = left.checked_sub(slots).ok_or(TOO_MANY)?;
        let slot = |number: usize| -> Timestamp {
            let steps = i64::try_from(number).unwrap_or(0);
            start.saturating_add_millis(steps * step_ms)
        };
        let mut entries = Vec::new();
        let mut points = self.points.into_iter().peekable();
        let mut last = None;
        for number in 0..slots {
            if let Some((position, price)) = points.next_if(|(position, _)| *position == number + 1)
            {
                if price.is_none() {
                    return Err(SourceError::Entry(position, "price"));
                }
                last = price;
            } else if !repeats {
                last = None;
            }
            // Before the first point there is no price to repeat.
            if let Some(price) = &last {
                if entries.len() == room {
                    return Err(TOO_MANY);
                }
                entries.push(AnswerEntry {
                    time: slot(number).to_string(),
                    end: Some(slot(number + 1).to_string()),
                    value: Some(price.clone()),
                });
            }
        }
        // Points out of order, or beyond the end.
        match points.next() {
            Some((position, _)) => Err(SourceError::Entry(position, "position")),
            None => Ok(entries),
        }
    }
}
