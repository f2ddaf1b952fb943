//! The contents of the page of imports, and the choices in its form.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use askama::Template;

use super::history_check::TableTerms;
use super::history_words::TableWords;
use super::parts::{layout, zone_of, zones};
use crate::admin::{AdminError, EntryForm, SensorRow, put_entry};
use crate::domain::{AccountName, MeterKind, Zone};
use crate::http::pages::frame::admin_call;
use crate::http::pages::frame::{Layout, PageError, Visit};
use crate::ingest::table::{
    DateOrder, DecimalMark, FormatTerms, ImportMeasure, KnownFormat, MeasureUnit, TablePreview,
    TimesAre, Wishes, unit_in,
};
use crate::ledger::contract::Label;
use crate::store::StoreError;

#[derive(Template)]
#[template(path = "settings/history.html")]
pub(super) struct HistoryPage {
    pub(super) layout: Layout,
    pub(super) sensor: SensorRow,
    pub(super) account: AccountName,
    pub(super) table: String,
    /// `None` if no table was given yet.
    pub(super) preview: Option<TablePreview>,
    pub(super) terms: TableTerms,
    pub(super) zone: String,
    pub(super) zones: Vec<String>,
    pub(super) needs_order: bool,
    pub(super) found: Option<TableWords>,
    /// The name for the file's format, if it is to be remembered.
    pub(super) format_name: String,
    /// The sheet of a workbook to read; empty for the only one with times.
    pub(super) sheet: String,
    /// Its other sheets with times, in words.
    pub(super) other_sheets: String,
    pub(super) formats: Arc<[KnownFormat]>,
    /// The names of the described formats of the sensor's account.
    pub(super) described: Vec<String>,
}

/// A table as the content of a `textarea`, where quotes need no escape.
pub(super) struct TableText<'a>(pub(super) &'a str);

impl TableText<'_> {
    /// Its parts: the text that needs no escape, and the escaped character after it.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.0.split_inclusive(['&', '<']).map(|part| {
            let plain = part.trim_end_matches(['&', '<']);
            let marked = match part.as_bytes().last() {
                Some(b'&') => "&#38;",
                Some(b'<') => "&#60;",
                _ => "",
            };
            (plain, marked)
        })
    }

    /// Its length on the page, in bytes.
    pub(super) fn length(&self) -> usize {
        let parts = self.parts();
        parts
            .map(|(plain, marked)| plain.len() + marked.len())
            .sum()
    }
}

impl fmt::Display for TableText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().try_for_each(|(plain, marked)| {
            f.write_str(plain)?;
            f.write_str(marked)
        })
    }
}

/// The fields for a measure's column and unit.
pub(super) struct MeasureField<'a> {
    pub(super) id: &'static str,
    pub(super) label: String,
    pub(super) chosen: Option<&'a str>,
    pub(super) units: [&'static str; 2],
    /// The unit; `None` if the file names it, or the page must ask for it.
    pub(super) unit: Option<MeasureUnit>,
}

impl MeasureField<'_> {
    /// Whether this unit is chosen.
    pub(super) fn is_in(&self, unit: &str) -> bool {
        self.unit.is_some_and(|own| own.as_str() == unit)
    }
}

impl HistoryPage {
    pub(super) async fn of(visit: &Visit, id: &str) -> Result<Self, PageError> {
        let sensor = admin_call::sensor(&visit.app, id).await?;
        let zone = zone_of(&visit.app, &sensor.account).name().to_owned();
        let account = AccountName::new(&sensor.account).map_err(|_| PageError::NotFound)?;
        let of = account.clone();
        let known = visit.look(move |store| {
            let registry = store.registry();
            let all = registry.formats(&of);
            // One that a later version wrote may not be known here.
            all.map(|(name, text)| (name.to_string(), KnownFormat::parse(text).ok()))
                .collect::<Vec<_>>()
        });
        let (described, formats): (_, Vec<_>) = known.await?.into_iter().unzip();
        Ok(Self {
            layout: layout(visit)?,
            sensor,
            account,
            table: String::new(),
            preview: None,
            terms: TableTerms::default(),
            zones: zones(&zone),
            zone,
            needs_order: false,
            found: None,
            format_name: String::new(),
            sheet: String::new(),
            other_sheets: String::new(),
            formats: formats.into_iter().flatten().collect(),
            described,
        })
    }

    /// Whether the sensor stores energies of intervals.
    fn has_intervals(&self) -> bool {
        self.sensor.register == MeterKind::Interval
    }

