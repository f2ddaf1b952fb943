//! Guesses a sensor's settings from its first readings.

use crate::domain::{Between, Meter, MeterKind, Role, Sign, Timestamp};

/// The number of registers that show its kind.
const TELLING_REGISTERS: usize = 4;
/// The number of changes of power that show how a device uploads it.
const TELLING_CHANGES: usize = 6;
/// Less power than this may be noise, in watts.
const NOISE: f64 = 5.0;

/// Settings that would suit the first readings better than those in effect; `None` where those suit
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterGuess {
    /// The settings that the register suggests.
    pub register: Option<MeterKind>,
    /// The sign of the power.
    pub power_sign: Option<Sign>,
    /// The sign of the register.
    pub register_sign: Option<Sign>,
    /// Power between two readings.
    pub between: Option<Between>,
}

/// The settings that the first readings suggest. `power` in watts and `watthours` are in time
/// order, with the sign that the sensor sent.
#[must_use]
pub fn guess_meter(
    role: Role,
    meter: &Meter,
    power: &[(Timestamp, f64)],
    watthours: &[f64],
) -> MeterGuess {
    let watts: Vec<f64> = power.iter().map(|(_, watts)| *watts).collect();
    let is_one_way = !matches!(role, Role::Grid | Role::Battery);
    // Each measure tells of itself: that of the other one may be right.
    let power_sign = sign_of(&watts, NOISE).filter(|_| is_one_way);
    let register_sign = register_sign_of(meter, watthours).filter(|_| is_one_way);
    let sign = register_sign.unwrap_or(meter.register_sign);
    let turned: Vec<f64> = watthours.iter().map(|it| sign.of(*it)).collect();
    MeterGuess {
        register: kind_of(&turned).filter(|kind| !suits(*kind, meter.kind)),
        power_sign: power_sign.filter(|sign| *sign != meter.power_sign),
        register_sign: register_sign.filter(|sign| *sign != meter.register_sign),
        between: between_of(power).filter(|between| *between != meter.between),
    }
}

/// A register that has only risen so far may be that of a net meter, too.
fn suits(seen: MeterKind, set: MeterKind) -> bool {
    seen == set || (seen == MeterKind::Counter && set == MeterKind::Net)
}

/// The kind of register that shows these values; `None` if they do not tell.
fn kind_of(watthours: &[f64]) -> Option<MeterKind> {
    let steps = steps_of(watthours);
    let falls = steps.iter().filter(|step| **step < 0.0).count();
    let rises = steps.iter().filter(|step| **step > 0.0).count();
    if watthours.len() < TELLING_REGISTERS || falls + rises == 0 {
        return None;
    }
    let least = watthours.iter().copied().fold(f64::INFINITY, f64::min);
    let most = watthours.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match falls {
        0 => Some(MeterKind::Counter),
        // A counter falls now and then, when it is reset.
        1 => None,
        // A register continues from its last value. The energy of an interval starts at zero, so it
        // often halves.
        _ if least >= 0.0 && least < most / 2.0 && falls * 4 >= steps.len() => {
            Some(MeterKind::Interval)
        }
        _ if falls * 10 >= steps.len() => Some(MeterKind::Net),
        _ => None,
    }
}

/// From each register to the next one.
fn steps_of(watthours: &[f64]) -> Vec<f64> {
    let neighbours = watthours.iter().zip(watthours.iter().skip(1));
    neighbours.map(|(before, after)| after - before).collect()
}

/// The sign of a one-way flow in this register; `None` if it does not show.
fn register_sign_of(meter: &Meter, watthours: &[f64]) -> Option<Sign> {
    if watthours.len() < TELLING_REGISTERS {
        return None;
    }
    let turned: Vec<f64> = watthours.iter().map(|it| -it).collect();
    let are_intervals = [watthours, &turned]
        .into_iter()
        .any(|it| kind_of(it) == Some(MeterKind::Interval));
    if are_intervals || meter.kind == MeterKind::Interval {
        sign_of(watthours, 0.0)
    } else {
        sign_of(&steps_of(watthours), 0.0)
    }
}

/// The sign of these values, without those up to a limit in either direction; `None` if they do not
/// tell.
fn sign_of(values: &[f64], noise: f64) -> Option<Sign> {
    let forward = values.iter().filter(|value| **value > noise).count();
    let backward = values.iter().filter(|value| **value < -noise).count();
    // One bad reading says nothing against the others.
    if backward > 20 * forward {
        Some(Sign::Inverted)
    } else {
        (forward > 20 * backward).then_some(Sign::AsIs)
    }
}

