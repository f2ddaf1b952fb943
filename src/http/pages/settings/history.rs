//! The page to import a sensor's readings from a table: the text of a file, its columns, then a
//! summary of the readings. Nothing is kept between these steps: each form contains the whole
//! table.

use std::fmt::Display;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::history_check::{Destination, TableTerms, check, read_as_text};
use super::history_page::{HistoryPage, TableText};
use super::history_words::TableWords;
use super::parts::zones;
use crate::admin::{self, AdminError, EntryRequest, ImportHow, ReadingRow, Request};
use crate::chart::Wording;
use crate::domain::{EntryKind, Role, Timestamp, Zone};
use crate::http::pages::frame::admin_call::{admin_call, sensor};
use crate::http::pages::frame::posted_form::FormFields;
use crate::http::pages::frame::response::{again, leads_to, ok};
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::wire::ApiError;
use crate::ingest::file::{ImportTarget, ReadableFile, TakenFile};
use crate::ingest::table::{KnownFormat, TablePreview, opposes};
use crate::locks::lock;
use crate::texts::Language;

#[cfg(test)]
mod tests;

/// The field with the table.
pub(crate) const TABLE: &str = "table";
/// The longest table on a page, because each step until storing contains all of it. This is a year
/// of readings every five minutes, or ten years of hourly ones.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// `GET /settings/sensor/import?id=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&HistoryPage::of(&visit, &visit.param("id")?).await?))
}