    /// The fields of power and of the register.
    pub(super) fn measures(&self) -> [MeasureField<'_>; 2] {
        let (terms, language) = (&self.terms, self.layout.language);
        [
            MeasureField {
                id: "power",
                label: language.say("history-power"),
                chosen: terms.wishes.watts.as_deref(),
                units: ["W", "kW"],
                unit: terms.units[0],
            },
            MeasureField {
                id: "register",
                label: match self.sensor.register {
                    MeterKind::Interval => language.say("history-energy"),
                    _ => language.say("history-register"),
                },
                chosen: terms.wishes.watthours.as_deref(),
                units: ["Wh", "kWh"],
                unit: terms.units[1],
            },
        ]
    }

    /// The first choice of units: those named by columns, otherwise those of the known format.
    pub(super) fn units_of(wishes: &Wishes, known: Option<&str>) -> [Option<MeasureUnit>; 2] {
        let own = |wish: &Option<String>| unit_in(wish.as_deref()?)?.parse().ok();
        let of = |is_power: bool| {
            let known = known.unwrap_or_default().split(' ');
            let mut known = known.filter_map(|unit| unit.parse().ok());
            known.find(|unit| matches!(unit, MeasureUnit::Power(_)) == is_power)
        };
        [
            own(&wishes.watts).or(of(true)),
            own(&wishes.watthours).or(of(false)),
        ]
    }

    /// The rows to take, one condition on each line.
    pub(super) fn filters(&self) -> String {
        let filters = self.terms.wishes.filters.iter();
        let lines: Vec<_> = filters
            .map(|(column, value)| format!("{column}={value}"))
            .collect();
        lines.join("\n")
    }

    /// The columns that may be added to the column of `field`: name, label, and whether it is.
    pub(super) fn more(&self, field: &MeasureField<'_>) -> Vec<(&str, &str, bool)> {
        let measure = if field.id == "power" {
            ImportMeasure::Power
        } else {
            ImportMeasure::Register
        };
        let more = self.terms.wishes.more.iter();
        let added: Vec<&str> = more
            .filter(|(of, _)| *of == measure)
            .map(|(_, name)| name.as_str())
            .collect();
        let numbers = self.preview.iter().flat_map(|it| &it.numbers);
        let numbers = numbers.map(|it| (it.wish.as_str(), it.label.as_str()));
        let numbers: Vec<_> = numbers
            .filter(|(wish, _)| field.chosen != Some(*wish))
            .collect();
        // Of the format, if not of the first columns.
        let others = added.iter().map(|name| (*name, *name));
        let others = others.filter(|(name, _)| numbers.iter().all(|(wish, _)| wish != name));
        let all = numbers.iter().copied().chain(others);
        all.map(|(wish, label)| (wish, label, added.contains(&wish)))
            .collect()
    }

    /// The chosen column of times; `None` if it is the one that is found without a choice, which
    /// may have an end beside it.
    pub(super) fn own_time(&self) -> Option<String> {
        let preview = self.preview.as_ref();
        let found = preview.and_then(|it| it.guess.time.as_ref());
        let chosen = self.terms.wishes.time.clone();
        chosen.filter(|chosen| Some(chosen) != found)
    }

    /// Whether columns are added to the column of a field.
    pub(super) fn adds_up(&self, field: &MeasureField<'_>) -> bool {
        self.more(field).iter().any(|(.., is_added)| *is_added)
    }

    /// Whether the page can remember the format of this file.
    pub(super) fn can_remember(&self) -> bool {
        let preview = self.preview.as_ref();
        preview.is_some_and(|it| it.format.is_none() && !it.columns.is_empty())
    }

    /// Saves the choices as a format, for files like this one.
    pub(super) async fn remember(&mut self, visit: &Visit) -> Result<(), PageError> {
        let name = self.format_name.clone();
        let Some(preview) = &self.preview else {
            return Ok(());
        };
        if Label::new(&name).is_err() {
            return Err(PageError::mistake("history-choose-name", "format-name"));
        }
        let (wishes, register) = (&self.terms.wishes, self.sensor.register);
        let all = |first: &Option<String>, measure| {
            let more = wishes.more.iter().filter(move |(of, _)| *of == measure);
            first
                .iter()
                .chain(more.map(|(_, name)| name))
                .cloned()
                .collect::<Vec<_>>()
        };
        let units = self.terms.open_units();
        let units: Vec<_> = units.into_iter().map(MeasureUnit::as_str).collect();
        let format = KnownFormat {
            name,
            source: String::new(),
            columns: preview
                .names
                .iter()
                .filter(|name| !name.is_empty())
                .cloned()
                .collect(),
            width: Some(preview.width),
            read: FormatTerms {
                time: self.own_time(),
                power: all(&wishes.watts, ImportMeasure::Power),
                energy: all(&wishes.watthours, ImportMeasure::Register),
                filters: wishes
                    .filters
                    .iter()
                    .map(|(column, value)| format!("{column}={value}"))
                    .collect(),
                zone: Some(self.zone.clone()),
                times: wishes.times.map(|times| times.as_str().to_owned()),
                unit: Some(units.join(" ")).filter(|units| !units.is_empty()),
                decimals: wishes.decimals.map(|mark| mark.as_str().to_owned()),
                dates: self.terms.order.map(|order| order.as_str().to_owned()),
                intervals: register == MeterKind::Interval && wishes.watthours.is_some(),
            },
            role: BTreeMap::new(),
        };
        let text = toml::to_string(&format)
            .map_err(|_| PageError::mistake("history-format-long", "format-name"))?;
        let (account, now) = (self.account.clone(), visit.app.counted_now());
        let form = EntryForm::Format(text);
        let put = visit.look(move |store| put_entry(store, &account, (&form, None), now));
        put.await?.map_err(|error| match error {
            AdminError::Unfit(StoreError::TooManyEntries { .. }) => {
                PageError::mistake("history-many-formats", "format-name")
            }
            AdminError::Unfit(StoreError::TextTooLong { .. }) => {
                PageError::mistake("history-format-long", "format-name")
            }
            other => PageError::of_admin(other, |_| "format-name"),
        })?;
        self.layout.done = Some(self.layout.language.say("history-remembered"));
        Ok(())
    }