/// Power between these readings; `None` if they do not tell.
///
/// A device that measures by a clock sends its power whether it has changed or not, and always as
/// far apart. One that sends it on change does so at any time; unchanged power it repeats after a
/// long time, if at all.
fn between_of(power: &[(Timestamp, f64)]) -> Option<Between> {
    let (mut changes, mut repeats) = (Vec::new(), Vec::new());
    for ((before, watts), (time, next)) in power.iter().zip(power.iter().skip(1)) {
        let spacings = if watts == next {
            &mut repeats
        } else {
            &mut changes
        };
        spacings.push(time.millis() - before.millis());
    }
    if changes.len() < TELLING_CHANGES {
        return None;
    }
    changes.sort_unstable();
    let usual = changes.get(changes.len() / 2).copied()?;
    let is_usual = |ms: &&i64| (**ms - usual).abs() <= usual / 4;
    let regular = changes.iter().filter(is_usual).count();
    let long = changes.get(changes.len() * 4 / 5).copied()?;
    let late = repeats.iter().filter(|ms| **ms >= long).count();
    if is_fifths(4, regular, changes.len()) {
        Some(Between::Line)
    // Where only some messages were lost, most of them still come as usual.
    } else if is_fifths(3, regular, changes.len()) || !is_fifths(4, late, repeats.len()) {
        None
    } else {
        Some(Between::Hold)
    }
}

