//! How a source is asked, and how its answers are read. A file in `price-sources`, a section of the
//! configuration and the page of price sources describe it by the same fields.

use std::collections::BTreeMap;
use std::time::Duration;

use toml::Table;

use super::address::SourceUrl;
use super::fields::{FormError, FormFieldReader, wrong};
use crate::domain::words::words;
use crate::domain::{LocalDate, Timestamp, Zone};
use crate::ledger::contract::{Label, PriceUnit};

/// How a source is asked, and how its answers are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceForm {
    /// The address of a request.
    pub(crate) url: SourceUrl,
    /// The address that gives a token for a key, if the source needs one.
    pub(crate) token_url: Option<SourceUrl>,
    /// A header with the key: its name, and its value with the place `{key}`.
    pub(crate) header: Option<(String, String)>,
    /// The body of a request, which is then sent by POST, as JSON; `None` for GET.
    pub(super) body: Option<String>,
    /// How the times of a request are written.
    pub(super) asks: AskedTimes,
    /// The most days of one request.
    pub(super) most_days: u16,
    /// The time between two requests while years are fetched.
    pub(super) pause: Duration,
    /// When the prices of the next day come, in milliseconds of the day.
    pub(super) published_ms: i64,
    /// The clock of its days, and of its local times.
    pub(crate) clock: Zone,
    /// The format of an answer.
    pub(super) format: AnswerFormat,
    /// Where the lists of prices are, in JSON; none if times and prices are two lists.
    pub(super) items: Vec<String>,
    /// Where the time of a price is: a JSON pointer, or a column.
    pub(super) time: String,
    /// Where its end is; empty if the answer has none.
    pub(super) end: String,
    /// Where the price is, or the type of a day.
    pub(super) price: String,
    /// Where the currency of its prices is; empty if the answer does not say it.
    pub(super) currency: String,
    /// How the times of an answer are written.
    pub(super) times: AnswerTimes,
    /// Whether decimals follow a comma.
    pub(super) has_comma: bool,
    /// The content of an answer.
    pub(crate) content: SourceContent,
    /// Places with the values of the rate that is taken, where an answer has several.
    pub(super) filters: BTreeMap<String, String>,
    /// Short names of its zones, with the ones that requests have.
    pub(crate) zones: BTreeMap<String, String>,
}

/// The content of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceContent {
    /// Prices in this unit.
    Prices(PriceUnit),
    /// Types of days: the source's words, with those of the day list.
    Days(BTreeMap<String, Label>),
}

/// How the times of a request are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AskedTimes {
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Milliseconds,
    /// `2026-01-05T10:00:00Z`.
    Utc,
    /// `2026-01-05T11:00:00+01:00`, by the source's clock.
    Offset,
    /// `202601051000`, in UTC.
    Minutes,
}

words! { AskedTimes: Seconds "seconds", Milliseconds "milliseconds", Utc "utc", Offset "offset", Minutes "minutes";
"seconds, milliseconds, utc, offset or minutes" }

/// How the times of an answer are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerTimes {
    /// A date-time, in UTC unless it has an offset.
    Iso,
    /// A date-time by the source's clock.
    Local,
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Milliseconds,
}

words! { AnswerTimes: Iso "iso", Local "local", Seconds "seconds", Milliseconds "milliseconds";
"iso, local, seconds or milliseconds" }

/// The format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerFormat {
    Json,
    Csv,
    /// A `Publication_MarketDocument` of ENTSO-E.
    Entsoe,
}

words! { AnswerFormat: Json "json", Csv "csv", Entsoe "entsoe"; "json, csv or entsoe" }

const CLOCK: &str = "a time zone such as Europe/Berlin";
const DECIMALS: &str = "point or comma";
const FILTERS: &str =
    "places with their values, such as { \"/payment_method\" = \"DIRECT_DEBIT\" }";
const HEADER: &str = "the name of a header and its value with {key}, such as \"X-Api-Key: {key}\"";
const PLACE: &str =
    "a text: a JSON pointer such as /data/price, or the name of a column; up to 256 bytes";
const PUBLISHED: &str = "a clock time such as 13:00";
const TOKEN_URL: &str = "an address such as https://api.example/token, without places to fill in";
const TYPES: &str =
    "the source's words with types of days, such as { BLUE = \"blue\", RED = \"red\" }";
const UNIT: &str = "a unit such as EUR/MWh or ct/kWh; or types, for a day list";
const URL: &str = "an address such as https://api.example/prices?from={from}&to={to}, over http or https, of at most 1024 bytes; its places are {zone}, {from}, {to}, {first}, {last}, {next}, {before}, {week} and {key}";
const BODY: &str = "a text of JSON of at most 4096 bytes; its places are {zone}, {from}, {to}, {first}, {last}, {next}, {before} and {week}";
const ITEMS: &str = "a JSON pointer such as /data, or a list of up to 8 of them";
const ZONES: &str =
    "short names of zones with the source's own, such as { DK1 = \"10YDK-1--------W\" }";
