//! The page to import a sensor's readings from a table: the text of a file, its columns, then a
//! summary of the readings. Nothing is kept between these steps: each form contains the whole
//! table.

use std::fmt::{self, Display};
use std::sync::Arc;

use askama::Template;

use super::history_check::{Destination, TableTerms, check};
use super::parts::{layout, zone_of, zones};
use crate::admin::{self, AdminError, ImportHow, ReadingRow, Request, SensorRow};
use crate::chart::Wording;
use crate::domain::{EnergyUnit, PowerUnit, Zone};
use crate::http::pages::frame::admin_call;
use crate::http::pages::frame::response::{again, leads_to, ok};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::ingest::file::TakenFile;
use crate::ingest::table::{DateOrder, MeasureUnit, TablePreview, Wishes};
use crate::texts::Language;

/// The field with the table.
pub(crate) const TABLE: &str = "table";
/// The number of bad rows shown.
const SHOWN: usize = 5;
/// The longest table on a page, because each step until storing contains all of it. This is a year
/// of readings every five minutes, or ten years of hourly ones.
const MOST_BYTES: usize = 4 * 1024 * 1024;

#[derive(Template)]
#[template(path = "settings/history.html")]
struct HistoryPage {
    layout: Layout,
    sensor: SensorRow,
    table: String,
    /// `None` if no table was given yet.
    preview: Option<TablePreview>,
    terms: TableTerms,
    zone: String,
    zones: Vec<String>,
    needs_order: bool,
    found: Option<TableWords>,
}

/// A table as the content of a `textarea`, where quotes need no escape.
struct TableText<'a>(&'a str);

