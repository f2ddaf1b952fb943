//! Known formats of suppliers: how to recognise and read their files. Each is a file in `imports/`,
//! or one that somebody described for an account. Adding a format means adding files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;
use std::sync::OnceLock;

use include_dir::{Dir, include_dir};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::header::Header;
use super::number::DecimalMark;
use super::times::DateOrder;
use super::unit::{ImportMeasure, MeasureUnit, SeriesUnit};
use super::wishes::{TimesAre, Wishes};
use crate::domain::{Role, Zone};
use crate::ledger::contract::Label;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/imports");
/// The list of words, which is not a format.
const WORDS: &str = "words.toml";

/// A format of a supplier's files.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownFormat {
    /// The name of the supplier.
    #[serde(deserialize_with = "name")]
    pub(crate) name: String,
    /// A public address with an example of such a file; empty for a described format.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) source: String,
    /// Columns that such files have. A name that ends with `*` matches all names that begin with
    /// it.
    #[serde(deserialize_with = "some_columns")]
    pub(crate) columns: Vec<String>,
    /// The number of columns, for a remembered format: it must not change the reading of files that
    /// have more columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) width: Option<usize>,
    #[serde(default)]
    pub(crate) read: FormatTerms,
    /// The terms for a sensor of a role that differ, where a file has columns or rows for several
    /// roles. Without columns in `read`, the format is for sensors of these roles only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) role: BTreeMap<Role, FormatTerms>,
}

/// The terms that the header leaves open.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FormatTerms {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<String>,
    /// Columns of power, and of a register or energies, to add up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) power: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) energy: Vec<String>,
    /// Rows to take, each `COLUMN=VALUE`; several values of a column are alternatives.
    #[serde(
        rename = "where",
        deserialize_with = "filters",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) filters: Vec<String>,
    #[serde(deserialize_with = "zone", skip_serializing_if = "Option::is_none")]
    pub(crate) zone: Option<String>,
    /// `start` or `end`.
    #[serde(
        deserialize_with = "word::<_, TimesAre>",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) times: Option<String>,
    /// `W`, `kW`, `Wh`, `kWh` or `MWh`; or one of power and one of energy, such as `kW kWh`.
    #[serde(deserialize_with = "units", skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<String>,
    /// `point` or `comma`.
    #[serde(
        deserialize_with = "word::<_, DecimalMark>",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) decimals: Option<String>,
    /// `dmy` or `mdy`.
    #[serde(
        deserialize_with = "word::<_, DateOrder>",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) dates: Option<String>,
    /// Whether the energies belong to intervals.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) intervals: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

fn parse<T: FromStr>(text: Option<&String>) -> Option<T> {
    text?.parse().ok()
}

/// Reads a text that `check` accepts. A refusal then names its line in the file.
fn checked<'de, D: Deserializer<'de>, E: Display>(
    from: D,
    check: impl Fn(&str) -> Result<(), E>,
) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    match check(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(D::Error::custom(format!("{error}, got {text:?}"))),
    }
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    checked(from, |text| Label::new(text).map(drop))
}

fn some_columns<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let columns = Vec::deserialize(from)?;
    let problem = "expected the names of the columns that such files have";
    (!columns.is_empty())
        .then_some(columns)
        .ok_or_else(|| D::Error::custom(problem))
}

fn filters<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let filters = Vec::<String>::deserialize(from)?;
    match filters.iter().find(|filter| !filter.contains('=')) {
        Some(wrong) => Err(D::Error::custom(format!(
            "expected COLUMN=VALUE, got {wrong:?}"
        ))),
        None => Ok(filters),
    }
}

fn zone<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, |text| {
        let problem = "expected a time zone such as Europe/Berlin";
        Zone::parse(text).map(drop).map_err(|_| problem)
    })
    .map(Some)
}

fn units<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, |text| {
        text.split(' ')
            .try_for_each(|unit| unit.parse::<MeasureUnit>().map(drop))
    })
    .map(Some)
}

