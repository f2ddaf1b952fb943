//! Forecasts of made-up houses, whose days to come are known.

use super::*;
use crate::domain::MeterKind;
use crate::domain::time::MS_PER_HOUR;
use crate::house::statement;
use crate::house::tests::{at, import, open};
use crate::ledger::contract::{ContractChange, Label, PriceSeries, SeriesPrice};
use crate::ledger::forecast::{ChoiceReason, ForecastMethod};

const GRID: [(&str, Role, MeterKind); 1] = [("grid", Role::GridImport, MeterKind::Counter)];
/// Noon in Berlin, and the beginning of the history there.
const NOW: &str = "2026-07-10T10:00:00";
const BEGIN: &str = "2023-12-31T23:00:00";

struct House {
    _dir: tempfile::TempDir,
    store: Store,
    account: Account,
}

impl House {
    /// A house in Berlin that pays 0.5 for a kilowatt-hour.
    fn new(sensors: &[(&str, Role, MeterKind)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), sensors);
        Self {
            _dir: dir,
            store,
            account,
        }
    }

    fn contracts(&self, json: &str) {
        let put = ContractChange::parse(json).unwrap();
        let name = self.account.name.clone();
        let changed = self
            .store
            .edit(move |edit| edit.change_contracts(&name, put));
        changed.unwrap();
    }

    /// Registers each hour, which rise by this much in the hour that begins then.
    fn hours(&self, sensor: &str, [from, to]: [&str; 2], energy: impl Fn(Timestamp) -> f64) {
        let (mut time, end, mut register) = (at(from), at(to), 0.0);
        let mut registers = Vec::new();
        while time <= end {
            registers.push((time, register));
            register += energy(time);
            time = time.saturating_add_millis(MS_PER_HOUR);
        }
        import(&self.store, sensor, &registers);
    }

    fn at(&self, now: &str) -> ForecastAnswer {
        forecast(&self.store, &self.account, at(now)).unwrap()
    }
}

/// A house that draws 100 W all the time.
fn steady() -> House {
    let house = House::new(&GRID);
    house.hours("grid", [BEGIN, NOW], |_| 100.0);
    house
}

fn period<'a>(found: &'a ForecastAnswer, name: &str) -> &'a ForecastPeriod {
    let mut periods = found.periods.iter();
    periods.find(|it| it.period == name).unwrap()
}

fn imported(found: &ForecastAnswer, name: &str) -> LikelyEnergy {
    period(found, name).imported.unwrap()
}

fn likely(amount: Option<&LikelyAmount>) -> f64 {
    amount.unwrap().likely.parse().unwrap()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    // Days of 23 and 25 hours make small differences.
    assert!(
        (found - expected).abs() <= 0.005 * expected.abs(),
        "{found} instead of {expected}"
    );
}

#[test]
fn a_steady_house_goes_on() {
    let found = steady().at(NOW);
    assert_eq!(found.reason, None);
    // Only last year knows the days on which clocks change.
    assert_eq!(found.method, Some(ForecastMethod::LastYear));
    assert_eq!(found.method_reason, Some(ChoiceReason::Nearer));
    assert_eq!((found.known_days, found.missing), (56, 0.0));
    let month = imported(&found, "month");
    assert_eq!(month.so_far, 22_800.0);
    assert_near(month.likely, 74_400.0);
    // A few errors are assumed, so it has a range.
    assert!(month.low < month.likely && month.likely < month.high);
    assert!(month.high - month.low < 0.05 * month.likely, "{month:?}");
    let year = imported(&found, "year");
    assert_near(year.likely, 876_000.0);
    assert_near(likely(period(&found, "month").cost.as_ref()), 37.2);
    assert_near(likely(period(&found, "year").total.as_ref()), 438.0);
    assert_eq!(period(&found, "year").exported, None);
    assert_eq!(period(&found, "year").used, None);
    assert_eq!(period(&found, "year").balance, None);
    // The last twelve months, one after the other.
    let months: Vec<&str> = found
        .tested
        .months
        .iter()
        .map(|it| it.month.as_str())
        .collect();
    assert_eq!(months.len(), 12);
    assert_eq!((months[0], months[11]), ("2025-07", "2026-06"));
    let errors = found.tested.errors.unwrap();
    assert!(errors.median_error < 0.001 && errors.p90_error < 0.003);
    assert_eq!(found.tested.methods.len(), ForecastMethod::COUNT);
}

