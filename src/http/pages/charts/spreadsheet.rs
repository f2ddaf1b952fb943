//! `/chart-spreadsheet.csv`: the data of a chart for spreadsheets: local time of the account,
//! kilowatt-hours and watts, and decimals in the format of the page's language.

use time::macros::format_description;

use super::chart::{ChartRequest, file_name};
use crate::chart::{ChartKind, Wording};
use crate::domain::Timestamp;
use crate::house::{EnergyBar, interval_for};
use crate::http::pages::frame::response::attached;
use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::wire::ApiError;
use crate::query::{MAX_COLUMNS, Point};
use crate::store::Store;
use crate::texts::Language;

/// `GET /chart-spreadsheet.csv`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let requested = ChartRequest::read(&visit)?;
    let (language, now) = (visit.language(), visit.app.counted_now());
    let reading = move |store: &Store, requested| file(store, &requested, language, now);
    let (name, table) = requested.draw(&visit.app, reading).await?;
    Ok(attached(Spreadsheet::respond(table), &name)?)
}

/// The name of the file, and its content.
fn file(
    store: &Store,
    requested: &ChartRequest,
    language: &'static Language,
    now: Timestamp,
) -> Result<(String, Vec<u8>), PageError> {
    let (view, zone) = (&requested.view, &requested.account.zone);
    let selection = requested.selection(store, language, now)?;
    let (group, range) = (selection.group(store, zone), &selection.range);
    let (quantity, points) = match view.kind {
        ChartKind::Energy => {
            let bars = group.energy_by(range.of_energy(), selection.range.interval, 0);
            let in_kilowatt_hours = |bar: EnergyBar| Point {
                time: bar.start,
                value: bar.watthours / 1_000.0,
            };
            let bars = bars.map_err(ApiError::from)?.0.into_iter();
            let bars = bars.map(in_kilowatt_hours).collect();
            (language.say("chart-csv-energy"), bars)
        }
        ChartKind::Power => {
            let range = range.of_power();
            // For example a week by minutes, or a year by hours.
            let points = group.mean_power(range, interval_for(range, MAX_COLUMNS));
            let points: Vec<Point> = points.map_err(ApiError::from)?;
            (language.say("chart-csv-power"), points)
        }
    };
    let name = file_name(&selection.name, view.kind, &selection.dates());
    Ok((
        name,
        table(&quantity, &points, Wording::new(zone, language)),
    ))
}

/// The rows, after a row with the column names.
fn table(quantity: &str, points: &[Point], wording: Wording<'_>) -> Vec<u8> {
    let Wording { zone, language } = wording;
    let mut table = Spreadsheet::new(language);
    let time = language.fill("chart-csv-time", [("zone", zone.name().into())]);
    table.row([time, quantity.to_owned()].map(Spreadsheet::text));
    for point in points {
        let time = zone.format(
            point.time,
            format_description!("[year]-[month]-[day] [hour]:[minute]"),
        );
        let value = table.number(&format!("{:.3}", point.value));
        table.row([Spreadsheet::text(time), value]);
    }
    table.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Zone;

    #[test]
    fn numbers_are_those_of_the_language() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let points = [
            ("2026-07-08T12:05:00", 12_345.678_9),
            ("2026-01-08T12:00:00", -0.5),
        ]
        .map(|(time, value)| Point {
            time: Timestamp::parse(time).unwrap(),
            value,
        });
        let german = Language::of_tag("de").unwrap();
        let text = |table| String::from_utf8(table).unwrap();
        assert_eq!(
            text(table("kWh", &points, Wording::new(&berlin, german))),
            "\u{FEFF}Zeit (Europe/Berlin);kWh\r\n2026-07-08 14:05;12345,679\r\n2026-01-08 13:00;-0,500\r\n"
        );
        assert_eq!(
            text(table(
                "kWh",
                &points,
                Wording::new(&Zone::UTC, Language::english())
            )),
            "\u{FEFF}Time (UTC),kWh\r\n2026-07-08 12:05,12345.679\r\n2026-01-08 12:00,-0.500\r\n"
        );
    }
}