fn word<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    from: D,
) -> Result<Option<String>, D::Error> {
    checked(from, |text| text.parse::<T>().map(drop)).map(Some)
}

/// Returns the built-in formats.
pub(crate) fn built_in() -> &'static [KnownFormat] {
    static FORMATS: OnceLock<Vec<KnownFormat>> = OnceLock::new();
    FORMATS.get_or_init(|| {
        let files = FILES.files().filter(|file| file.path() != Path::new(WORDS));
        let mut formats: Vec<KnownFormat> = files
            .filter_map(|file| KnownFormat::parse(file.contents_utf8()?).ok())
            .collect();
        // The format with the most columns is the most certain.
        formats.sort_by_key(|format| std::cmp::Reverse(format.columns.len()));
        formats
    })
}

impl FormatTerms {
    /// Takes the terms that `own` has.
    fn take(&mut self, own: &Self) {
        let Self {
            time,
            power,
            energy,
            filters,
            zone,
            times,
            unit,
            decimals,
            dates,
            intervals,
        } = own.clone();
        for (mine, own) in [
            (&mut self.time, time),
            (&mut self.zone, zone),
            (&mut self.times, times),
            (&mut self.unit, unit),
            (&mut self.decimals, decimals),
            (&mut self.dates, dates),
        ] {
            *mine = own.or(mine.take());
        }
        for (mine, own) in [
            (&mut self.power, power),
            (&mut self.energy, energy),
            (&mut self.filters, filters),
        ] {
            if !own.is_empty() {
                *mine = own;
            }
        }
        self.intervals |= intervals;
    }
}

