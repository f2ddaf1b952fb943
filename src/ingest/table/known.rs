//! Known formats of suppliers: how to recognise and read their files. Each is a file in `imports/`,
//! or one in the data folder that somebody described on the page. Adding a format means adding
//! files.

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, OnceLock};
use std::time::Instant;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};

use super::header::Header;
use super::number::DecimalMark;
use super::times::DateOrder;
use super::unit::{ImportMeasure, MeasureUnit, SeriesUnit};
use super::wishes::{TimesAre, Wishes};
use crate::domain::Zone;
use crate::ingest::LogLimit;
use crate::locks::lock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/imports");
/// The list of words, which is not a format.
const WORDS: &str = "words.toml";
/// The folder of described formats in the data folder, their maximum number, and the maximum size
/// of one.
const FOLDER: &str = "imports";
const MOST: usize = 200;
const BYTES: u64 = 16 * 1024;

/// A format of a supplier's files.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownFormat {
    /// The name of the supplier.
    pub(crate) name: String,
    /// A public address with an example of such a file.
    pub(crate) source: String,
    /// Columns that such files have. A name that ends with `*` matches all names that begin with
    /// it.
    pub(crate) columns: Vec<String>,
    /// The number of columns, for a remembered format: it must not change the reading of files that
    /// have more columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) width: Option<usize>,
    #[serde(default)]
    pub(crate) read: FormatTerms,
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
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub(crate) filters: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) zone: Option<String>,
    /// `start` or `end`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) times: Option<String>,
    /// `W`, `kW`, `Wh`, `kWh` or `MWh`; or one of power and one of energy, such as `kW kWh`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<String>,
    /// `point` or `comma`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decimals: Option<String>,
    /// `dmy` or `mdy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dates: Option<String>,
    /// Whether the energies belong to intervals.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) intervals: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