#[test]
fn a_contract_that_begins_in_the_year_counts() {
    let house = steady();
    house.contracts(
        r#"[{"from":"2024-01-01","name":"old","currency":"€","components":[{"energy":{"price":0.5}}]},
            {"from":"2026-09-01","name":"new","currency":"€","advances":[{"from":"2026-09-01","amount":40,"per":"month"}],
             "components":[{"energy":{"price":0.7}},{"fixed":{"name":"standing","price":0.3,"per":"day"}}]}]"#,
    );
    let found = house.at(NOW);
    // 243 days of the old one, 122 of the new one.
    let [old, new] = [243.0 * 2.4 * 0.5, 122.0 * (2.4 * 0.7 + 0.3)];
    let year = period(&found, "year");
    assert_near(likely(year.total.as_ref()), old + new);
    assert_eq!(year.paid.as_deref(), Some("160"));
    assert_near(likely(year.balance.as_ref()), 160.0 - old - new);
    let month = period(&found, "month");
    assert_near(likely(month.total.as_ref()), 37.2);
    assert_eq!(month.paid, None);
}

#[test]
fn the_last_hour_of_a_year_leaves_its_statement() {
    let house = House::new(&GRID);
    let end = "2025-12-31T23:00:00";
    // Peaks of another height each day.
    house.hours("grid", [BEGIN, end], |time| {
        f64::from(u32::try_from(time.millis() / MS_PER_HOUR % 31).unwrap() * 60)
    });
    house.contracts(
        r#"[{"from":"2024-01-01","name":"all","currency":"€","billing":{"from":"2025-01-01","months":12},
            "advances":[{"from":"2024-01-01","amount":300,"per":"month"}],
            "components":[{"energy":{"period":"year","tiers":[{"up_to_kwh":2000,"price":0.2},{"price":0.4}]}},
            {"fixed":{"name":"standing","price":120,"per":"year"}},{"demand":{"price":4,"per":"hour"}},{"minimum":{"name":"least","price":10,"per":"month"}},{"tax":{"name":"VAT","percent":19}}]}]"#,
    );
    let found = house.at("2025-12-31T22:59:00");
    let year = at("2024-12-31T23:00:00")..at(end);
    let bill = statement(&house.store, &house.account, year, at(end))
        .unwrap()
        .bill;
    let billing = period(&found, "billing");
    let off = likely(billing.total.as_ref()) - bill.total.to_f64();
    assert!(off.abs() < 0.2, "{off}");
    let off = likely(billing.balance.as_ref()) - bill.balance().unwrap().to_f64();
    assert!(off.abs() < 0.2, "{off}");
    assert!(found.periods.iter().all(|it| it.period != "year"));
}

#[test]
fn a_dead_sensor_draws_as_before() {
    let house = House::new(&GRID);
    house.hours("grid", [BEGIN, "2026-06-19T22:00:00"], |_| 100.0);
    let found = house.at(NOW);
    assert_eq!(found.known_days, 36);
    assert!(found.missing > 0.1, "{found:?}");
    let month = imported(&found, "month");
    assert_eq!(month.so_far, 0.0);
    assert_near(month.likely, 74_400.0);
    let month = period(&found, "month").cost.as_ref();
    assert_near(likely(month), 37.2);
    assert_eq!(month.unwrap().so_far, "0");
    assert_near(likely(period(&found, "year").cost.as_ref()), 438.0);
}

#[test]
fn days_of_an_unknown_course_count_in_sums_alone() {
    let house = House::new(&GRID);
    // Ten silent days, which drew a fifth: the register tells it afterwards.
    let silent = at("2026-06-22T22:00:00")..at("2026-07-02T22:00:00");
    let hours = (0..).map(|hour| at(BEGIN).saturating_add_millis(hour * MS_PER_HOUR));
    let hours = hours.take_while(|time| *time <= at(NOW)).zip(0..);
    let told = hours.filter(|(time, _)| *time <= silent.start || silent.end <= *time);
    let registers = told.map(|(time, hour)| {
        let less = if silent.end <= time { 240 * 80 } else { 0 };
        (time, f64::from(hour * 100 - less))
    });
    import(&house.store, "grid", &registers.collect::<Vec<_>>());
    let found = house.at(NOW);
    assert_eq!(found.known_days, 46);
    assert!(found.estimated > 0.02 && found.missing < 1e-9, "{found:?}");
    let month = imported(&found, "month");
    assert_near(month.so_far, 2.0 * 480.0 + 7.0 * 2_400.0 + 1_200.0);
    assert_near(month.likely - month.so_far, 21.5 * 2_400.0);
}