/// `POST /settings/sensor/import`: shows a summary of the table, or stores its readings.
pub(crate) async fn send(visit: Visit) -> PageResult {
    let mut page = HistoryPage::of(&visit, &visit.field("id")?).await?;
    let terms = page.read_terms(&visit);
    let to_do = visit.field("do")?;
    page.format_name = visit.trimmed("format-name")?;
    page.sheet = visit.trimmed("sheet")?;
    page.other_sheets = visit.trimmed("other-sheets")?;
    let mut form = visit
        .take_form()
        .ok_or(ApiError::Internal("a form is read twice"))?;
    let (now, known) = (visit.app.counted_now(), Arc::clone(&page.formats));
    let (table, role) = (form.take(TABLE)?, page.sensor.role);
    let sheet = page.sheet.clone();
    let looked = form
        .in_turn(move || look(table, &sheet, now, (&known, role)))
        .await?;
    let result = match looked {
        Looked::TooLong => Err(PageError::mistake("history-too-long", TABLE)),
        Looked::Empty => Err(PageError::mistake("history-empty", TABLE)),
        Looked::Wrong(why) => Err(wrong(&why, page.layout.language)),
        Looked::WhichSheet(file, why) => {
            page.table = file;
            Err(question(&why, page.layout.language))
        }
        Looked::Table(table, preview, other_sheets) => {
            page.table = table;
            if !other_sheets.is_empty() {
                page.other_sheets = other_sheets.join(", ");
            }
            let visit = (&visit, &form);
            continue_with(visit, &mut page, (*preview, terms), &to_do).await
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
    // Until here its memory counts.
    drop(form);
    answer
}

/// `POST /settings/sensor/import/forget`: removes a described format of the sensor's account.
pub(crate) async fn forget(visit: Visit) -> PageResult {
    let id = visit.field("id")?;
    let account = sensor(&visit.app, &id).await?.account;
    let request = Request::Entries(EntryRequest::Remove {
        kind: EntryKind::Format,
        account: Some(account),
        name: visit.field("name")?,
    });
    admin_call(&visit.app, request, |_| "name").await?;
    let to = [("id", &*id), ("done", "format-removed")];
    Ok(leads_to("settings/sensor/import", &to))
}

/// Shows the columns and, once they are chosen, a summary of the table. `to_do` may be `store`,
/// `undo` or `remember`; the first two lead to the sensor.
async fn continue_with(
    (visit, form): (&Visit, &FormFields),
    page: &mut HistoryPage,
    (preview, terms): (TablePreview, Result<Option<TableTerms>, PageError>),
    to_do: &str,
) -> Result<Option<actix_web::HttpResponse>, PageError> {
    let (guess, order) = (preview.guess.clone(), preview.order);
    let account = Zone::parse(&page.zone).ok();
    let format = preview.format.as_ref();
    let known_zone = format.and_then(|format| format.zone_in(account.as_ref()));
    let known = format.map(|format| format.read.clone()).unwrap_or_default();
    page.preview = Some(preview);
    let chosen = terms?;
    let is_first = chosen.is_none();
    if let Some(zone) = known_zone.filter(|_| is_first) {
        page.zones = zones(zone.name());
        zone.name().clone_into(&mut page.zone);
    }
    page.terms = chosen.unwrap_or_else(|| TableTerms {
        units: HistoryPage::units_of(&guess, known.unit.as_deref()),
        wishes: guess,
        zone: Zone::parse(&page.zone).ok(),
        order: known.dates.and_then(|order| order.parse().ok()).or(order),
        ..TableTerms::default()
    });
    if is_first {
        ask_direction(page)?;
    }
    let time = page.terms.wishes.time.as_deref().unwrap_or_default();
    page.needs_order = page.preview.as_ref().is_some_and(|it| it.needs_order(time));
    match page.check_terms() {
        // Nothing was chosen yet, so there is no mistake.
        Err(_) if is_first => return Ok(None),
        other => other?,
    }
    let checked = check_table((visit, form), page).await?;
    let language = page.layout.language;
    let zone = page.terms.zone.clone().unwrap_or(Zone::UTC);
    page.found = Some(TableWords::new(&checked, Wording::new(&zone, language)));
    let is_undone = match to_do {
        "store" => false,
        "undo" => true,
        "remember" => {
            page.remember(visit).await?;
            return Ok(None);
        }
        _ => return Ok(None),
    };
    if checked.tally.bad > 0 && !page.terms.skips_bad {
        return Err(PageError::mistake("history-bad-remedy", "skip-bad"));
    }
    if checked.tally.too_many_bad().is_some() {
        return Err(PageError::mistake("history-bad-many", "skip-bad"));
    }
    if checked.values.summary.readings == 0 {
        return Err(PageError::mistake("history-no-readings", TABLE));
    }
    let (id, count) = (
        page.sensor.sensor_id.clone(),
        checked.values.summary.readings.to_string(),
    );
    store_values((visit, form), &id, checked, is_undone).await?;
    let done = if is_undone { "undone" } else { "imported" };
    let to = [("id", &*id), ("done", done), ("count", &*count)];
    Ok(Some(leads_to("settings/sensor", &to)))
}

/// Asks before energy of the other direction than the sensor's is taken.
fn ask_direction(page: &mut HistoryPage) -> Result<(), PageError> {
    let wishes = &mut page.terms.wishes;
    let rows: Vec<_> = wishes.filters.iter().map(|(_, row)| row.as_str()).collect();
    let said = wishes.watthours.iter().map(String::as_str).chain(rows);
    let said = said.collect::<Vec<_>>().join(" ");
    if !opposes(page.sensor.role, &said) {
        return Ok(());
    }
    wishes.watthours = None;
    let detail = [("detail", said.as_str().into())];
    let text = page.layout.language.fill("history-ask-direction", detail);
    Err(PageError::form("register", text))
}

/// Reads the table with the chosen terms, and checks it.
async fn check_table(
    (visit, form): (&Visit, &FormFields),
    page: &mut HistoryPage,
) -> Result<TakenFile, PageError> {
    let (mut terms, now) = (page.terms.clone(), visit.app.counted_now());
    terms.wishes.time = page.own_time();
    // Put back afterwards: a copy would take as much memory again.
    let table = std::mem::take(&mut page.table);
    let sensor = ImportTarget {
        sensor: page.sensor.sensor_id.clone(),
        register: page.sensor.register,
        role: page.sensor.role,
        plausible: page.sensor.plausible,
    };
    let formats = Arc::clone(&page.formats);
    let spool_dir = visit
        .app
        .data_dir
        .clone()
        .unwrap_or_else(std::env::temp_dir);
    let checking = move || {
        let destination = Destination {
            sensor,
            spool_dir: &spool_dir,
            now,
            formats,
        };
        let checked = check(table.as_bytes(), &terms, destination, MOST_BYTES);
        (table, checked)
    };
    let (table, checked) = form.in_turn(checking).await?;
    page.table = table;
    checked.map_err(|error| question(&error, page.layout.language))
}

/// Stores the readings of a file, or deletes them again.
async fn store_values(
    (visit, form): (&Visit, &FormFields),
    id: &str,
    taken: TakenFile,
    is_undone: bool,
) -> Result<(), PageError> {
    let (store, now, sensor) = (
        Arc::clone(&visit.app.store),
        visit.app.counted_now(),
        id.to_owned(),
    );
    let imports = Arc::clone(&visit.app.imports);
    let total = taken.values.summary.readings;
    let storing = move || {
        let failed = |_| AdminError::Refused("the readings cannot be read back".to_owned());
        for part in taken.values.parts().map_err(failed)? {
            let (readings, is_start) = part.map_err(failed)?;
            let count = u64::try_from(readings.len()).unwrap_or_default();
            let request = Request::Import {
                sensor: sensor.clone(),
                rows: readings.into_iter().map(ReadingRow::from).collect(),
                how: match (is_undone, is_start) {
                    (true, _) => ImportHow::Undo,
                    (false, true) => ImportHow::Starts,
                    (false, false) => ImportHow::Store,
                },
            };
            admin::run(&store, request, now)?;
            let mut imports = lock(&imports);
            let [stored, _] = imports.entry(sensor.clone()).or_insert([0, total]);
            *stored += if is_start { 0 } else { count };
        }
        Ok(())
    };
    let stored = form.in_turn(storing).await;
    lock(&visit.app.imports).remove(id);
    stored?.map_err(|error| PageError::of_admin(error, |_| TABLE))
}

/// The result of looking at a text or a file.
enum Looked {
    TooLong,
    Empty,
    Wrong(String),
    /// A workbook with a question about its sheets.
    WhichSheet(String, String),
    /// A table, and other sheets with times.
    Table(String, Box<TablePreview>, Vec<String>),
}

/// Makes a file readable. A file that is not text arrives as a data URL.
fn look(
    table: String,
    sheet: &str,
    now: Timestamp,
    (formats, role): (&Arc<[KnownFormat]>, Role),
) -> Looked {
    let mut packed = None;
    let bytes = match table
        .strip_prefix("data:")
        .and_then(|it| it.split_once(";base64,"))
    {
        Some((_, text)) => match BASE64_STANDARD.decode(text.trim()) {
            Ok(bytes) => {
                packed = Some(table);
                bytes
            }
            Err(error) => return Looked::Wrong(error.to_string()),
        },
        None if table.trim().is_empty() => return Looked::Empty,
        None if TableText(&table).length() > MOST_BYTES => return Looked::TooLong,
        None => table.into_bytes(),
    };
    // The text of a sheet comes back without its workbook.
    let sheet = if packed.is_some() { sheet } else { "" };
    let ReadableFile {
        mut text,
        series,
        other_sheets,
    } = match (read_as_text(bytes, sheet, now, MOST_BYTES), packed) {
        (Ok(read), _) => read,
        (Err(why), Some(packed)) if why.contains("--sheet") => {
            return Looked::WhichSheet(packed, why);
        }
        (Err(why), _) => return Looked::Wrong(why),
    };
    // The last row must end like the others.
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    if TableText(&text).length() > MOST_BYTES {
        return Looked::TooLong;
    }
    let preview = match series {
        Some(series) => {
            let named = series.into_iter().map(|it| (it.series, it.unit));
            Ok(Some(TablePreview::of_series(named)))
        }
        None => TablePreview::read(text.as_bytes(), (formats, Some(role))),
    };
    match preview {
        Ok(Some(preview)) => Looked::Table(text, Box::new(preview), other_sheets),
        Ok(None) => Looked::Empty,
        Err(error) => Looked::Wrong(error.to_string()),
    }
}

/// A question about a file, at the field that answers it.
fn question(error: &str, language: &Language) -> PageError {
    let detail = [("detail", error.into())];
    if error.contains("--sheet") {
        PageError::form("sheet", language.fill("history-ask-sheet", detail))
    } else if error.contains("--times") {
        PageError::form("times", language.fill("history-ask-times", detail))
    } else if error.contains("--decimals") {
        PageError::form("decimals", language.fill("history-ask-decimals", detail))
    } else if error.contains("--where") {
        PageError::form("where", language.fill("history-ask-where", detail))
    } else if error.contains("--unit") {
        PageError::form("register", language.fill("history-ask-unit", detail))
    } else {
        PageError::form(TABLE, language.fill("history-wrong", detail))
    }
}

/// A table that cannot be read.
fn wrong(error: &impl Display, language: &Language) -> PageError {
    let detail = error.to_string();
    let values = [("detail", detail.as_str().into())];
    PageError::form(TABLE, language.fill("history-wrong", values))
}
