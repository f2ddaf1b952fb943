//! A simulated household, that of the demo, and the values of its meters at any time. Every run is the same: weather
//! and people are functions of the time.

use std::f64::consts::TAU;

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Decimal, Measures, MeterKind, Reading, Role, Timestamp};

/// A sensor of the household.
#[derive(Debug)]
pub struct DemoSensor {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its quantity.
    pub role: Role,
    /// Its registers.
    pub meter: MeterKind,
    /// The sensor that contains this sub-meter.
    pub part_of: Option<&'static str>,
}

/// The number of its sensors.
pub const DEMO_SENSORS_COUNT: usize = 18;

/// The first sensors have readings at all times, the plugs after them less often.
const METERS: usize = 3;

/// Its sensors, in the order of [`Household::read`].
pub const DEMO_SENSORS: [DemoSensor; DEMO_SENSORS_COUNT] = [
    DemoSensor::new("house", "Main meter", Role::Grid, MeterKind::Net),
    DemoSensor::new("solar", "Solar panels", Role::Solar, MeterKind::Counter),
    DemoSensor::plug("heat-pump", "Heat pump", None),
    DemoSensor::plug("car", "Car charger", None),
    DemoSensor::plug("kitchen", "Kitchen", None),
    DemoSensor::plug("fridge", "Fridge", Some("kitchen")),
    DemoSensor::plug("hob", "Hob", Some("kitchen")),
    DemoSensor::plug("dishwasher", "Dishwasher", Some("kitchen")),
    DemoSensor::plug("kettle", "Kettle", Some("kitchen")),
    DemoSensor::plug("freezer", "Freezer", None),
    DemoSensor::plug("washer", "Washing machine", None),
    DemoSensor::plug("dryer", "Dryer", None),
    DemoSensor::plug("office", "Office", None),
    DemoSensor::plug("television", "Television", None),
    DemoSensor::plug("lights", "Lights", None),
    DemoSensor::plug("router", "Router", None),
    DemoSensor::plug("ventilation", "Ventilation", None),
    DemoSensor::plug("circulation", "Circulation pump", None),
];

/// In degrees north; determines the height of the sun.
const LATITUDE: f64 = 49.5;
/// Production of the panels with the sun overhead, in watts.
const SOLAR_PEAK: f64 = 7_500.0;
/// Power of the running heat pump, in watts.
const HEAT_PUMP_RUNNING: f64 = 2_200.0;
const MS_PER_HOUR: f64 = 3_600_000.0;
const MS_PER_SECOND: i64 = 1_000;
const MS_PER_MINUTE: i64 = 60_000;

/// The household's meters.
#[derive(Debug)]
pub struct Household {
    read_at: Timestamp,
    /// The register of each meter, in watt-hours.
    registers: [f64; DEMO_SENSORS_COUNT],
    /// The time of the plugs' last readings, and their registers then.
    plugs: (Timestamp, [f64; DEMO_SENSORS_COUNT]),
}

impl Household {
    /// The power at the grid at a time, in watts: negative while the panels produce more than the house
    /// uses.
    #[must_use]
    pub fn power_at_grid(time: Timestamp) -> f64 {
        let [at_grid, ..] = LocalMoment::at(time).powers();
        at_grid
    }

    /// The household, with meters last read at `start`.
    #[must_use]
    pub const fn new(start: Timestamp) -> Self {
        let mut registers = [0.0; DEMO_SENSORS_COUNT];
        [registers[0], registers[2]] = [1_204_318.0, 310_577.0];
        Self {
            read_at: start,
            registers,
            plugs: (start, registers),
        }
    }