#[test]
fn without_enough_readings_it_says_why() {
    let house = House::new(&[("car", Role::SubMeter, MeterKind::Counter)]);
    house.hours("car", [BEGIN, NOW], |_| 100.0);
    let found = house.at(NOW);
    assert_eq!(found.reason.as_deref(), Some("no-grid"));
    assert!(found.periods.is_empty());
    let house = House::new(&GRID);
    assert_eq!(house.at(NOW).reason.as_deref(), Some("few-days"));
    // Two weeks less a day: the first and the last one are not whole.
    house.hours("grid", ["2026-06-26T10:00:00", NOW], |_| 100.0);
    let found = house.at(NOW);
    assert_eq!(found.reason.as_deref(), Some("few-days"));
    assert_eq!((found.known_days, found.periods.len()), (13, 0));
}

#[test]
fn a_short_history_begins_within_the_year() {
    let house = House::new(&GRID);
    house.hours("grid", ["2026-05-31T22:00:00", NOW], |_| 100.0);
    let found = house.at(NOW);
    assert_eq!(found.method, Some(ForecastMethod::LastDays));
    assert_eq!(found.method_reason, Some(ChoiceReason::Untested));
    let year = period(&found, "year");
    assert!(year.begins_late);
    assert_eq!(year.from, "2026-05-31T22:00:00.000Z");
    // 214 days from June on.
    assert_near(imported(&found, "year").likely, 214.0 * 2_400.0);
    assert_near(likely(year.cost.as_ref()), 214.0 * 1.2);
    let month = imported(&found, "month");
    // Few errors: at least 20 % of the rest.
    assert!(month.high > month.likely * 1.1 && month.low < month.likely * 0.9);
    assert_eq!(found.tested.months.len(), 0);
}

#[test]
fn days_run_like_those_before() {
    let house = House::new(&GRID);
    // Only at night, from 22:00 to 06:00 in Berlin.
    let is_night = |time: Timestamp| {
        let berlin = crate::domain::Zone::parse("Europe/Berlin").unwrap();
        let hour = berlin.shown_at(time).millis_of_day() / MS_PER_HOUR;
        !(6..22).contains(&hour)
    };
    house.hours("grid", [BEGIN, NOW], |time| {
        if is_night(time) { 300.0 } else { 0.0 }
    });
    house.contracts(
        r#"[{"from":"2024-01-01","name":"zones","currency":"€","components":[
            {"energy":{"zones":[{"name":"day","price":0.4},{"name":"night","price":0.2,"hours":"22:00-06:00"}]}}]}]"#,
    );
    let found = house.at(NOW);
    let month = period(&found, "month");
    assert_near(imported(&found, "month").likely, 74_400.0);
    assert_near(likely(month.cost.as_ref()), 74.4 * 0.2);
    // At noon, the night to come is not over.
    assert_near(imported(&found, "month").so_far, 9.0 * 2_400.0 + 1_800.0);
}

#[test]
fn unknown_prices_are_those_of_the_last_weeks() {
    let house = steady();
    house.contracts(
        r#"[{"from":"2026-07-01","name":"market","currency":"€","components":[{"energy":{"series":"spot"}}]}]"#,
    );
    let begin = at("2026-06-01T00:00:00");
    let hours = (at(NOW).millis() - begin.millis()) / MS_PER_HOUR;
    let price = |hour: i64| SeriesPrice {
        from: begin.saturating_add_millis(hour * MS_PER_HOUR),
        to: begin.saturating_add_millis((hour + 1) * MS_PER_HOUR),
        price: Decimal::from_millionths(100_000 + hour % 24 * 10_000),
    };
    let prices = (0..hours).map(price).collect();
    let series = PriceSeries::new(Label::new("spot").unwrap(), prices).unwrap();
    let stored = house.store.put_prices_durably(&house.account.name, &series);
    stored.unwrap();
    let found = house.at(NOW);
    let month = period(&found, "month");
    // The mean of all hours is 0.215.
    assert_near(likely(month.cost.as_ref()), 74.4 * 0.215);
    assert_eq!(month.unpriced, 0.0);
    // Half a year had no contract.
    assert_near(period(&found, "year").unpriced, 181.0 * 2_400.0);
}

