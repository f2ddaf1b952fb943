//! Made-up houses, day by day: with holidays, some with a heat pump, panels, or a car that is bought
//! in between.

use std::f64::consts::TAU;
use std::ops::Range;

/// The equipment of a house.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HouseKind {
    pub(super) heat_pump: bool,
    pub(super) panels: bool,
    pub(super) car: bool,
}

/// The energy of each day of a house, in watt-hours.
#[derive(Default)]
pub(super) struct HouseEnergy {
    pub(super) imported: Vec<f64>,
    pub(super) exported: Vec<f64>,
}

/// Pseudo-random numbers, the same on each machine (splitmix64).
struct Dice(u64);

/// Influences that change slowly, from day to day.
#[derive(Default)]
struct Moods {
    people: f64,
    habits: f64,
    weather: f64,
    season: f64,
    clouds: f64,
}

const YEAR: u32 = 365;
/// An odd multiplier, so that the seeds of two houses have nothing in common.
const APART: u64 = 1_000_003;

impl Dice {
    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let high = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap();
        f64::from(high) / f64::from(u32::MAX)
    }

    fn between(&mut self, range: Range<f64>) -> f64 {
        range.start + (range.end - range.start) * self.share()
    }

    fn day(&mut self, range: Range<u32>) -> u32 {
        let place = self.between(f64::from(range.start)..f64::from(range.end));
        let later = range.clone().skip(1).find(|day| f64::from(*day) > place);
        later.map_or(range.end - 1, |day| day - 1)
    }

    /// Around 0, mostly between -1 and 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }

    /// The value after one that changes slowly, around 0 with this spread.
    fn after(&mut self, before: f64, stays: f64, spread: f64) -> f64 {
        stays * before + spread * (1.0 - stays * stays).sqrt() * self.normal()
    }
}

/// So many years of a house.
pub(super) fn house(kind: HouseKind, seed: u64, years: u32) -> HouseEnergy {
    let mut dice = Dice(seed.wrapping_mul(APART));
    let base = dice.between(4.0..12.0);
    let [winter, weekend] = [0.1..0.35, 0.05..0.3].map(|range| dice.between(range));
    let [spread, stays] = [0.12..0.27, 0.4..0.8].map(|range| dice.between(range));
    let [heat, peak, charge] = [0.5..1.5, 3.0..9.0, 4.0..10.0].map(|range| dice.between(range));
    let bought = dice.day(years * YEAR * 3 / 10..years * YEAR * 7 / 10);
    let holidays: Vec<Range<u32>> = (0..years)
        .flat_map(|year| holidays(&mut dice, year * YEAR))
        .collect();
    let mut now = Moods::default();
    let mut found = HouseEnergy::default();
    for day in 0..years * YEAR {
        // From 1 in January to -1 in July.
        let cold = (TAU * (f64::from(day) - 15.0) / 365.25).cos();
        now.people = dice.after(now.people, stays, spread);
        now.habits += 0.006 * dice.normal();
        now.weather = dice.after(now.weather, 0.85, 3.5);
        now.season = dice.after(now.season, 0.98, 1.2);
        now.clouds = dice.after(now.clouds, 0.5, 1.0);
        let is_away = holidays.iter().any(|it| it.contains(&day));
        let weekend = if day % 7 >= 5 { weekend } else { 0.0 };
        let mut used =
            base * (1.0 + winter * cold) * (1.0 + weekend) * (now.people + now.habits).exp();
        used *= if is_away { 0.3 } else { 1.0 };
        if kind.heat_pump {
            let degrees = 10.0 - 9.0 * cold + now.weather + now.season;
            used += heat * (15.0 - degrees).max(0.0) * if is_away { 0.7 } else { 1.0 };
        }
        if kind.car && day >= bought && !is_away && dice.share() < 0.45 {
            used += charge * dice.between(1.0..3.0);
        }
        let mut own = 0.0;
        let mut made = 0.0;
        if kind.panels {
            made = peak * (2.9 - 2.2 * cold).max(0.15) * (0.55 * now.clouds - 0.15).exp().min(1.7);
            own = (made * 0.85).min(used * 0.55);
        }
        found.imported.push((used - own) * 1_000.0);
        found.exported.push((made - own) * 1_000.0);
    }
    found
}

/// One in summer, and often a short one.
fn holidays(dice: &mut Dice, year: u32) -> Vec<Range<u32>> {
    let summer = year + dice.day(170..240);
    let mut all = Vec::new();
    all.push(summer..summer + dice.day(7..22));
    if dice.share() < 0.6 {
        let other = year + dice.day(0..340);
        all.push(other..other + dice.day(3..11));
    }
    all
}