    pub(super) fn table_text(&self) -> TableText<'_> {
        TableText(&self.table)
    }

    pub(super) fn is_time(&self, wish: &str) -> bool {
        self.terms.wishes.time.as_deref() == Some(wish)
    }

    /// Reads the choices; `None` before there was a file to choose for.
    pub(super) fn read_terms(&mut self, visit: &Visit) -> Result<Option<TableTerms>, PageError> {
        if visit.field("chosen")? != "yes" {
            return Ok(None);
        }
        let given = |name| Ok::<_, PageError>(Some(visit.field(name)?).filter(|it| !it.is_empty()));
        self.zone = visit.field("tz")?;
        let zone = Zone::parse(&self.zone).map_err(|error| PageError::refused("tz", &error))?;
        let filters = visit.field("where")?;
        let filters = filters
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        let filters = filters.map(|line| {
            let pair = line
                .split_once('=')
                .filter(|(column, _)| !column.is_empty());
            let (column, value) =
                pair.ok_or_else(|| PageError::mistake("history-choose-where", "where"))?;
            Ok((column.to_owned(), value.to_owned()))
        });
        // The chosen column, and others that are added to it, which may be chosen alone.
        let measure = |first, more, measure| {
            let mut all: Vec<_> = given(first)?.into_iter().collect();
            for column in visit.fields(more) {
                if !column.is_empty() && !all.contains(&column) {
                    all.push(column);
                }
            }
            let mut all = all.into_iter();
            let first = all.next();
            let more: Vec<_> = all.map(|column| (measure, column)).collect();
            Ok::<_, PageError>((first, more))
        };
        let (watts, power) = measure("power", "power-more", ImportMeasure::Power)?;
        let (watthours, energy) = measure("register", "register-more", ImportMeasure::Register)?;
        Ok(Some(TableTerms {
            wishes: Wishes {
                from_registers: visit.field("from-registers")? == "yes",
                time: given("time")?,
                watts,
                watthours,
                more: [power, energy].concat(),
                filters: filters.collect::<Result<_, PageError>>()?,
                times: visit.field("times")?.parse().ok(),
                decimals: visit.field("decimals")?.parse().ok(),
            },
            units: [
                visit.field("power-unit")?.parse().ok(),
                visit.field("register-unit")?.parse().ok(),
            ],
            zone: Some(zone),
            order: visit.field("dates")?.parse().ok(),
            skips_bad: visit.field("skip-bad")? == "yes",
        }))
    }

    /// Checks for missing choices, as far as possible without reading the table.
    pub(super) fn check_terms(&self) -> Result<(), PageError> {
        let wishes = &self.terms.wishes;
        // Only tables have columns.
        let is_table = self
            .preview
            .as_ref()
            .is_none_or(|it| !it.columns.is_empty());
        if wishes.time.is_none() && is_table {
            return Err(PageError::mistake("history-choose-time", "time"));
        }
        if wishes.watts.is_none() && wishes.watthours.is_none() {
            return Err(PageError::mistake("history-choose", "power"));
        }
        if self.needs_order && self.terms.order.is_none() {
            return Err(PageError::mistake("history-choose-order", "dates"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_long_on_the_page_as_was_counted() {
        for (table, page) in [
            ("time,\"a\"\n1,'2'>\n", "time,\"a\"\n1,'2'>\n"),
            ("&&<a</textarea>&", "&#38;&#38;&#60;a&#60;/textarea>&#38;"),
            ("", ""),
        ] {
            let text = TableText(table);
            assert_eq!(text.to_string(), page);
            assert_eq!(text.length(), page.len());
        }
    }
}