/// The most days of one request, and the longest pause, in seconds.
const MOST_DAYS: u16 = 366;
const LONGEST_PAUSE: u16 = 3_600;
const LONGEST_PLACE: usize = 256;
const LONGEST_BODY: usize = 4_096;
const MOST_ITEMS: usize = 8;

impl SourceForm {
    /// Its fields.
    pub const FIELDS: [&str; 21] = [
        "currency",
        "url",
        "token_url",
        "header",
        "body",
        "asks",
        "most_days",
        "pause_seconds",
        "published",
        "clock",
        "format",
        "items",
        "time",
        "end",
        "price",
        "times",
        "decimals",
        "unit",
        "types",
        "where",
        "zones",
    ];

    /// Reads the fields of a table; others in it are ignored.
    ///
    /// # Errors
    /// A [`FormError`] that names the wrong field.
    pub fn read(table: &Table) -> Result<Self, FormError> {
        let fields = FormFieldReader(table);
        let place = |field| {
            let parse = |text: &str| (text.len() <= LONGEST_PLACE).then(|| text.to_owned());
            fields.parsed(field, PLACE, parse)
        };
        let url = fields.parsed("url", URL, |text| text.parse::<SourceUrl>().ok())?;
        // First, because without it nothing is described.
        let url = url.ok_or_else(|| wrong("url", URL))?;
        let format = fields.parsed("format", "json, csv or entsoe", |it| it.parse().ok())?;
        let format = format.unwrap_or(AnswerFormat::Json);
        let required = |field, found: Option<String>| match (found, format) {
            (Some(found), _) => Ok(found),
            // The format says where its values are.
            (None, AnswerFormat::Entsoe) => Ok(String::new()),
            (None, _) => Err(wrong(field, PLACE)),
        };
        let decimals = fields.text("decimals", DECIMALS)?.unwrap_or("point");
        let asked = "seconds, milliseconds, utc, offset or minutes";
        let asks = fields.parsed("asks", asked, |text| text.parse().ok())?;
        let answered = "iso, local, seconds or milliseconds";
        let times = fields.parsed("times", answered, |text| text.parse().ok())?;
        let published = fields.parsed("published", PUBLISHED, clock_time_ms)?;
        let clock = fields.parsed("clock", CLOCK, |text| Zone::parse(text).ok())?;
        let items = fields.places("items", ITEMS, MOST_ITEMS, LONGEST_PLACE)?;
        let time = match place("time")? {
            Some(time) => time,
            // The names of an object may be the times.
            None if !items.is_empty() => String::new(),
            None => required("time", None)?,
        };
        let body = |text: &str| {
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            (is_json && text.len() <= LONGEST_BODY && !text.contains("{key}"))
                .then(|| text.to_owned())
        };
        Ok(Self {
            url,
            token_url: fields.parsed("token_url", TOKEN_URL, token_url)?,
            header: fields.parsed("header", HEADER, header)?,
            body: fields.parsed("body", BODY, body)?,
            asks: asks.unwrap_or(AskedTimes::Utc),
            most_days: fields.number("most_days", 1..=MOST_DAYS, 31)?,
            pause: Duration::from_secs(
                fields
                    .number("pause_seconds", 1..=LONGEST_PAUSE, 10)?
                    .into(),
            ),
            published_ms: published.unwrap_or(13 * 3_600_000),
            clock: clock.unwrap_or(Zone::UTC),
            format,
            items,
            time,
            end: place("end")?.unwrap_or_default(),
            currency: place("currency")?.unwrap_or_default(),
            price: required("price", place("price")?)?,
            times: times.unwrap_or(AnswerTimes::Iso),
            has_comma: match decimals {
                "point" => false,
                "comma" => true,
                _ => return Err(wrong("decimals", DECIMALS)),
            },
            content: content(&fields)?,
            filters: fields.texts("where", FILTERS)?,
            zones: fields.texts("zones", ZONES)?,
        })
    }

    /// Whether answers are documents of ENTSO-E.
    pub(super) fn is_of_entsoe(&self) -> bool {
        self.format == AnswerFormat::Entsoe
    }

    /// Whether requests have a key.
    pub(crate) fn needs_key(&self) -> bool {
        self.url.has("key") || self.header.is_some() || self.token_url.is_some()
    }

    /// Whether its values are exchange rates: one for each day.
    pub(super) fn has_rates(&self) -> bool {
        matches!(&self.content, SourceContent::Prices(unit) if unit.is_rate())
    }

    /// Whether each answer has a week.
    pub(super) fn has_weeks(&self) -> bool {
        self.url.has("week")
    }

    /// The same with a zone in the places of its answers and in its unit.
    pub(crate) fn of_zone(&self, zone: &str) -> Self {
        const PLACE: &str = "{zone}";
        let content = match &self.content {
            SourceContent::Prices(unit) => {
                let filled = unit.to_string().replace(PLACE, zone).parse();
                SourceContent::Prices(filled.unwrap_or_else(|_| unit.clone()))
            }
            days @ SourceContent::Days(_) => days.clone(),
        };
        Self {
            price: self.price.replace(PLACE, zone),
            content,
            filters: {
                let filters = self.filters.iter();
                filters
                    .map(|(place, value)| (place.clone(), value.replace(PLACE, zone)))
                    .collect()
            },
            ..self.clone()
        }
    }

