//! The address and the header of a request.

use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use super::form::{AskedTimes, SourceForm};
use super::settings::PriceSourceSettings;
use crate::domain::{LocalDate, TimeRange, Timestamp};

const MINUTES: StaticFormatDescription = format_description!("[year][month][day][hour][minute]");
const LOCAL: StaticFormatDescription = format_description!("[year]-[month]-[day]T[hour]:[minute]");
const SECONDS: StaticFormatDescription =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");

/// A request.
pub(super) struct SourceRequest {
    /// Its address, which may contain the key.
    pub(super) address: String,
    /// A header, which contains the key.
    pub(super) header: Option<(String, String)>,
    /// A body in JSON.
    pub(super) body: Option<String>,
}

/// The request for the prices of a range, without its end.
pub(super) fn question(
    settings: &PriceSourceSettings,
    range: TimeRange,
    key: Option<&str>,
) -> SourceRequest {
    let form = &settings.form;
    let day = |time| LocalDate::at(time, &form.clock).to_string();
    let [from, to] = [range.start(), range.end()].map(|time| asked_time(form, time));
    let last = day(range.end().saturating_add_millis(-1));
    let key = key.unwrap_or_default();
    let (first, week) = (day(range.start()), week_of(form, range.start()));
    let values = [
        ("zone", settings.asked_zone()),
        ("from", &from),
        ("to", &to),
        ("first", &first),
        ("last", &last),
        ("week", &week),
    ];
    let address = form.url.fill(&[&values[..], &[("key", key)]].concat());
    let body = form.body.as_ref().map(|body| body.fill(&values));
    let header = form.header.as_ref();
    let header = header.map(|(name, value)| (name.clone(), value.replace("{key}", key)));
    SourceRequest {
        address,
        header,
        body,
    }
}

/// The begin of a week, of Monday by the source's clock, in milliseconds since 1970.
fn week_of(form: &SourceForm, time: Timestamp) -> String {
    let day = LocalDate::at(time, &form.clock);
    let monday = day.plus_days(SourceForm::days_left_of_week(day) - 7);
    let monday = form.start_of(monday.unwrap_or(day));
    monday.millis().to_string()
}

fn asked_time(form: &SourceForm, time: Timestamp) -> String {
    match form.asks {
        AskedTimes::Milliseconds => time.millis().to_string(),
        AskedTimes::Seconds => time.millis().div_euclid(1_000).to_string(),
        AskedTimes::Utc => format!("{}Z", time.format(SECONDS)),
        AskedTimes::Minutes => time.format(MINUTES),
        AskedTimes::Local => form.clock.format(time, LOCAL),
        AskedTimes::Offset => {
            let ahead_minutes = form.clock.period_at(time).ahead_ms / 60_000;
            let sign = if ahead_minutes < 0 { '-' } else { '+' };
            let size = ahead_minutes.unsigned_abs();
            let (hours, minutes) = (size / 60, size % 60);
            let local = form.clock.format(time, SECONDS);
            format!("{local}{sign}{hours:02}:{minutes:02}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::ledger::contract::Label;
    use crate::price_sources::known::KnownSource;
    use std::sync::Arc;
    use toml::Table;

    fn asked(source: &str, zone: &str, (from, to): (&str, &str)) -> String {
        let known = KnownSource::with_id(source).unwrap();
        let settings = PriceSourceSettings {
            source: Some(known),
            form: Arc::new(known.form_with(&Table::new()).unwrap()),
            zone: zone.to_owned(),
            account: None,
            series: Label::new("day-ahead").unwrap(),
            since: None,
            key: None,
            allow_private: false,
        };
        let range = TimeRange::new(at(from), at(to)).unwrap();
        let question = question(&settings, range, Some("s3cret"));
        let header = question
            .header
            .map(|(name, value)| format!(" {name}: {value}"));
        format!("{}{}", question.address, header.unwrap_or_default())
    }

    #[test]
    fn each_source_is_asked_in_its_own_way() {
        // 29 March 2026 in Central Europe: a day of 23 hours.
        let day = ("2026-03-28T23:00:00", "2026-03-29T22:00:00");
        for (source, zone, expected) in [
            (
                "energy-charts",
                "DE-LU",
                "https://api.energy-charts.info/price?bzn=DE-LU&start=2026-03-29&end=2026-03-29",
            ),
            (
                "awattar-at",
                "",
                "https://api.awattar.at/v1/marketdata?start=1774738800000&end=1774821600000",
            ),
            (
                "octopus-agile-export",
                "C",
                "https://api.octopus.energy/v1/products/AGILE-OUTGOING-19-05-13/electricity-tariffs/E-1R-AGILE-OUTGOING-19-05-13-C/standard-unit-rates/?period_from=2026-03-28T23%3A00%3A00Z&period_to=2026-03-29T22%3A00%3A00Z&page_size=1500",
            ),
            (
                "entsoe",
                "DK1",
                "https://web-api.tp.entsoe.eu/api?documentType=A44&contract_MarketAgreement.type=A01&in_Domain=10YDK-1--------W&out_Domain=10YDK-1--------W&periodStart=202603282300&periodEnd=202603292200&securityToken=s3cret",
            ),
            (
                "nord-pool",
                "SE3",
                "https://dataportal-api.nordpoolgroup.com/api/DayAheadPrices?market=DayAhead&deliveryArea=SE3&currency=EUR&date=2026-03-29",
            ),
            (
                "energi-data-service",
                "DK1",
                "https://api.energidataservice.dk/dataset/DayAheadPrices?start=2026-03-29T00%3A00&end=2026-03-30T00%3A00&filter=%7B%22PriceArea%22%3A%5B%22DK1%22%5D%7D&sort=TimeUTC&limit=0",
            ),
            (
                // Monday, 23 March.
                "smard",
                "DE-LU",
                "https://www.smard.de/app/chart_data/4169/DE-LU/4169_DE-LU_quarterhour_1774220400000.json",
            ),
            (
                "rte-tempo",
                "",
                "https://digital.iservices.rte-france.com/open_api/tempo_like_supply_contract/v1/tempo_like_calendars?start_date=2026-03-29T00%3A00%3A00%2B01%3A00&end_date=2026-03-30T00%3A00%3A00%2B02%3A00 Authorization: Bearer s3cret",
            ),
        ] {
            assert_eq!(asked(source, zone, day), expected);
        }
        // A code that the file does not list is sent as it is.
        assert!(asked("entsoe", "10YAL-KESH-----5", day).contains("in_Domain=10YAL-KESH-----5&"));
    }
}
