//! `wattkeeper config`: the settings in force and where each came from.

use anyhow::Result;
use serde::Serialize;

use super::Global;
use super::output::{print_json, print_table};

#[derive(Serialize)]
struct SettingRow {
    key: String,
    value: String,
    origin: String,
}

pub(super) fn run(global: &Global) -> Result<()> {
    let settings = global.load(None)?.settings;
    let rows: Vec<_> = settings
        .into_iter()
        .map(|setting| SettingRow {
            origin: setting.origin.to_string(),
            key: setting.key,
            value: setting.value,
        })
        .collect();
    if global.json {
        return print_json(&rows);
    }
    let lines: Vec<_> = rows
        .into_iter()
        .map(|row| [row.key, row.value, row.origin])
        .collect();
    print_table(["setting", "value", "from"], &lines)
}