    /// Reads all meters at `time`. Registers add the power at `time` for the time since the last
    /// reading. The house's meter runs backwards while the panels produce more than the house uses.
    ///
    /// Plugs have a reading if they are due, with their mean power since the previous one, as hubs
    /// report it.
    #[must_use]
    pub fn read(&mut self, time: Timestamp, is_due: bool) -> [Option<Reading>; DEMO_SENSORS_COUNT] {
        let powers = LocalMoment::at(time).powers().map(f64::round);
        let hours_since = |since: Timestamp| real(time.millis() - since.millis()) / MS_PER_HOUR;
        let hours = hours_since(self.read_at);
        self.read_at = time;
        for (register, watts) in self.registers.iter_mut().zip(powers) {
            *register += watts * hours;
        }
        let (since, before) = self.plugs;
        if is_due {
            self.plugs = (time, self.registers);
        }
        let hours = hours_since(since);
        let mut readings = [None; DEMO_SENSORS_COUNT];
        let all = readings.iter_mut().zip(powers);
        let all = all.zip(self.registers.iter().zip(before)).enumerate();
        for (nth, ((reading, watts), (register, before))) in all {
            let watts = match nth {
                ..METERS => watts,
                _ if !is_due => continue,
                _ if hours > 0.0 => ((register - before) / hours).round(),
                _ => watts,
            };
            // Only the returned value is rounded, because a rounded register would add up its
            // errors.
            let shown = (register * 10.0).round() / 10.0;
            *reading = Measures::new(Some(watts), Some(shown))
                .ok()
                .map(|measures| Reading { time, measures });
        }
        readings
    }
}

impl DemoSensor {
    const fn new(id: &'static str, name: &'static str, role: Role, meter: MeterKind) -> Self {
        Self {
            id,
            name,
            role,
            meter,
            part_of: None,
        }
    }

    const fn plug(id: &'static str, name: &'static str, part_of: Option<&'static str>) -> Self {
        Self {
            part_of,
            ..Self::new(id, name, Role::SubMeter, MeterKind::Counter)
        }
    }
}

/// A point in time, in the household's local terms.
struct LocalMoment {
    /// Seconds since 1970, local time.
    second: i64,
    /// Minutes since 1970, local time.
    minute: i64,
    /// Days since 1970, local time.
    day: i64,
    /// The hour of the day, 0 to 24.
    hour: f64,
    /// The part of the year that has passed, 0 to 1.
    year: f64,
    is_weekend: bool,
}

impl LocalMoment {
    fn at(time: Timestamp) -> Self {
        /// An hour ahead of UTC all year, because daylight saving would add nothing.
        const AHEAD_MS: i64 = 3_600_000;
        let local = time.saturating_add_millis(AHEAD_MS);
        let day = local.millis().div_euclid(MS_PER_DAY);
        Self {
            second: local.millis().div_euclid(MS_PER_SECOND),
            minute: local.millis().div_euclid(MS_PER_MINUTE),
            day,
            hour: real(local.millis_of_day()) / MS_PER_HOUR,
            year: (real(day) / 365.2425).fract(),
            // 1970 began on a Thursday.
            is_weekend: (day + 3).rem_euclid(7) >= 5,
        }
    }

    /// The outdoor temperature, in degrees Celsius.
    fn temperature(&self) -> f64 {
        // The coldest day is some 18 days into the year (0.05), the warmest hour 15:00.
        let season = -9.0 * (TAU * (self.year - 0.05)).cos();
        let daily = 4.0 * (TAU * (self.hour - 15.0) / 24.0).cos();
        let weather = 8.0 * (smooth(1, real(self.minute) / (3.0 * 1_440.0)) - 0.5);
        9.5 + season + daily + weather
    }