/// Whether a part is at least so many fifths of all.
const fn is_fifths(fifths: usize, part: usize, all: usize) -> bool {
    part * 5 >= all * fifths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    const MINUTE: i64 = 60_000;

    /// Power a minute apart.
    fn each_minute(watts: &[f64]) -> Vec<(Timestamp, f64)> {
        let times = (0..).map(|minute| at(minute * MINUTE));
        times.zip(watts.iter().copied()).collect()
    }

    #[test]
    fn registers_tell_their_kind() {
        for (watthours, kind) in [
            (
                &[1_000.0, 1_000.5, 1_000.5, 1_003.0, 1_009.0][..],
                Some(MeterKind::Counter),
            ),
            (&[1_000.0, 1_002.0], None),
            (&[1_000.0; 10], None),
            (
                &[1_000.0, 1_002.0, 1_001.0, 999.0, 1_000.0, 1_001.0],
                Some(MeterKind::Net),
            ),
            (&[-3.0, -4.0, -6.0, -5.0, -7.0], Some(MeterKind::Net)),
            (
                &[12.0, 3.0, 30.0, 11.0, 28.0, 4.0],
                Some(MeterKind::Interval),
            ),
            // A reset.
            (&[1_000.0, 1_002.0, 1_003.0, 0.0, 1.0, 2.0], None),
        ] {
            assert_eq!(kind_of(watthours), kind, "{watthours:?}");
        }
    }

    #[test]
    fn only_what_suits_worse_is_guessed_anew() {
        let rising = [1.0, 2.0, 3.0, 4.0, 5.0];
        let guess = |kind| guess_meter(Role::Grid, &Meter::new(kind), &[], &rising).register;
        assert_eq!(guess(MeterKind::Counter), None);
        assert_eq!(guess(MeterKind::Net), None);
        assert_eq!(guess(MeterKind::Interval), Some(MeterKind::Counter));
    }

    #[test]
    fn panels_that_take_power_are_the_other_way_round() {
        let meter = |power_sign| Meter {
            power_sign,
            ..Meter::new(MeterKind::Counter)
        };
        let (inverted, as_is) = (meter(Sign::Inverted), meter(Sign::AsIs));
        let sign = |role, meter: &Meter, watts: &[f64]| {
            guess_meter(role, meter, &each_minute(watts), &[]).power_sign
        };
        assert_eq!(sign(Role::Solar, &as_is, &[-305.0]), Some(Sign::Inverted));
        assert_eq!(sign(Role::Solar, &inverted, &[-305.0]), None);
        assert_eq!(sign(Role::Solar, &inverted, &[305.0]), Some(Sign::AsIs));
        assert_eq!(sign(Role::Solar, &as_is, &[-3.0, 0.0]), None);
        assert_eq!(sign(Role::SubMeter, &as_is, &[-50.0, 60.0]), None);
        assert_eq!(sign(Role::Grid, &as_is, &[-305.0; 9]), None);
    }

    #[test]
    fn each_measure_tells_of_its_own_sign() {
        use Sign::{AsIs, Inverted};
        let rising: Vec<f64> = (0..50).map(|n| 1_000.0 + f64::from(n)).collect();
        let falling: Vec<f64> = rising.iter().map(|it| -it).collect();
        let intervals: Vec<f64> = (0..50).map(|n| f64::from(n % 3) * 7.0 + 1.0).collect();
        let taken: Vec<f64> = intervals.iter().map(|it| -it).collect();
        for (role, watts, watthours, signs) in [
            // Only the power is the other way round.
            (Role::Solar, -600.0, &rising, (Some(Inverted), None)),
            (Role::GridExport, -600.0, &rising, (Some(Inverted), None)),
            (Role::SubMeter, 600.0, &rising, (None, None)),
            // Only the register is.
            (Role::Solar, 600.0, &falling, (None, Some(Inverted))),
            // Both are.
            (
                Role::Solar,
                -600.0,
                &falling,
                (Some(Inverted), Some(Inverted)),
            ),
            (Role::Solar, -600.0, &intervals, (Some(Inverted), None)),
            (Role::Solar, 600.0, &taken, (None, Some(Inverted))),
            // Energy flows both ways there.
            (Role::Grid, -600.0, &falling, (None, None)),
            (Role::Battery, -600.0, &falling, (None, None)),
        ] {
            for kind in [MeterKind::Counter, MeterKind::Net] {
                let power = each_minute(&[watts; 50]);
                let guess = guess_meter(role, &Meter::new(kind), &power, watthours);
                let found = (guess.power_sign, guess.register_sign);
                assert_eq!(found, signs, "{role:?} {watts} {watthours:?}");
                // Once the proposal is accepted, there is no other one.
                let meter = Meter {
                    kind: guess.register.unwrap_or(kind),
                    power_sign: guess.power_sign.unwrap_or(AsIs),
                    register_sign: guess.register_sign.unwrap_or(AsIs),
                    ..Meter::default()
                };
                let again = guess_meter(role, &meter, &power, watthours);
                assert_eq!(again, MeterGuess::default());
            }
        }
        // Both inverted by hand, and one of them was right before.
        let inverted = Meter {
            power_sign: Inverted,
            register_sign: Inverted,
            ..Meter::new(MeterKind::Counter)
        };
        let guess = guess_meter(Role::Solar, &inverted, &each_minute(&[-600.0; 9]), &rising);
        assert_eq!((guess.power_sign, guess.register_sign), (None, Some(AsIs)));
        assert_eq!(guess.register, None);
    }

    /// The guess for power that comes so many seconds after the one before it.
    fn between(steps: &[(i64, f64)]) -> Option<Between> {
        let mut ms = 0;
        let mut power = Vec::new();
        for (seconds, watts) in steps {
            ms += seconds * 1_000;
            power.push((at(ms), *watts));
        }
        between_of(&power)
    }

    #[test]
    fn power_that_comes_on_change_stays() {
        // A fridge.
        let fridge: Vec<_> = (0..5).flat_map(|_| [(1_680, 80.0), (720, 1.0)]).collect();
        assert_eq!(between(&fridge), Some(Between::Hold));
        assert_eq!(between(&fridge[..6]), None);
        // A kettle that repeats unchanged power every ten minutes.
        let kettle = [
            (600, 0.0),
            (600, 0.0),
            (240, 2_000.0),
            (130, 0.0),
            (600, 0.0),
        ];
        let often: Vec<_> = (0..4).flat_map(|_| kettle).collect();
        assert_eq!(between(&often), Some(Between::Hold));
        // Noise on top of a load that comes and goes, with a threshold.
        let washing = [
            (3, 400.0),
            (61, 410.0),
            (5, 2_000.0),
            (340, 1_990.0),
            (17, 120.0),
            (2, 80.0),
            (45, 300.0),
            (800, 2.0),
        ];
        assert_eq!(between(&washing), Some(Between::Hold));
    }

    #[test]
    fn power_that_comes_by_the_clock_is_a_line() {
        let course = |n: i32| 300.0 + 10.0 * f64::from((n * 7) % 13);
        let spaced = |seconds: fn(i32) -> i32| -> Vec<(i64, f64)> {
            let step = |n| (i64::from(seconds(n)), course(n));
            (0..60).map(step).collect()
        };
        let steady = spaced(|_| 10);
        assert_eq!(between(&steady), Some(Between::Line));
        // It jitters, and one in six is lost.
        let jittery = spaced(|n| if n % 6 == 0 { 20 } else { 9 + n % 3 });
        assert_eq!(between(&jittery), Some(Between::Line));
        // One in three is lost.
        let lossy = spaced(|n| if n % 3 == 0 { 20 } else { 10 });
        assert_eq!(between(&lossy[..8]), None);
        // Many are lost, at a load that hardly changes.
        let flat: Vec<_> = (0..60)
            .map(|n| (i64::from(10 * (1 + n * n % 4)), f64::from(n / 5)))
            .collect();
        assert_eq!(between(&flat), None);
        // Power by pairs of messages.
        let pairs: Vec<_> = (0..60)
            .map(|n| (if n % 2 == 0 { 10 } else { 0 }, course(n / 2)))
            .collect();
        assert_eq!(between(&pairs), Some(Between::Line));
        // Nothing happens.
        assert_eq!(between(&[(600, 0.0); 50]), None);
    }
}
