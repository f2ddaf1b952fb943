//! Demand charges at a moment, against statements and plain models.
//!
//! - `replay`: whole years, as the guard would have seen them

use proptest::prelude::*;

use super::*;
use crate::domain::TimeRange;
use crate::domain::Zone;
use crate::domain::time::at;
use crate::ledger::contract::{Announced, Contracts, PeakHistory, Pricer};
use crate::ledger::stretch::Flow;

mod replay;

const BEGIN: &str = "2026-01-01T00:00:00";

fn contracts(components: &str) -> Contracts {
    let json = format!(
        r#"[{{"from":"2000-01-01","name":"A","currency":"EUR","holidays":["12-25"],"components":[{components}]}}]"#
    );
    Contracts::parse(&json).unwrap()
}

fn watts(watts: i64) -> MicroWh {
    MicroWh::new(watts * 1_000_000)
}

/// Mean powers of consecutive spans from the beginning on, in watts, and a part of a further span.
struct House {
    length_ms: i64,
    spans: Vec<i64>,
    part_ms: i64,
}

impl House {
    fn time(&self, place: usize) -> Timestamp {
        let spans = i64::try_from(place).unwrap();
        at(BEGIN).saturating_add_millis(spans * self.length_ms)
    }

    fn now(&self) -> Timestamp {
        self.time(self.spans.len())
            .saturating_add_millis(self.part_ms)
    }

    /// The mean power of a span that begins then; nothing is drawn later.
    fn power(&self, from: Timestamp, last: i64) -> MicroWh {
        let place = (from.millis() - at(BEGIN).millis()).div_euclid(self.length_ms);
        let place = usize::try_from(place).unwrap();
        let power = self.spans.get(place).copied();
        watts(power.unwrap_or(if place == self.spans.len() { last } else { 0 }))
    }

    /// The demand charges now, if the running span draws this much.
    fn demands(&self, contracts: &Contracts, last: i64) -> Vec<DemandNow> {
        let zone = Zone::UTC;
        let lists = Announced::default().days;
        let now = self.now();
        let mut history = PeakHistory::of_demands(contracts, (&zone, &lists), now).unwrap();
        while history.measured() < now {
            let from = history.measured();
            let to = history.until(from).min(now);
            let power = (at(BEGIN) <= from).then(|| self.power(from, last));
            history.add(from, to, power.map(|it| it.part_of_hour(from, to)));
        }
        history.demands(contracts, &zone)
    }

    /// A pricer of the running month until a time, if the running span draws this much.
    fn priced(&self, contracts: &Contracts, (until, last): (Timestamp, MicroWh)) -> Pricer {
        let month = crate::domain::Calendar::new(Zone::UTC, crate::domain::Interval::Month)
            .bucket(self.now())
            .start();
        let range = TimeRange::new(month, until).unwrap();
        let mut pricer = Pricer::new(contracts, &Zone::UTC, &Announced::default(), range);
        let running = self.time(self.spans.len());
        while let Some(slot) = pricer.next_slot() {
            let (from, to) = (slot.from(), slot.to());
            let power = if from < at(BEGIN) {
                None
            } else if from < running {
                Some(self.power(from, 0))
            } else {
                Some(last)
            };
            let flow = power.map(|power| Flow {
                imported: power.part_of_hour(from, to),
                exported: MicroWh::ZERO,
            });
            pricer.add(slot, flow);
        }
        pricer
    }
}