    fn solar(&self) -> f64 {
        // The winter solstice is ten days before the end of the year (0.027).
        let declination = (-23.44_f64).to_radians() * (TAU * (self.year + 0.027)).cos();
        let latitude = LATITUDE.to_radians();
        let hour_angle = TAU * (self.hour - 12.0) / 24.0;
        let height = latitude.sin() * declination.sin()
            + latitude.cos() * declination.cos() * hour_angle.cos();
        if height <= 0.0 {
            return 0.0;
        }
        // Some days are clear, some overcast, most have passing clouds.
        let clear = smooth(2, real(self.minute) / 1_100.0);
        let passing = smooth(3, real(self.minute) / 9.0);
        let light = 0.12 + 0.88 * clear.sqrt() * (1.0 - 0.7 * passing * (1.0 - clear));
        SOLAR_PEAK * height.powf(1.2) * light
    }

    fn heat_pump(&self) -> f64 {
        const STANDBY: f64 = 9.0;
        let makes_hot_water = (5.0..5.6).contains(&self.hour) || (16.5..16.9).contains(&self.hour);
        if makes_hot_water {
            return 1_850.0 + 60.0 * noise(4, self.second);
        }
        // Below 15 degrees it heats in cycles, longer ones the colder it is.
        let needed = ((15.0 - self.temperature()) * 62.0).max(0.0);
        let period = 45;
        let run_minutes = (needed / HEAT_PUMP_RUNNING).min(1.0) * real(period);
        if real(self.minute.rem_euclid(period)) < run_minutes {
            HEAT_PUMP_RUNNING + 90.0 * (noise(5, self.second) - 0.5)
        } else {
            STANDBY
        }
    }

    /// The power of each sensor, in watts.
    fn powers(&self) -> [f64; DEMO_SENSORS_COUNT] {
        const ROUTER: f64 = 11.0;
        const VENTILATION: f64 = 24.0;
        let (solar, heat_pump, car) = (self.solar(), self.heat_pump(), self.car());
        let people = self.people();
        let (fridge, hob, dishwasher) = (self.cools(47, 17, 85.0), self.cooking(), self.dishes());
        let kettle = people * 0.25;
        let kitchen = fridge + hob + dishwasher + kettle;
        let freezer = self.cools(61, 20, 95.0);
        let (washer, dryer) = (self.washing(0.0), self.washing(1.7));
        let (office, television) = (people * 0.2 + 6.0, people * 0.25 + 2.0);
        let lights = people * 0.2;
        let circulation = if (5.0..23.0).contains(&self.hour) {
            34.0
        } else {
            0.0
        };
        // The devices without a plug.
        let rest = 48.0 + 12.0 * noise(6, self.second) + people * 0.1;
        let laundry = washer + dryer;
        let always_on = ROUTER + VENTILATION + circulation + freezer + rest;
        let used = heat_pump + car + kitchen + laundry + office + television + lights + always_on;
        [
            used - solar,
            solar,
            heat_pump,
            car,
            kitchen,
            fridge,
            hob,
            dishwasher,
            kettle,
            freezer,
            washer,
            dryer,
            office,
            television,
            lights,
            ROUTER,
            VENTILATION,
            circulation,
        ]
    }

    /// The use by people while they are at home and awake.
    fn people(&self) -> f64 {
        let (wake, at_home) = if self.is_weekend {
            (9.0, 0.7)
        } else {
            (6.8, 0.15)
        };
        let morning = 420.0 * bell(self.hour, wake, 0.8);
        let noon = 380.0 * at_home * bell(self.hour, 13.5, 2.8);
        let evening = 520.0 * bell(self.hour, 20.0, 1.7);
        (morning + noon + evening) * (0.6 + 0.8 * smooth(7, real(self.minute) / 12.0))
    }

    /// A compressor that runs for some minutes at regular intervals.
    fn cools(&self, every: i64, for_minutes: i64, watts: f64) -> f64 {
        if self.minute.rem_euclid(every) < for_minutes {
            watts
        } else {
            0.0
        }
    }

    /// Charged at home every other evening or so.
    fn car(&self) -> f64 {
        let hours = 0.8 + 1.6 * noise(13, self.day);
        let charges = noise(14, self.day) < 0.4 && (20.5..20.5 + hours).contains(&self.hour);
        if charges { 3_680.0 } else { 0.0 }
    }