impl TableText<'_> {
    /// Its parts: the text that needs no escape, and the escaped character after it.
    fn parts(&self) -> impl Iterator<Item = (&str, &'static str)> {
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
    fn length(&self) -> usize {
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
struct MeasureField<'a> {
    id: &'static str,
    label: String,
    chosen: Option<&'a str>,
    units: [&'static str; 2],
    /// Whether the unit is the larger of the two.
    is_thousands: bool,
}

/// A summary of a table, in words.
struct TableWords {
    readings: String,
    power: Option<String>,
    energy: Option<String>,
    bad: Option<String>,
    /// The first bad rows, in English.
    bad_rows: Vec<String>,
}

impl TableWords {
    fn new(checked: &TakenFile, wording: Wording<'_>) -> Self {
        let language = wording.language;
        let summary = &checked.values.summary;
        let count = |count: u64| figures::count(count, language);
        let readings = match summary.times {
            None => language.say("history-no-readings"),
            Some((from, to)) => {
                let [from, to] = [from, to].map(|time| wording.date_and_clock(time));
                let shown = count(summary.readings);
                let values = [
                    ("count", shown.as_str().into()),
                    ("from", from.as_str().into()),
                    ("to", to.as_str().into()),
                ];
                language.fill("history-found", values)
            }
        };
        let power = summary.watts.map(|range| {
            let [low, high] =
                [range.lowest, range.highest].map(|value| figures::power(value, language));
            let values = [("low", low.as_str().into()), ("high", high.as_str().into())];
            language.fill("history-power-range", values)
        });
        let energy = summary.watthours.map(|range| {
            let [low, high] =
                [range.lowest, range.highest].map(|value| figures::energy(value, language));
            let values = [("low", low.as_str().into()), ("high", high.as_str().into())];
            language.fill("history-energy-range", values)
        });
        let bad = (checked.tally.bad > 0).then(|| {
            let shown = count(checked.tally.bad);
            language.fill("history-bad", [("count", shown.as_str().into())])
        });
        Self {
            readings,
            power,
            energy,
            bad,
            bad_rows: checked.tally.shown.iter().take(SHOWN).cloned().collect(),
        }
    }
}

impl HistoryPage {
    async fn of(visit: &Visit, id: &str) -> Result<Self, PageError> {
        let sensor = admin_call::sensor(&visit.app, id).await?;
        let zone = zone_of(&visit.app, &sensor.account).name().to_owned();
        Ok(Self {
            layout: layout(visit)?,
            sensor,
            table: String::new(),
            preview: None,
            terms: TableTerms::default(),
            zones: zones(&zone),
            zone,
            needs_order: false,
            found: None,
        })
    }

    /// The fields of power and of the register.
    fn measures(&self) -> [MeasureField<'_>; 2] {
        let (terms, language) = (&self.terms, self.layout.language);
        [
            MeasureField {
                id: "power",
                label: language.say("history-power"),
                chosen: terms.wishes.watts.as_deref(),
                units: ["W", "kW"],
                is_thousands: terms.units[0] == Some(MeasureUnit::Power(PowerUnit::Kilowatts)),
            },
            MeasureField {
                id: "register",
                label: language.say("history-register"),
                chosen: terms.wishes.watthours.as_deref(),
                units: ["Wh", "kWh"],
                is_thousands: terms.units[1]
                    == Some(MeasureUnit::Energy(EnergyUnit::KilowattHours)),
            },
        ]
    }

    fn table_text(&self) -> TableText<'_> {
        TableText(&self.table)
    }

    fn is_time(&self, wish: &str) -> bool {
        self.terms.wishes.time.as_deref() == Some(wish)
    }

    /// Reads the choices; `None` if there was nothing to choose from yet.
    fn read_terms(&mut self, visit: &Visit) -> Result<Option<TableTerms>, PageError> {
        if visit.field("chosen")? != "yes" {
            return Ok(None);
        }
        let given = |name| Ok::<_, PageError>(Some(visit.field(name)?).filter(|it| !it.is_empty()));
        self.zone = visit.field("tz")?;
        let zone = Zone::parse(&self.zone).map_err(|error| PageError::refused("tz", &error))?;
        Ok(Some(TableTerms {
            wishes: Wishes {
                time: given("time")?,
                watts: given("power")?,
                watthours: given("register")?,
                ..Wishes::default()
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

    /// Checks the terms for missing values, as far as possible without the table.
    fn check_terms(&self) -> Result<(), PageError> {
        let wishes = &self.terms.wishes;
        if wishes.time.is_none() {
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

/// `GET /settings/sensor/import?id=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&HistoryPage::of(&visit, &visit.param("id")?).await?))
}

/// `POST /settings/sensor/import`: shows a summary of the table, or stores its readings.
pub(crate) async fn send(visit: Visit) -> PageResult {
    let mut page = HistoryPage::of(&visit, &visit.field("id")?).await?;
    let terms = page.read_terms(&visit);
    let to_do = match visit.field("do")?.as_str() {
        "store" => Some(false),
        "undo" => Some(true),
        _ => None,
    };
    let mut form = visit
        .take_form()
        .ok_or(ApiError::Internal("a form is read twice"))?;
    let reading = move || {
        let mut table = form.take(TABLE)?;
        // Makes the last row end like the others.
        if !table.ends_with('\n') {
            table.push('\n');
        }
        let is_long = TableText(&table).length() > MOST_BYTES;
        let preview = (!is_long).then(|| TablePreview::read(table.as_bytes()));
        Ok::<_, ApiError>((form, table, preview))
    };
    // The form is kept until the end, so that no other large form is read meanwhile.
    let (form, table, preview) = in_background(reading).await??;
    let result = match preview {
        None => Err(PageError::mistake("history-too-long", TABLE)),
        Some(Err(error)) => Err(wrong(&error, page.layout.language)),
        Some(Ok(None)) => Err(PageError::mistake("history-empty", TABLE)),
        Some(Ok(Some(preview))) => {
            page.table = table;
            continue_with(&visit, &mut page, (preview, terms), to_do).await
        }
    };
    let answer = match result {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Ok(ok(&page)),
        Err(PageError::Form(problem)) => {
            page.layout.problem = Some(problem);
            Ok(again(&page))
        }
        Err(other) => Err(other),
    };
    drop(form);
    answer
}

/// Shows the columns and, once they are chosen, a summary of the table. To do may be to store
/// its readings, or with true to undo that; then it leads to the sensor.
async fn continue_with(
    visit: &Visit,
    page: &mut HistoryPage,
    (preview, terms): (TablePreview, Result<Option<TableTerms>, PageError>),
    to_do: Option<bool>,
) -> Result<Option<actix_web::HttpResponse>, PageError> {
    let guess = preview.guess.clone();
    page.preview = Some(preview);
    let chosen = terms?;
    let is_first = chosen.is_none();
    page.terms = chosen.unwrap_or_else(|| TableTerms {
        wishes: guess,
        zone: Zone::parse(&page.zone).ok(),
        ..TableTerms::default()
    });
    let time = page.terms.wishes.time.as_deref().unwrap_or_default();
    page.needs_order = page.preview.as_ref().is_some_and(|it| it.needs_order(time));
    match page.check_terms() {
        // Nothing was chosen yet, so there is no mistake.
        Err(_) if is_first => return Ok(None),
        other => other?,
    }
    let (terms, now) = (page.terms.clone(), visit.app.counted_now());
    // Put back afterwards: a copy would take as much memory again.
    let table = std::mem::take(&mut page.table);
    let sensor = (page.sensor.sensor_id.clone(), page.sensor.register);
    let checking = move || {
        let destination = Destination {
            sensor,
            spool_dir: &std::env::temp_dir(),
            now,
            formats: Arc::default(),
        };
        let checked = check(table.as_bytes(), &terms, destination);
        (table, checked)
    };
    let (table, checked) = in_background(checking).await?;
    page.table = table;
    let language = page.layout.language;
    let checked = checked.map_err(|error| wrong(&error, language))?;
    let zone = page.terms.zone.clone().unwrap_or(Zone::UTC);
    page.found = Some(TableWords::new(&checked, Wording::new(&zone, language)));
    let Some(is_undone) = to_do else {
        return Ok(None);
    };
    if checked.tally.bad > 0 && !page.terms.skips_bad {
        return Err(PageError::mistake("history-bad-remedy", "skip-bad"));
    }
    if checked.values.summary.readings == 0 {
        return Err(PageError::mistake("history-no-readings", TABLE));
    }
    let id = page.sensor.sensor_id.clone();
    store_values(visit, &id, checked, is_undone).await?;
    let done = if is_undone { "undone" } else { "imported" };
    let to = [("id", &*id), ("done", done)];
    Ok(Some(leads_to("settings/sensor", &to)))
}

/// Stores the readings of a file, or deletes them again.
async fn store_values(
    visit: &Visit,
    id: &str,
    taken: TakenFile,
    is_undone: bool,
) -> Result<(), PageError> {
    let (store, now, sensor) = (
        Arc::clone(&visit.app.store),
        visit.app.counted_now(),
        id.to_owned(),
    );
    let storing = move || {
        let failed = |_| AdminError::Refused("the readings cannot be read back".to_owned());
        for part in taken.values.parts().map_err(failed)? {
            let (readings, is_start) = part.map_err(failed)?;
            let request = Request::Import {
                sensor: sensor.clone(),
                readings: readings.into_iter().map(ReadingRow::from).collect(),
                how: match (is_undone, is_start) {
                    (true, _) => ImportHow::Undo,
                    (false, true) => ImportHow::Starts,
                    (false, false) => ImportHow::Store,
                },
            };
            admin::run(&store, request, now)?;
        }
        Ok(())
    };
    in_background(storing)
        .await?
        .map_err(|error| PageError::of_admin(error, |_| TABLE))
}

/// A table that cannot be read.
fn wrong(error: &impl Display, language: &Language) -> PageError {
    let detail = error.to_string();
    let values = [("detail", detail.as_str().into())];
    PageError::form(TABLE, language.fill("history-wrong", values))
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
