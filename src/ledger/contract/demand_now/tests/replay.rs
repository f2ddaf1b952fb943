//! New peaks of whole years, minute by minute: how many are announced in time, and how many alarms are
//! false (docs/HOUSE.md).

use std::ops::RangeInclusive;

use super::*;

/// Three contracts: their names, their demand charges, and the minutes of a span.
const CONTRACTS: [(&str, &str, usize); 3] = [
    (
        "Flanders: quarters, at least 2.5 kW, mean of 12 months",
        r#"{"demand":{"price":40.4,"price_per":"year","per":"quarter","at_least_kw":2.5,"months":12}}"#,
        15,
    ),
    (
        "weekdays from 16 to 21, the highest quarter of the month",
        r#"{"demand":{"price":12,"per":"quarter","when":{"weekdays":"mon-fri","hours":"16:00-21:00"}}}"#,
        15,
    ),
    (
        "Sweden: mean of the three highest hours of the month",
        r#"{"demand":{"price":81.25,"per":"hour","peaks":3}}"#,
        60,
    ),
];

/// The outcome of alarms.
#[derive(Debug, Default)]
struct AlarmCount {
    new_peaks: usize,
    /// New peaks that an alarm announced five minutes before their span ended.
    announced: usize,
    false_alarms: usize,
    weeks: f64,
}

/// Measures the powers of minutes, each with its mean power in watts.
struct Minutes<'a> {
    start: Timestamp,
    watts: &'a [u32],
}

impl Minutes<'_> {
    fn time(&self, minute: usize) -> Timestamp {
        let minute = i64::try_from(minute).unwrap();
        self.start.saturating_add_millis(minute * MS_PER_MINUTE)
    }

    /// The mean power of some minutes.
    fn power(&self, minutes: std::ops::Range<usize>) -> MicroWh {
        let count = i64::try_from(minutes.len()).unwrap();
        let sum: i64 = self.watts[minutes].iter().map(|it| i64::from(*it)).sum();
        MicroWh::new(sum * 1_000_000 / count)
    }

    fn measure(&self, history: &mut PeakHistory, from: usize, to: usize) {
        let (start, end) = (self.time(from), self.time(to));
        let energy = self.power(from..to).part_of_hour(start, end);
        history.add(start, end, Some(energy));
    }

    /// Whether an alarm comes at the end of a minute, from what was measured until then.
    fn alarms(&self, demand: &DemandNow, minute: usize) -> bool {
        let recent = self.power(minute - 3..minute);
        let course = SpanCourse {
            known_until: self.time(minute),
            recent: recent.max(self.power(minute - 1..minute)),
        };
        let likely = demand.likely(course);
        demand.is_time() && likely.is_some_and(|likely| demand.is_new_peak(likely))
    }

    fn replay(&self, contracts: &Contracts, span: usize) -> AlarmCount {
        let zone = Zone::UTC;
        let lists = Announced::default().days;
        let mut history = PeakHistory::of_demands(contracts, (&zone, &lists), self.start).unwrap();
        // Nothing is known of the time before.
        while history.measured() < self.start {
            let from = history.measured();
            let to = history.until(from).min(self.start);
            history.add(from, to, None);
        }
        let looked: RangeInclusive<usize> = span - 7.max(span / 3)..=span - 5;
        let mut count = AlarmCount::default();
        for begin in (0..self.watts.len() / span).map(|place| place * span) {
            let end = begin + span;
            let mean = self.power(begin..end);
            // Only what is far from a peak is left out.
            let highest = self.watts[begin..end].iter().max().unwrap();
            let level = history.demands(contracts, &zone)[0].level().power();
            if MicroWh::new(i64::from(*highest) * 1_000_000) < level {
                self.measure(&mut history, begin, end);
                continue;
            }
            let (mut before, mut is_alarm, mut is_new) = (begin, false, false);
            for minute in looked.clone().map(|it| begin + it) {
                self.measure(&mut history, before, minute);
                let demand = &history.demands(contracts, &zone)[0];
                is_alarm |= self.alarms(demand, minute);
                is_new = demand.is_new_peak(mean);
                before = minute;
            }
            self.measure(&mut history, before, end);
            count.new_peaks += usize::from(is_new);
            count.announced += usize::from(is_new && is_alarm);
            count.false_alarms += usize::from(is_alarm && !is_new);
        }
        #[expect(clippy::cast_precision_loss, reason = "minutes of some years")]
        let weeks = self.watts.len() as f64 / (7.0 * 1_440.0);
        AlarmCount { weeks, ..count }
    }

    /// Replays all contracts, and checks what is promised, with so many false alarms a week at most.
    fn check(&self, most_false: f64) {
        for (name, json, span) in CONTRACTS {
            let count = self.replay(&contracts(json), span);
            println!("{name}: {count:?}");
            assert!(count.new_peaks > 0);
            // Of fewer than ten, one may be missed.
            let missed = count.new_peaks - count.announced;
            assert!(missed <= (count.new_peaks / 10).max(1), "{name}");
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let false_alarms = count.false_alarms as f64;
            assert!(false_alarms <= most_false * count.weeks, "{name}");
        }
    }
}