fn parse<T: std::str::FromStr>(text: Option<&String>) -> Option<T> {
    text?.parse().ok()
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

/// Reads the formats in the data folder. They take precedence over the built-in ones.
pub(crate) fn described(data_dir: &Path) -> Vec<KnownFormat> {
    let Ok(entries) = std::fs::read_dir(data_dir.join(FOLDER)) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries
        .flatten()
        .take(MOST)
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let read = |path: &PathBuf| {
        read_described(path)
            .inspect_err(|fault| warn(path, fault))
            .ok()
    };
    paths.iter().filter_map(read).collect()
}

fn read_described(path: &Path) -> Result<KnownFormat, String> {
    let file = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !file.is_file() || file.len() > BYTES {
        return Err(format!("expected a file of at most {BYTES} bytes"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    KnownFormat::parse(&text)
}

/// Logs why a file is passed over: not each time the page looks at the folder.
fn warn(path: &Path, fault: &str) {
    static LOGGED: LazyLock<(Instant, Mutex<LogLimit>)> =
        LazyLock::new(|| (Instant::now(), Mutex::default()));
    let path = path.display().to_string();
    if lock(&LOGGED.1).allows(&path, fault, LOGGED.0.elapsed()) {
        log::warn!("no table is read as {path} says: {fault}; correct the file or remove it");
    }
}

impl KnownFormat {
    /// Parses a file.
    ///
    /// # Errors
    /// The fault and the expected form, in words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let format: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|fault| text.get(..fault.start));
            let line = before.unwrap_or_default().split('\n').count();
            format!("line {line}: {}", error.message().replace('\n', ", "))
        })?;
        format.check()?;
        Ok(format)
    }

    fn check(&self) -> Result<(), String> {
        let read = &self.read;
        if self.columns.is_empty() {
            return Err(
                "columns: expected the names of the columns that such files have".to_owned(),
            );
        }
        let check_known =
            |name: &str, text: &Option<String>, is_known: &dyn Fn(&str) -> bool| match text {
                Some(text) if !is_known(text) => Err(format!("{name}: {text:?} is not known")),
                _ => Ok(()),
            };
        check_known("zone", &read.zone, &|text| Zone::parse(text).is_ok())?;
        check_known("times", &read.times, &|text| {
            text.parse::<TimesAre>().is_ok()
        })?;
        check_known("unit", &read.unit, &|text| {
            text.split(' ')
                .all(|unit| unit.parse::<MeasureUnit>().is_ok())
        })?;
        check_known("decimals", &read.decimals, &|text| {
            text.parse::<DecimalMark>().is_ok()
        })?;
        check_known("dates", &read.dates, &|text| {
            text.parse::<DateOrder>().is_ok()
        })?;
        match read.filters.iter().find(|filter| !filter.contains('=')) {
            Some(filter) => Err(format!("where: {filter:?} is not COLUMN=VALUE")),
            None => Ok(()),
        }
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

    /// Saves the format in the data folder, where [`described`] finds it.
    ///
    /// # Errors
    /// If the file cannot be written, or there are too many formats.
    pub(crate) fn save(&self, data_dir: &Path) -> std::io::Result<()> {
        let other = |format: &&Self| format.name != self.name && format.stem() == self.stem();
        if let Some(other) = described(data_dir).iter().find(other) {
            let text = format!(
                "a format has almost the same name, {:?}: choose another",
                other.name
            );
            return Err(std::io::Error::other(text));
        }
        let folder = data_dir.join(FOLDER);
        std::fs::create_dir_all(&folder)?;
        let text = toml::to_string(self).map_err(std::io::Error::other)?;
        let too_long = u64::try_from(text.len()).is_ok_and(|length| length > BYTES);
        if too_long || std::fs::read_dir(&folder)?.count() >= MOST {
            return Err(std::io::Error::other(format!(
                "at most {MOST} formats, of {BYTES} bytes"
            )));
        }
        let path = folder.join(format!("own-{}.toml", self.stem()));
        let new = path.with_extension("new");
        std::fs::write(&new, text)?;
        std::fs::rename(new, path)
    }

    /// The name in the form of a file name.
    fn stem(&self) -> String {
        // Letters of all scripts are kept, otherwise all names in some scripts would be the same.
        let plain = |c: char| {
            if c.is_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        self.name.chars().map(plain).take(50).collect()
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
        }
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
    fn no_name_replaces_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let long = "\u{10400}".repeat(100);
        let names = ["\u{3b1}", "\u{3b2}", "My utility", &long];
        for name in names {
            own(name, &["a"], None).save(dir.path()).unwrap();
        }
        let error = own("my-utility", &["a"], None).save(dir.path());
        assert!(error.unwrap_err().to_string().contains("choose another"));
        assert_eq!(described(dir.path()).len(), names.len());
    }

    #[test]
    fn a_described_format_is_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let format = KnownFormat {
            name: "My utility: ../x".to_owned(),
            source: String::new(),
            columns: vec!["when".to_owned(), "used".to_owned()],
            width: Some(2),
            read: FormatTerms {
                energy: vec!["used".to_owned()],
                unit: Some("kW kWh".to_owned()),
                intervals: true,
                ..FormatTerms::default()
            },
        };
        format.save(dir.path()).unwrap();
        format.save(dir.path()).unwrap();
        assert_eq!(described(dir.path()), [format]);
    }

    #[test]
    fn files_with_a_fault_are_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        own("x", &["a"], None).save(dir.path()).unwrap();
        let folder = dir.path().join(FOLDER);
        std::fs::write(folder.join("a.toml"), "name = 1").unwrap();
        std::fs::write(folder.join("b.toml"), [0xff]).unwrap();
        std::fs::write(folder.join("c.toml"), " ".repeat(16 * 1024 + 1)).unwrap();
        std::fs::create_dir(folder.join("d.toml")).unwrap();
        std::fs::write(folder.join("e.txt"), "name = 1").unwrap();
        assert_eq!(described(dir.path()), [own("x", &["a"], None)]);
        let fault = |name| read_described(&folder.join(name)).unwrap_err();
        assert!(fault("b.toml").contains("UTF-8"));
        for name in ["c.toml", "d.toml"] {
            assert_eq!(fault(name), "expected a file of at most 16384 bytes");
        }
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named() {
        for (text, expected) in [
            (
                "\nname = 1",
                "line 2: invalid type: integer `1`, expected a string",
            ),
            (
                "name = \"x\"\nsource = \"\"\ncolumns = []",
                "columns: expected",
            ),
            (
                "name = \"x\"\nsource = \"\"\ncolumns = [\"a\"]\nread.zone = \"Mars\"",
                "zone: \"Mars\" is not known",
            ),
            (
                "name = \"x\"\nsource = \"\"\ncolumns = [\"a\"]\nread.where = [\"b\"]",
                "is not COLUMN=VALUE",
            ),
        ] {
            let error = KnownFormat::parse(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
