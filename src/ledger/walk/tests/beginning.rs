//! Walks that begin in the middle: from some time on they equal a walk from the first register.

use proptest::prelude::*;

use super::random::{facts, history, meter, moves, places};
use super::*;

/// The beginning of a walk that is right from the next register on; as runs of these lengths.
fn found(meter: Meter, facts: &Facts, registers: &[Register], lengths: &[usize]) -> Option<i64> {
    let mut beginning = Beginning::new(meter, facts.clone());
    for part in parts(registers, lengths) {
        beginning.add(&RegisterRun::of(part.iter().copied()).unwrap());
    }
    beginning.found().map(Timestamp::millis)
}

/// Registers each minute that rise by 1 Wh, unless it is one of those that stand still.
fn climb(count: i64, still: impl Fn(i64) -> bool) -> Vec<Register> {
    let mut shown = 1_000.0;
    let climb = (0..count).map(|minute| {
        shown += if still(minute) { 0.0 } else { 1.0 };
        (minute * MINUTE, shown)
    });
    registers(&climb.collect::<Vec<_>>())
}

#[test]
fn a_chain_is_long_enough_when_nothing_earlier_is_held() {
    let (meter, facts) = (Meter::new(MeterKind::Counter), Facts::default());
    let found = |registers: &[Register]| found(meter, &facts, registers, &[1; 500]);
    assert_eq!(found(&climb(101, |_| false)), None);
    assert_eq!(found(&climb(102, |_| false)), Some(0));
    // Since when it shows this is not known before it changes.
    assert_eq!(found(&climb(300, |minute| minute > 100)), None);
    assert_eq!(found(&climb(300, |minute| minute > 101)), Some(0));
    // A fall begins another chain.
    let mut fallen = climb(300, |_| false);
    fallen[150].watthours = 0.0;
    assert_eq!(found(&fallen), Some(150 * MINUTE));
    let net = Meter::new(MeterKind::Net);
    assert_eq!(
        super::beginning::found(net, &facts, &fallen, &[1; 500]),
        Some(0)
    );
}

#[test]
fn zeros_alone_are_no_beginning() {
    let (meter, facts) = (Meter::new(MeterKind::Counter), Facts::default());
    let mut shown = climb(400, |_| false);
    for register in &mut shown[..200] {
        register.watthours = 0.0;
    }
    let found = |count: usize, lengths: &[usize]| found(meter, &facts, &shown[..count], lengths);
    for lengths in [&[1; 500][..], &[100, 100, 1, 1, 1], &[200, 60]] {
        assert_eq!(found(250, lengths), None);
    }
    assert_eq!(found(302, &[1; 500]), Some(0));
    assert_eq!(found(400, &[150, 100, 1, 1, 100, 1]), Some(250 * MINUTE));
}

#[test]
fn what_people_know_is_not_passed_over() {
    let meter = Meter::new(MeterKind::Counter);
    let facts = Facts {
        decisions: [(at(50 * MINUTE), false)].into(),
        ..Facts::default()
    };
    let registers = climb(250, |_| false);
    assert_eq!(
        found(meter, &facts, &registers, &[1; 500]),
        Some(51 * MINUTE)
    );
    assert_eq!(
        found(meter, &facts, &registers, &[60; 5]),
        Some(60 * MINUTE)
    );
}

#[test]
fn intervals_need_two_spacings() {
    let meter = Meter::new(MeterKind::Interval);
    let registers = registers(&every(MINUTE, &[9e9, 0.0, -9e9, 5.0]));
    assert_eq!(found(meter, &Facts::default(), &registers[..2], &[]), None);
    assert_eq!(
        found(meter, &Facts::default(), &registers[..3], &[]),
        Some(0)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn from_there_on_it_is_the_same(
        before in moves(), length in 95_usize..130, amount in 0_i64..3, after in moves(), meter in meter(), places in places(),
        is_interval in any::<bool>(), lengths in proptest::collection::vec(1_usize..60, 0..60),
    ) {
        let quiet = [(0, amount.max(1), length, 10 * SECOND), (0, 1, 2, 10 * SECOND), (3, 1, usize::from(amount == 0), MINUTE)];
        let cut = history(&before).len() + length + 2;
        let registers = history(&[before, quiet.to_vec(), after].concat());
        let facts = facts(&registers, &places);
        let meter = Meter { kind: if is_interval { MeterKind::Interval } else { meter.kind }, ..meter };
        // Until some register in the middle, or a few more.
        let (known, _) = registers.split_at(cut.min(registers.len()));
        let Some(begin) = found(meter, &facts, known, &lengths) else {
            return Ok(());
        };
        let late: Vec<Register> = registers.iter().copied().filter(|register| register.time.millis() >= begin).collect();
        let cut = known.last().unwrap().time;
        let [whole, part] = [&registers, &late].map(|registers| {
            let entries = walked(meter, &facts, registers);
            let stretches: Vec<Stretch> = stretches(&entries).into_iter().filter(|stretch| stretch.to > cut).collect();
            let events: Vec<Event> = events(&entries).into_iter().filter(|event| event.time > cut).collect();
            (stretches, events)
        });
        prop_assert_eq!(whole, part);
    }
}