/// Half a year of a made-up house: a base load, a kettle, a stove whose plates go on and off, and a
/// water heater, at times that a fixed sequence of numbers gives.
fn made_up() -> Vec<u32> {
    let mut seed = 7_u32;
    let mut chance = move |of: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % of
    };
    let mut watts = Vec::new();
    let mut left = [0_u32; 4];
    for minute in 0..26 * 7 * 1_440_u32 {
        let hour = minute / 60 % 24;
        let is_meal = matches!(hour, 7 | 12 | 18 | 19);
        let begins = [
            (hour > 5 && chance(180) == 0, 3 + chance(3)),
            (is_meal && chance(70) == 0, 20 + chance(40)),
            (hour > 6 && chance(900) == 0, 60 + chance(60)),
            (chance(700) == 0, 15 + chance(20)),
        ];
        for (left, (begins, minutes)) in left.iter_mut().zip(begins) {
            *left = if begins {
                minutes.max(*left)
            } else {
                left.saturating_sub(1)
            };
        }
        let [kettle, stove, washing, heater] = left.map(|it| it > 0);
        let plates = if minute % 5 < 3 { 2_400 } else { 600 };
        let power = 150
            + chance(200)
            + u32::from(kettle) * 2_000
            + u32::from(stove) * plates
            + u32::from(washing) * if minute % 60 < 20 { 2_000 } else { 150 }
            + u32::from(heater) * 2_000;
        watts.push(power);
    }
    watts
}

#[test]
fn new_peaks_of_a_house_are_announced() {
    let watts = made_up();
    let start = at("2026-01-01T00:00:00");
    Minutes {
        start,
        watts: &watts,
    }
    // Its plates go on and off all the time.
    .check(1.5);
}

/// `WATTKEEPER_BENCH_DATA` names the whole file (docs/BENCHMARKS.md).
#[test]
#[ignore = "needs measured_house"]
fn new_peaks_of_the_measured_house_are_announced() {
    let path = std::env::var_os("WATTKEEPER_BENCH_DATA").unwrap();
    let table = std::fs::read_to_string(path).unwrap();
    let rows = table.lines().skip(1);
    let mut rows = rows
        .skip_while(|row| !row.starts_with("2007-01-01"))
        .peekable();
    let start = Timestamp::parse(rows.peek().unwrap().split(',').next().unwrap()).unwrap();
    let watts = rows.map(|row| row.split(',').nth(1).unwrap().parse().unwrap());
    let watts: Vec<u32> = watts.collect();
    Minutes {
        start,
        watts: &watts,
    }
    .check(1.0);
}