    fn dishes(&self) -> f64 {
        let since = self.hour - 19.5 - 2.0 * noise(15, self.day);
        match since {
            _ if noise(16, self.day) > 0.7 => 0.0,
            _ if (0.1..0.4).contains(&since) || (1.0..1.2).contains(&since) => 1_900.0,
            _ if (0.0..1.5).contains(&since) => 60.0,
            _ => 0.0,
        }
    }

    fn cooking(&self) -> f64 {
        let begins = 17.8 + 1.4 * noise(8, self.day);
        let cooks = (begins..begins + 0.6).contains(&self.hour);
        // Hotplates switch on and off.
        if cooks && noise(9, self.minute.div_euclid(2)) > 0.45 {
            2_050.0
        } else {
            0.0
        }
    }

    /// A machine that starts `later` hours after the laundry of the day is ready: first it is
    /// washed, then dried.
    fn washing(&self, later: f64) -> f64 {
        let often = if self.is_weekend { 0.75 } else { 0.3 };
        if noise(10, self.day) > often {
            return 0.0;
        }
        let since = self.hour - later - 9.5 - 5.0 * noise(11, self.day);
        match since {
            _ if !(0.0..1.6).contains(&since) => 0.0,
            _ if since < 0.35 => 2_000.0,
            _ => 190.0 + 120.0 * noise(12, self.minute),
        }
    }
}

/// The market price of a kilowatt-hour in an hour: low at noon and at night, high in the evening,
/// and sometimes negative.
#[must_use]
pub fn market_price(hour: Timestamp) -> Decimal {
    let moment = LocalMoment::at(hour);
    let wind = smooth(17, real(moment.minute) / 1_000.0);
    let sun = 0.09 * bell(moment.hour, 13.0, 2.5);
    let evening = 0.08 * bell(moment.hour, 19.0, 1.8);
    let euros = 0.08 + 0.05 * (1.0 - wind) + evening - sun * (0.4 + wind);
    #[expect(clippy::cast_possible_truncation, reason = "it is below a euro")]
    let tenths_of_a_cent = (euros * 1_000.0).round() as i64;
    Decimal::from_millionths(tenths_of_a_cent * 1_000)
}

/// 1 at `middle`, falling to both sides.
fn bell(x: f64, middle: f64, width: f64) -> f64 {
    (-((x - middle) / width).powi(2)).exp()
}

/// A number from 0 to 1 that changes smoothly with `x`: interpolated between the noise at whole
/// `x`.
fn smooth(series: u64, x: f64) -> f64 {
    let before = x.floor();
    let part = x - before;
    // Smoothstep: its slope is 0 at both ends, so the curve has no corners at whole `x`.
    let part = part * part * (3.0 - 2.0 * part);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "days and minutes are far from i64's ends"
    )]
    let before = before as i64;
    noise(series, before) * (1.0 - part) + noise(series, before + 1) * part
}

