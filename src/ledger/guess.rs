//! What the first readings of a sensor say about its settings.

use crate::domain::{Meter, MeterKind, Role, Sign};

/// So many registers tell what kind of register it is.
const TELLING_REGISTERS: usize = 4;
/// Less power than this may be noise, in watts.
const NOISE: f64 = 5.0;

/// Settings that would suit the first readings better than those in effect; `None` where those suit them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterGuess {
    /// What the register says.
    pub register: Option<MeterKind>,
    /// Which way round the sensor counts.
    pub sign: Option<Sign>,
}

/// What the first readings say: `watts` and `watthours` are those of the sensor in time order, with the sign that it sent.
#[must_use]
pub fn guess_meter(role: Role, meter: &Meter, watts: &[f64], watthours: &[f64]) -> MeterGuess {
    MeterGuess {
        register: kind_of(watthours).filter(|kind| !suits(*kind, meter.kind)),
        sign: sign_of(role, watts).filter(|sign| (*sign == Sign::Inverted) != meter.is_inverted),
    }
}

/// A register that has only risen so far may be that of a net meter, too.
fn suits(seen: MeterKind, set: MeterKind) -> bool {
    seen == set || (seen == MeterKind::Counter && set == MeterKind::Net)
}

/// What kind of register shows these values; `None` if they do not tell.
fn kind_of(watthours: &[f64]) -> Option<MeterKind> {
    let steps: Vec<f64> = watthours
        .iter()
        .zip(watthours.iter().skip(1))
        .map(|(before, after)| after - before)
        .collect();
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
        // A register goes on from where it was. The energy of an interval begins anew, so it often halves.
        _ if least >= 0.0 && least < most / 2.0 && falls * 4 >= steps.len() => {
            Some(MeterKind::Interval)
        }
        _ if falls * 10 >= steps.len() => Some(MeterKind::Net),
        _ => None,
    }
}

/// Which way round these powers count; `None` if the role allows both directions, or if they do not tell.
fn sign_of(role: Role, watts: &[f64]) -> Option<Sign> {
    match role {
        Role::Grid | Role::Battery => return None,
        Role::GridImport
        | Role::GridExport
        | Role::Solar
        | Role::BatteryCharge
        | Role::BatteryDischarge
        | Role::SubMeter => {}
    }
    let count = |is: fn(&f64) -> bool| watts.iter().filter(|watts| is(watts)).count();
    let forward = count(|watts| *watts > NOISE);
    let backward = count(|watts| *watts < -NOISE);
    // One bad reading says nothing against the others.
    if backward > 20 * forward {
        Some(Sign::Inverted)
    } else {
        (forward > 20 * backward).then_some(Sign::AsIs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let inverted = Meter {
            is_inverted: true,
            ..Meter::new(MeterKind::Counter)
        };
        let as_is = Meter::new(MeterKind::Counter);
        let sign = |role, meter: &Meter, watts: &[f64]| guess_meter(role, meter, watts, &[]).sign;
        assert_eq!(sign(Role::Solar, &as_is, &[-305.0]), Some(Sign::Inverted));
        assert_eq!(sign(Role::Solar, &inverted, &[-305.0]), None);
        assert_eq!(sign(Role::Solar, &inverted, &[305.0]), Some(Sign::AsIs));
        assert_eq!(sign(Role::Solar, &as_is, &[-3.0, 0.0]), None);
        assert_eq!(sign(Role::SubMeter, &as_is, &[-50.0, 60.0]), None);
        assert_eq!(sign(Role::Grid, &as_is, &[-305.0; 9]), None);
    }
}
