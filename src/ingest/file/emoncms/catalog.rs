//! Names and units of feeds.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;

use super::dump::read_table;
use crate::ingest::wanted::WantedPlaces;

/// The largest `feeds.json`: a feed takes a few hundred bytes.
const LIST_BYTES: u64 = 16 * 1024 * 1024;

/// The fields of a feed that are read.
const FIELDS: [&str; 6] = ["id", "name", "tag", "unit", "engine", "datatype"];

/// An entry of the list of feeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FeedEntry {
    pub(super) name: Option<String>,
    tag: Option<String>,
    pub(super) unit: Option<String>,
    engine: Option<String>,
    datatype: Option<String>,
}

impl FeedEntry {
    /// Tag and name, as Emoncms writes them.
    pub(super) fn tagged(&self) -> Option<String> {
        let tag = self.tag.as_deref().filter(|tag| !tag.is_empty())?;
        Some(format!("{tag}:{}", self.name.as_deref()?))
    }

    /// The kind of its values, if they are not readings.
    pub(super) fn other_kind(&self) -> Option<String> {
        match (self.engine.as_deref(), self.datatype.as_deref()) {
            (_, Some("2")) => Some("its values are sums of days".to_owned()),
            (_, Some("3")) => Some("it is a histogram".to_owned()),
            (Some("7"), _) => Some("it is computed from other feeds".to_owned()),
            _ => None,
        }
    }
}

/// The list of feeds in a folder; empty without a list.
pub(super) fn read_catalog(folder: &Path) -> Result<BTreeMap<u64, FeedEntry>> {
    let json = folder.join("feeds.json");
    let reading = |path: &Path| format!("reading {}", path.display());
    if json.is_file() {
        return read_list(&json).with_context(|| reading(&json));
    }
    for path in dumps(folder) {
        let file = File::open(&path).with_context(|| reading(&path))?;
        let rows = read_table(BufReader::new(file), "feeds").with_context(|| reading(&path))?;
        if !rows.is_empty() {
            return Ok(rows.into_iter().filter_map(entry).collect());
        }
    }
    Ok(BTreeMap::new())
}

/// The database dumps in a folder, by name.
fn dumps(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let is_dump = |path: &PathBuf| path.extension().is_some_and(|it| it == "sql") && path.is_file();
    let mut paths: Vec<_> = paths.filter(is_dump).collect();
    paths.sort();
    paths
}

/// `feeds.json`: a list of objects, whose numbers may be strings.
fn read_list(path: &Path) -> Result<BTreeMap<u64, FeedEntry>> {
    let mut text = Vec::new();
    File::open(path)?
        .take(LIST_BYTES + 1)
        .read_to_end(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > LIST_BYTES {
        bail!("it is longer than 16 MiB");
    }
    let expected = "expected a JSON list of feeds, as from /feed/list.json";
    let mut entries = BTreeMap::new();
    if !text.trim_ascii_start().starts_with(b"[") {
        bail!(expected);
    }
    let listed = WantedPlaces::members(FIELDS).each(&text, "", |_, feed| {
        let members = feed.as_object().into_iter().flatten();
        let fields = members.filter_map(|(name, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            Some((name.clone(), text))
        });
        entries.extend(entry(fields.collect()));
        Ok::<(), ()>(())
    });
    listed.map(|_| entries).map_err(|_| anyhow!(expected))
}

/// A feed of a list, by its fields; `None` without an id.
fn entry(mut fields: BTreeMap<String, String>) -> Option<(u64, FeedEntry)> {
    let id = fields.get("id")?.parse().ok()?;
    let mut take = |name: &str| fields.remove(name);
    let entry = FeedEntry {
        name: take("name"),
        tag: take("tag"),
        unit: take("unit"),
        engine: take("engine"),
        datatype: take("datatype"),
    };
    Some((id, entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_list_may_be_texts() {
        let dir = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            fs::write(dir.path().join("feeds.json"), text).unwrap();
            read_catalog(dir.path())
        };
        let list = read(
            r#"[{"id":"1","name":"use","tag":"house","unit":"W","engine":"5"},
                {"id":2,"name":"days","tag":"","engine":5,"datatype":2,"value":null},{"name":"x"},7]"#,
        );
        let list = list.unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(list[&1].tagged().unwrap(), "house:use");
        assert_eq!(
            (list[&1].unit.as_deref(), list[&1].other_kind()),
            (Some("W"), None)
        );
        assert_eq!(list[&2].tagged(), None);
        assert_eq!(
            list[&2].other_kind().unwrap(),
            "its values are sums of days"
        );
        for text in ["{}", "", "[{]"] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(
                error.contains("feeds.json: expected a JSON list of feeds"),
                "{error}"
            );
        }
    }
}