/// A pseudo-random number from 0 to 1, the same in every run (the `SplitMix64` generator).
fn noise(series: u64, index: i64) -> f64 {
    let mut x = index.cast_unsigned() ^ series.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    // 53 bits fit an f64.
    real((x >> 11).cast_signed()) / real(1 << 53)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "all numbers here are well below 2^53"
)]
const fn real(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    /// The readings of one sensor, a minute apart.
    fn minutes(sensor: usize, start: &str, count: i64) -> Vec<Reading> {
        let start = at(start);
        let mut household = Household::new(start);
        (0..count)
            .map(|n| {
                household.read(start.saturating_add_millis(n * MS_PER_MINUTE), true)[sensor]
                    .unwrap()
            })
            .collect()
    }

    fn mean_watts(readings: &[Reading]) -> f64 {
        let sum: f64 = readings.iter().filter_map(|r| r.measures.watts()).sum();
        sum / real(i64::try_from(readings.len()).unwrap())
    }

    #[test]
    fn registers_take_in_the_power() {
        for sensor in 0..DEMO_SENSORS.len() {
            let readings = minutes(sensor, "2026-06-20T00:00:00", 1_440);
            let register = |n: usize| readings[n].measures.watthours().unwrap();
            let energy: f64 = readings[1..]
                .iter()
                .map(|reading| reading.measures.watts().unwrap() / 60.0)
                .sum();
            assert!(
                (register(1_439) - register(0) - energy).abs() < 0.2,
                "{sensor}"
            );
        }
    }

    #[test]
    fn it_is_plausible_over_the_year() {
        let summer_noon = minutes(0, "2026-06-20T10:00:00", 120);
        assert!(
            summer_noon
                .iter()
                .any(|r| r.measures.watts().unwrap() < 0.0)
        );
        let night = minutes(1, "2026-06-20T23:00:00", 60);
        assert!(night.iter().all(|r| r.measures.watts() == Some(0.0)));
        let week = 7 * 1_440;
        let (winter, summer) = ("2026-01-10T00:00:00", "2026-07-10T00:00:00");
        assert!(
            mean_watts(&minutes(1, summer, week)) > 3.0 * mean_watts(&minutes(1, winter, week))
        );
        assert!(
            mean_watts(&minutes(2, winter, week)) > 4.0 * mean_watts(&minutes(2, summer, week))
        );
        for (sensor, from, to) in [
            (0, -9_000.0, 16_000.0),
            (1, 0.0, SOLAR_PEAK),
            (2, 0.0, 2_300.0),
        ] {
            let year = minutes(sensor, "2026-01-01T00:00:00", 365 * 1_440);
            let powers = || year.iter().map(|r| r.measures.watts().unwrap());
            assert!(
                powers().all(|watts| (from..=to).contains(&watts)),
                "{sensor}"
            );
        }
        // A household: some 2 to 5 MWh of its own a year, as much again for heat, as much made.
        let kwh = |sensor| mean_watts(&minutes(sensor, "2026-01-01T00:00:00", 365 * 1_440)) * 8.766;
        let (net, solar, heat) = (kwh(0), kwh(1), kwh(2));
        assert!(
            (2_000.0..5_000.0).contains(&(net + solar - heat)),
            "{net} {solar} {heat}"
        );
        assert!((4_000.0..9_000.0).contains(&solar), "{solar}");
        assert!((2_000.0..6_000.0).contains(&heat), "{heat}");
    }

    #[test]
    fn power_and_register_of_a_plug_agree_however_rarely_it_is_read() {
        let start = at("2026-03-01T00:00:00");
        let mut household = Household::new(start);
        let (mut energy, mut last) = ([0.0; DEMO_SENSORS_COUNT], None);
        for minute in 0..=1_440 {
            let time = start.saturating_add_millis(minute * MS_PER_MINUTE);
            let readings = household.read(time, minute % 15 == 0);
            assert_eq!(readings.iter().all(Option::is_some), minute % 15 == 0);
            if let [.., Some(_)] = readings {
                let quarter = f64::from(u8::from(last.is_some())) / 4.0;
                for (energy, reading) in energy.iter_mut().zip(readings) {
                    *energy += reading.unwrap().measures.watts().unwrap() * quarter;
                }
                last = Some(readings);
            }
        }
        for (sensor, energy) in energy.iter().enumerate().skip(METERS) {
            let register = last.unwrap()[sensor].unwrap().measures.watthours().unwrap();
            assert!(
                (register - energy).abs() < 15.0,
                "{sensor}: {register} {energy}"
            );
        }
    }

    #[test]
    fn it_is_the_same_every_time() {
        let (a, b) = (
            minutes(0, "2026-03-01T00:00:00", 100),
            minutes(0, "2026-03-01T00:00:00", 100),
        );
        assert_eq!(a, b);
    }
}