    /// The address that the key is sent to.
    pub(crate) fn key_url(&self) -> &SourceUrl {
        self.token_url.as_ref().unwrap_or(&self.url)
    }

    /// The first moment of a day by its clock.
    pub(super) fn start_of(&self, day: LocalDate) -> Timestamp {
        day.start(&self.clock)
    }
}

fn content(fields: &FormFieldReader<'_>) -> Result<SourceContent, FormError> {
    let types = fields.texts("types", TYPES)?;
    let unit = fields.parsed("unit", UNIT, |text| text.parse().ok())?;
    match unit {
        Some(unit) if types.is_empty() => Ok(SourceContent::Prices(unit)),
        None if !types.is_empty() => {
            let labels = types.into_iter().map(|(word, text)| {
                let label = Label::new(&text).map_err(|_| wrong("types", TYPES))?;
                Ok((word, label))
            });
            labels.collect::<Result<_, _>>().map(SourceContent::Days)
        }
        _ => Err(wrong("unit", UNIT)),
    }
}

fn token_url(text: &str) -> Option<SourceUrl> {
    text.parse().ok().filter(|_| !text.contains('{'))
}

/// The name of a header, and its value with the place of the key.
fn header(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it));
    let is_value =
        value.contains("{key}") && value.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    (is_name && is_value && text.len() <= LONGEST_PLACE)
        .then(|| (name.to_owned(), value.to_owned()))
}

/// The milliseconds of the day at `13:00`.
fn clock_time_ms(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str, most: i64| {
        let is_number = text.len() == 2 && text.bytes().all(|it| it.is_ascii_digit());
        let number = is_number.then(|| text.parse::<i64>().ok())??;
        (number <= most).then_some(number)
    };
    Some((number(hour, 23)? * 60 + number(minute, 59)?) * 60_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "url = \"https://a.example/{zone}?from={from}\"\nitems = \"/data\"\ntime = \"/start\"\nprice = \"/price\"\nunit = \"EUR/MWh\"\n";

    fn read(text: &str) -> Result<SourceForm, FormError> {
        SourceForm::read(&text.parse().unwrap())
    }

    #[test]
    fn a_form_has_defaults() {
        let form = read(GOOD).unwrap();
        assert_eq!((form.most_days, form.pause.as_secs()), (31, 10));
        assert_eq!(form.published_ms, 13 * 3_600_000);
        assert!(!form.needs_key() && form.url.has("zone"));
        let with_key = |line: &str| read(&format!("{GOOD}{line}\n")).unwrap();
        assert!(with_key("header = \"X-Api-Key: {key}\"").needs_key());
        let token = with_key("token_url = \"https://b.example/token\"");
        assert_eq!(token.key_url().server(), "https://b.example");
    }

    #[test]
    fn a_wrong_field_is_named() {
        for (line, field) in [
            ("url = \"a.example\"", "url"),
            ("url = 1", "url"),
            ("token_url = \"https://a/{key}\"", "token_url"),
            ("header = \"X-Api-Key: s3cret\"", "header"),
            ("header = \"a\\nb: {key}\"", "header"),
            ("asks = \"days\"", "asks"),
            ("most_days = 0", "most_days"),
            ("most_days = 367", "most_days"),
            ("pause_seconds = \"10\"", "pause_seconds"),
            ("published = \"1 pm\"", "published"),
            ("published = \"24:00\"", "published"),
            ("clock = \"Mars\"", "clock"),
            ("format = \"html\"", "format"),
            ("items = 1", "items"),
            ("times = \"utc\"", "times"),
            ("decimals = \",\"", "decimals"),
            ("unit = \"EUR\"", "unit"),
            ("types = { RED = \"red\" }", "unit"),
            ("types = { RED = 1 }", "types"),
            ("zones = { DK1 = 1 }", "zones"),
        ] {
            let (name, _) = line.split_once(' ').unwrap();
            let others = GOOD
                .lines()
                .filter(|other| !other.starts_with(&format!("{name} ")));
            let text = others.chain([line]).collect::<Vec<_>>().join("\n");
            let error = read(&text).unwrap_err();
            assert_eq!(error.field, field, "{line}");
            assert!(!error.to_string().contains("s3cret"));
        }
        for (left_out, field) in [("url", "url"), ("price", "price"), ("unit", "unit")] {
            let lines = GOOD.lines();
            let others = lines.filter(|it| !it.starts_with(&format!("{left_out} ")));
            let text = others.collect::<Vec<_>>().join("\n");
            assert_eq!(read(&text).unwrap_err().field, field);
        }
        let without_items = GOOD.replace("items = \"/data\"\ntime = \"/start\"\n", "");
        assert_eq!(read(&without_items).unwrap_err().field, "time");
    }
}