impl KnownFormat {
    /// Parses a file.
    ///
    /// # Errors
    /// The fault and the expected form, in words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|fault| text.get(..fault.start));
            let line = before.unwrap_or_default().split('\n').count();
            format!("line {line}: {}", error.message().replace('\n', ", "))
        })
    }

    /// Whether a table with this header has this format.
    pub(crate) fn is_of(&self, header: &Header) -> bool {
        let has = |wanted: &String| match wanted.strip_suffix('*') {
            Some(begin) => header.names.iter().any(|name| name.starts_with(begin)),
            None => header
                .names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(wanted)),
        };
        let is_wide = self.width.is_none_or(|width| width == header.names.len());
        is_wide && header.headerless_time.is_none() && self.columns.iter().all(has)
    }

    /// The zone of times without one, for an account in the zone `account`. A supplier's files follow
    /// the clock of the house, and houses of one supplier may be in several zones: so its city only
    /// counts if the account has none.
    pub(crate) fn zone_in(&self, account: Option<&Zone>) -> Option<Zone> {
        let own = self.read.zone.as_deref();
        let own = own.and_then(|zone| Zone::parse(zone).ok());
        let is_described = self.source.is_empty();
        let is_certain = |own: &Zone| is_described || own.is_fixed();
        let place = account.filter(|zone| !zone.is_fixed()).cloned();
        match own {
            Some(own) if is_certain(&own) => Some(own),
            own => place.or(own),
        }
    }

    /// It with the terms for a sensor of this role; `None` if it is not for such a sensor. Where roles
    /// are named, the terms for all are those of imports and of devices.
    pub(crate) fn of_role(&self, role: Option<Role>) -> Option<Cow<'_, Self>> {
        let Some(own) = role.and_then(|role| self.role.get(&role)) else {
            let comes_in = matches!(
                role,
                None | Some(Role::Grid | Role::GridImport | Role::SubMeter)
            );
            let is_for_it = self.role.is_empty() || comes_in && !self.read.energy.is_empty();
            return is_for_it.then_some(Cow::Borrowed(self));
        };
        let mut format = self.clone();
        format.read.take(own);
        Some(Cow::Owned(format))
    }

    /// Whether a row above the header names another unit than this format: suppliers use the same
    /// columns for power and energy.
    pub(crate) fn differs_from(&self, above: Option<SeriesUnit>) -> bool {
        let own = self.read.unit.as_deref().and_then(SeriesUnit::parse);
        own.zip(above).is_some_and(|(own, above)| own != above)
    }

    /// Fills in the wishes that are still open.
    pub(crate) fn complete_wishes(&self, header: &Header, wishes: &mut Wishes) {
        let read = &self.read;
        let full = |wanted: &String| {
            // The name of a column may itself end with a star.
            let begin = wanted.strip_suffix('*');
            let begin = begin.filter(|_| !header.names.contains(wanted));
            let mut columns = header.names.iter();
            let found = columns.find(|name| begin.is_some_and(|begin| name.starts_with(begin)));
            found.unwrap_or(wanted).clone()
        };
        if wishes.watts.is_none() && wishes.watthours.is_none() {
            let columns = |names: &[String]| names.iter().map(full).collect::<Vec<_>>();
            let (power, energy) = (columns(&read.power), columns(&read.energy));
            wishes.watts = power.first().cloned();
            wishes.watthours = energy.first().cloned();
            let more = |measure, names: Vec<String>| {
                names.into_iter().skip(1).map(move |name| (measure, name))
            };
            wishes.more.extend(more(ImportMeasure::Power, power));
            wishes.more.extend(more(ImportMeasure::Register, energy));
            if wishes.filters.is_empty() {
                let filters = read
                    .filters
                    .iter()
                    .filter_map(|filter| filter.split_once('='));
                let owned =
                    |(name, value): (&str, &str)| (full(&name.to_owned()), value.to_owned());
                wishes.filters = filters.map(owned).collect();
            }
        }
        wishes.time = wishes.time.take().or_else(|| read.time.as_ref().map(full));
        wishes.times = wishes.times.or_else(|| parse(read.times.as_ref()));
        wishes.decimals = wishes.decimals.or_else(|| parse(read.decimals.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_built_in_format_is_valid_and_has_a_public_source() {
        let mut count = 0;
        for file in FILES.files().filter(|file| file.path() != Path::new(WORDS)) {
            let path = file.path().display();
            let format = KnownFormat::parse(file.contents_utf8().unwrap());
            let format = format.unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(format.source.starts_with("https://"), "{path}");
            count += 1;
        }
        assert!(count >= 20, "{count}");
    }

    fn own(name: &str, columns: &[&str], width: Option<usize>) -> KnownFormat {
        KnownFormat {
            name: name.to_owned(),
            source: String::new(),
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            width,
            read: FormatTerms::default(),
            role: BTreeMap::new(),
        }
    }

    /// A meter's imports go to no inverter.
    #[test]
    fn a_format_that_names_roles_is_for_panels_only_if_it_names_them() {
        let of = |text: &str, role: Role| {
            let format = KnownFormat::parse(text).unwrap();
            let of_role = format.of_role(Some(role))?;
            Some(of_role.read.energy.clone())
        };
        let meter = "name = \"M\"\ncolumns = [\"in\"]\n[read]\nenergy = [\"in\"]\n";
        let both = format!("{meter}[role.grid-export]\nenergy = [\"out\"]\n");
        for role in [Role::Grid, Role::GridImport, Role::SubMeter] {
            assert_eq!(of(&both, role), Some(vec!["in".to_owned()]), "{role:?}");
        }
        assert_eq!(of(&both, Role::GridExport), Some(vec!["out".to_owned()]));
        for role in [Role::Solar, Role::Battery, Role::BatteryCharge] {
            assert_eq!(of(&both, role), None, "{role:?}");
            assert_eq!(of(meter, role), Some(vec!["in".to_owned()]), "{role:?}");
        }
    }

    #[test]
    fn a_city_of_a_supplier_is_not_that_of_the_account() {
        let zone = |name: &str| Zone::parse(name).unwrap();
        let format = |source: &str, own: &str| KnownFormat {
            source: source.to_owned(),
            read: FormatTerms {
                zone: Some(own.to_owned()),
                ..FormatTerms::default()
            },
            ..own_format()
        };
        let (city, fixed) = ("America/Los_Angeles", "Etc/GMT-10");
        for (source, own, account, expected) in [
            (
                "https://x",
                city,
                Some("America/New_York"),
                "America/New_York",
            ),
            ("https://x", city, Some("UTC"), city),
            ("https://x", city, None, city),
            ("https://x", fixed, Some("Australia/Melbourne"), fixed),
            ("https://x", "UTC", Some("Europe/London"), "UTC"),
            ("", city, Some("America/New_York"), city),
        ] {
            let account = account.map(zone);
            let found = format(source, own).zone_in(account.as_ref());
            assert_eq!(found.unwrap().name(), expected, "{source} {own}");
        }
    }

    fn own_format() -> KnownFormat {
        own("x", &["a"], None)
    }

    #[test]
    fn a_remembered_file_is_not_taken_for_one_with_more_columns() {
        let header = |text: &str| {
            let record = csv::ByteRecord::from(text.split(',').collect::<Vec<_>>());
            Header::of(&record, None, None).unwrap()
        };
        let format = own("x", &["time", "watts"], Some(2));
        assert!(format.is_of(&header("time,watts")));
        assert!(!format.is_of(&header("time,watts,watthours")));
        let starred = KnownFormat {
            read: FormatTerms {
                energy: vec!["used*".to_owned()],
                ..FormatTerms::default()
            },
            ..own("x", &["used*"], Some(3))
        };
        let mut wishes = Wishes::default();
        starred.complete_wishes(&header("time,used,used*"), &mut wishes);
        assert_eq!(wishes.watthours.as_deref(), Some("used*"));
    }

    #[test]
    fn a_described_format_is_read_as_it_was_written() {
        let format = KnownFormat {
            read: FormatTerms {
                energy: vec!["used \"x\"".to_owned()],
                filters: vec!["a=b".to_owned()],
                unit: Some("kW kWh".to_owned()),
                times: Some("end".to_owned()),
                intervals: true,
                ..FormatTerms::default()
            },
            role: BTreeMap::from([(Role::GridExport, FormatTerms::default())]),
            ..own("My utility: ../x", &["when", "used \"x\""], Some(2))
        };
        let text = toml::to_string(&format).unwrap();
        assert_eq!(KnownFormat::parse(&text), Ok(format));
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named_with_its_line() {
        let long = format!("name = \"{}\"", "x".repeat(65));
        let named = |rest: &str| format!("name = \"x\"\ncolumns = [\"a\"]\n[read]\n{rest}");
        for (text, expected) in [
            (
                "\nname = 1".to_owned(),
                "line 2: invalid type: integer `1`, expected a string",
            ),
            (long, "line 1: "),
            ("name = \"\"".to_owned(), "line 1: "),
            ("name = \"x\"".to_owned(), "line 1: missing field `columns`"),
            (
                "name = \"x\"\ncolumns = []".to_owned(),
                "line 2: expected the names of the columns",
            ),
            (
                named("zone = \"Mars\""),
                "line 4: expected a time zone such as Europe/Berlin, got \"Mars\"",
            ),
            (
                named("\nwhere = [\"b=c\", \"b\"]"),
                "line 5: expected COLUMN=VALUE, got \"b\"",
            ),
            (named("unit = \"kW J\""), "line 4: expected W, kW, Wh"),
            (
                named("times = \"begin\""),
                "line 4: expected start or end, got \"begin\"",
            ),
            (named("dates = \"ymd\""), "line 4: expected dmy or mdy"),
            (named("decimals = \".\""), "line 4: expected point or comma"),
            (
                "name = \"x\"\ncolumns = [\"a\"]\n[role.roof]".to_owned(),
                "line 3: unknown variant `roof`, expected one of `grid`, `grid-import`",
            ),
            (named("colour = 1"), "line 4: unknown field `colour`"),
        ] {
            let error = KnownFormat::parse(&text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