const CHARGES: [(&str, i64); 6] = [
    (r#"{"demand":{"price":4.5,"per":"quarter"}}"#, 900_000),
    (
        r#"{"demand":{"price":40.4,"price_per":"year","per":"quarter","at_least_kw":2.5,"months":12}}"#,
        900_000,
    ),
    (
        r#"{"demand":{"price":0.3,"price_per":"day","per":"hour","peaks":3}}"#,
        3_600_000,
    ),
    (
        r#"{"demand":{"price":7,"per":"half-hour","peaks":2,"distinct_days":true,"at_most_kw":9}}"#,
        1_800_000,
    ),
    (
        r#"{"demand":{"per":"hour","steps":[{"up_to_kw":2,"price":110},{"up_to_kw":5,"price":180},{"price":300}]}}"#,
        3_600_000,
    ),
    (
        r#"{"demand":{"price":10,"per":"hour","weights":[{"factor":0.5,"hours":"22:00-06:00"}]}}"#,
        3_600_000,
    ),
];
const AROUND: &str = r#",{"fixed":{"name":"standing","price":3,"per":"month"}},{"discount":{"name":"rebate","percent":5}},{"tax":{"name":"VAT","percent":21}}"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One kilowatt more costs what a statement says that has it, and so does the likely end.
    #[test]
    fn amounts_are_differences_of_statements(
        charge in 0..CHARGES.len(),
        spans in prop::collection::vec(0..9_000_i64, 30..140),
        part in 1..9_i64,
        last in 0..9_000_i64,
    ) {
        let (json, length_ms) = CHARGES[charge];
        let contracts = contracts(&format!("{json}{AROUND}"));
        let house = House { length_ms, spans, part_ms: length_ms * part / 10 };
        let found = house.demands(&contracts, last);
        let demand = &found[0];
        let now = house.priced(&contracts, (house.now(), watts(last)));
        let end = demand.span().end;
        let total = |mean| house.priced(&contracts, (end, mean)).finish().total.to_f64();
        let costs = |peak| now.costs_at_peak(demand, peak).rounded().to_f64();
        // A span that leaves the peak as it is billed, and one that takes it a kilowatt higher.
        let [from, to] = demand.one_more();
        let mean_of = |peak: PeakPower| {
            let room = demand.charge.meter().clone().room_below(demand.span.start, peak.0);
            let [factor, one] = [demand.factor.unwrap(), Decimal::ONE].map(MicroWh::of_kilowatthours);
            room.scaled(one, factor)
        };
        if let Some(before) = demand.peak() && before <= from.power() {
            let statement = total(mean_of(to)) - total(mean_of(from));
            let told = costs(to) - costs(from);
            prop_assert!((statement - told).abs() < 0.001, "{} {}", statement, told);
        }
        let [likely, nothing] = [watts(last), MicroWh::ZERO];
        let statement = total(likely) - total(nothing);
        let told = costs(demand.peak_with(likely)) - costs(demand.peak_with(nothing));
        prop_assert!((statement - told).abs() < 0.001, "{} {}", statement, told);
    }

    /// Whoever draws what is left stays at the level, and with a hundred watts more gets above it.
    #[test]
    fn what_is_left_ends_at_the_level(
        charge in 0..CHARGES.len(),
        spans in prop::collection::vec(0..9_000_i64, 30..140),
        part in 1..9_i64,
        last in 0..4_000_i64,
    ) {
        let (json, length_ms) = CHARGES[charge];
        let contracts = contracts(json);
        let house = House { length_ms, spans, part_ms: length_ms * part / 10 };
        let found = house.demands(&contracts, last);
        let demand = &found[0];
        let known_until = house.now();
        let left = demand.left(SpanCourse { known_until, recent: MicroWh::ZERO }).unwrap();
        let ends = |recent| {
            let mean = demand.likely(SpanCourse { known_until, recent }).unwrap();
            demand.peak_with(mean).power()
        };
        let level = demand.level().power();
        let is_capped = json.contains("at_most") && level == watts(9_000);
        prop_assert!(ends(left) <= level + watts(1) || left == MicroWh::ZERO);
        prop_assert!(level < ends(left + watts(100)) + watts(1) || is_capped);
        let course = SpanCourse { known_until, recent: left };
        let is_new = demand.is_new_peak(demand.likely(course).unwrap());
        prop_assert!(!is_new || left == MicroWh::ZERO);
    }
}

/// Quarters of an hour from January on: 3 kW on the second day of each month, 0.4 kW else.
fn usual_house(spans: usize) -> House {
    let quarters = (0..spans).map(|place| {
        let time = at(BEGIN).saturating_add_millis(i64::try_from(place).unwrap() * 900_000);
        let date = crate::domain::LocalDate::at(time, &Zone::UTC);
        if date.day() == 2 && place % 96 == 70 {
            3_000
        } else {
            400
        }
    });
    House {
        length_ms: 900_000,
        spans: quarters.collect(),
        part_ms: 600_000,
    }
}