#[test]
fn panels_and_a_new_meter_are_counted() {
    let sensors = [
        ("export", Role::GridExport, MeterKind::Counter),
        ("grid", Role::GridImport, MeterKind::Counter),
        ("solar", Role::Solar, MeterKind::Counter),
    ];
    let house = House::new(&sensors);
    house.hours("export", [BEGIN, NOW], |_| 50.0);
    house.hours("solar", [BEGIN, NOW], |_| 150.0);
    // The register begins again, as that of a new meter does.
    house.hours("grid", [BEGIN, "2026-06-20T10:00:00"], |_| 100.0);
    house.hours("grid", ["2026-06-20T11:00:00", NOW], |_| 100.0);
    house.contracts(
        r#"[{"from":"2024-01-01","name":"sun","currency":"€","components":[{"energy":{"price":0.5}},{"export":{"price":0.1}}]}]"#,
    );
    let found = house.at(NOW);
    let month = period(&found, "month");
    assert_near(month.imported.unwrap().likely, 74_400.0);
    assert_near(month.exported.unwrap().likely, 37_200.0);
    assert_near(month.used.unwrap().likely, 148_800.0);
    assert_near(likely(month.credit.as_ref()), 3.72);
    assert_near(likely(month.total.as_ref()), 37.2 - 3.72);
}

#[test]
fn a_house_that_repeats_itself_pays_as_forecast() {
    let sensors = [
        ("export", Role::GridExport, MeterKind::Counter),
        ("grid", Role::GridImport, MeterKind::Counter),
        ("heat", Role::SubMeter, MeterKind::Counter),
    ];
    // Winter time only: the same each week, from a midnight in Berlin on.
    let [begin, now, end] = [
        "2026-10-31T23:00:00",
        "2027-01-10T11:00:00",
        "2027-01-31T23:00:00",
    ];
    let of_week = |time: Timestamp| {
        let hours = (time.millis() - at(begin).millis()) / MS_PER_HOUR;
        u32::try_from(hours % (7 * 24)).unwrap()
    };
    let import = |time: Timestamp| f64::from(of_week(time) * 37 % 101 * 20);
    let export = |time: Timestamp| match of_week(time) % 24 {
        10..15 => f64::from(of_week(time) * 53 % 71 * 40),
        _ => 0.0,
    };
    for components in [
        r#"{"energy":{"zones":[{"name":"day","price":0.4},{"name":"night","price":0.2,"hours":"21:30-06:15"}]}},
           {"fixed":{"name":"standing","price":12,"per":"month"}},{"export":{"price":0.08}},{"tax":{"name":"VAT","percent":19}}"#,
        r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":300,"price":0.2},{"price":0.5}]}},
           {"demand":{"price":4,"per":"quarter"}},{"minimum":{"name":"least","price":90,"per":"month"}}"#,
        r#"{"energy":{"price":0.3,"netting":"month","surplus":{"price":0.05}}}"#,
        r#"{"energy":{"price":0.3,"netting":"hour"}},{"export":{"price":0.1}},
           {"demand":{"price":7,"per":"hour","peaks":3,"distinct_days":true}}"#,
        r#"{"energy":{"name":"rest","price":0.3}},{"energy":{"name":"heat","price":0.2,"of":["heat"]}}"#,
    ] {
        let house = House::new(&sensors);
        let fill = |to: &str| {
            house.hours("grid", [begin, to], import);
            house.hours("export", [begin, to], export);
            house.hours("heat", [begin, to], |time| import(time) / 4.0);
        };
        fill(now);
        house.contracts(&format!(
            r#"[{{"from":"2026-01-01","name":"old","currency":"€","components":[{components}]}},
                {{"from":"2027-01-20","name":"new","currency":"€","components":[{{"fixed":{{"name":"standing","price":0.5,"per":"day"}}}},{components}]}}]"#
        ));
        let found = house.at(now);
        fill(end);
        let month = at("2026-12-31T23:00:00")..at(end);
        let bill = statement(&house.store, &house.account, month, at(end)).unwrap();
        let off = likely(period(&found, "month").total.as_ref()) - bill.bill.total.to_f64();
        assert!(
            off.abs() < 0.02,
            "{off} of {}: {components}",
            bill.bill.total
        );
        let drawn = bill.energy.unwrap().imported.watthours();
        assert!((imported(&found, "month").likely - drawn).abs() < 2.0);
    }
}

#[test]
fn amounts_are_rounded_to_hundredths() {
    for (millionths, text) in [
        (1_234_999, "1.23"),
        (1_235_000, "1.24"),
        (-1_235_000, "-1.24"),
        (4_999, "0"),
    ] {
        assert_eq!(
            cents(Decimal::from_millionths(millionths)).to_string(),
            text
        );
    }
}
