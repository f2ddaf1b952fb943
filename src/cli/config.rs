//! `wattkeeper config`: the settings in force and where each came from.

use anyhow::Result;
use serde::Serialize;

use super::args::Global;
use super::output::TableRow;

#[derive(Serialize)]
struct SettingRow {
    key: String,
    value: String,
    origin: String,
}

impl TableRow for SettingRow {
    const HEADER: &[&str] = &["setting", "value", "from"];

    fn cells(&self) -> Vec<String> {
        vec![self.key.clone(), self.value.clone(), self.origin.clone()]
    }
}

pub(super) fn run(global: &Global) -> Result<()> {
    let settings = global.load()?.settings;
    let rows: Vec<_> = settings
        .into_iter()
        .map(|setting| SettingRow {
            origin: setting.origin,
            key: setting.key,
            value: setting.value,
        })
        .collect();
    global.print_rows(&rows)
}