#[test]
fn what_the_month_will_have_anyway_is_no_new_peak() {
    let plain = contracts(r#"{"demand":{"price":4.5,"per":"quarter"}}"#);
    // The first evening of April.
    let april = usual_house(90 * 96 + 70);
    let found = april.demands(&plain, 0);
    let demand = &found[0];
    assert_eq!(demand.peak(), Some(watts(400)));
    assert_eq!(demand.usual(), Some(watts(3_000)));
    assert_eq!(demand.level().power(), watts(3_000));
    let is_new = |mean| demand.is_new_peak(watts(mean));
    // Not by one hundredth, either.
    assert_eq!(
        [2_900, 3_000, 3_030, 3_031].map(is_new),
        [false, false, false, true]
    );
    // The lowest billed peak is higher than all of that.
    let floored = contracts(r#"{"demand":{"price":4.5,"per":"quarter","at_least_kw":5}}"#);
    let found = april.demands(&floored, 0);
    assert_eq!(found[0].level().power(), watts(5_000));
    assert!(!found[0].is_new_peak(watts(5_000)) && found[0].is_new_peak(watts(5_100)));
    // From 3 to 4.9 kW the step is the same.
    let stepped = contracts(
        r#"{"demand":{"per":"quarter","steps":[{"up_to_kw":2,"price":110},{"up_to_kw":5,"price":180},{"price":300}]}}"#,
    );
    let found = april.demands(&stepped, 0);
    let is_new = [4_900, 5_001].map(|mean| found[0].is_new_peak(watts(mean)));
    assert_eq!(is_new, [false, true]);
}

#[test]
fn the_first_week_of_readings_shows_what_is_usual() {
    let plain = contracts(r#"{"demand":{"price":4.5,"per":"quarter"}}"#);
    for (days, is_new) in [(6, false), (7, true)] {
        let found = usual_house(days * 96 + 70).demands(&plain, 0);
        assert_eq!(found[0].usual(), None);
        assert_eq!(found[0].is_new_peak(watts(4_000)), is_new, "{days}");
    }
}

#[test]
fn an_alarm_has_its_time() {
    for (per, length_ms, first, last) in [
        ("quarter", 900_000, 8, 10),
        ("half-hour", 1_800_000, 20, 25),
        ("hour", 3_600_000, 40, 55),
    ] {
        let contracts = contracts(&format!(r#"{{"demand":{{"price":4.5,"per":"{per}"}}}}"#));
        for minute in 0..length_ms / 60_000 {
            let house = House {
                length_ms,
                spans: vec![400; 40],
                part_ms: minute * 60_000,
            };
            let is_time = house.demands(&contracts, 0)[0].is_time();
            assert_eq!(is_time, (first..=last).contains(&minute), "{per} {minute}");
        }
    }
}

#[test]
fn a_span_that_does_not_count_is_no_new_peak() {
    let contracts =
        contracts(r#"{"demand":{"price":4.5,"per":"quarter","when":{"hours":"07:00-19:00"}}}"#);
    let mut house = usual_house(40 * 96 + 40);
    assert!(house.demands(&contracts, 0)[0].counts());
    house.spans.extend([400; 45]);
    let found = house.demands(&contracts, 9_000);
    let course = SpanCourse {
        known_until: house.now(),
        recent: watts(9_000),
    };
    assert!(!found[0].counts() && found[0].left(course).is_none());
    assert!(!found[0].is_new_peak(watts(9_000)));
    assert_eq!(found[0].likely(course), Some(watts(9_000)));
}

#[test]
fn a_maximum_by_energy_limits_what_a_kilowatt_costs() {
    // 40 kW hours: at most 0.25 each, 10 in all, and 2.5 kW already cost 8.42.
    let flanders = contracts(
        r#"{"demand":{"name":"capacity","price":40.4,"price_per":"year","per":"quarter","at_least_kw":2.5}},{"maximum":{"name":"most","price":0.25,"period":"month","on":["capacity"]}},{"tax":{"name":"btw","percent":6}}"#,
    );
    let house = House {
        length_ms: 900_000,
        spans: vec![400; 400],
        part_ms: 600_000,
    };
    let demand = &house.demands(&flanders, 0)[0];
    let pricer = house.priced(&flanders, (house.now(), MicroWh::ZERO));
    let [from, to] = demand
        .one_more()
        .map(|peak| pricer.costs_at_peak(demand, peak));
    // 10 - 8.416667, with the tax.
    assert_eq!((to - from).rounded().to_string(), "1.678333");
}
