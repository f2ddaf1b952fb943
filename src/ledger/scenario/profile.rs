//! The energy of panels in each hour of a year, from a table as PVGIS exports it.

use thiserror::Error;

use super::quarter::HouseQuarter;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{Decimal, LocalDate, MicroWh, Timestamp};

/// The energy that a kilowatt of panels gives in each hour of a year, in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolarProfile {
    /// By month and day, as if each month had 31 days; `None` for days that there are not.
    hours: Vec<Option<MicroWh>>,
}

/// Why a table is not a profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProfileError {
    /// It has no column of power.
    #[error(
        "expected a table of hours in UTC whose first line names the columns `time` and `P`, the power in watts, as PVGIS exports it"
    )]
    NoHeader,
    /// A line is not an hour and a power.
    #[error(
        "line {line}: expected a time such as 20200101:0010 and in the column `P` a power in watts such as 512.4, not below -1000000 or above 1000000000"
    )]
    Line {
        /// Its number, from 1.
        line: usize,
    },
    /// An hour of the year is missing.
    #[error(
        "nothing is known of the hour {month:02}-{day:02} {hour:02}:00 UTC: expected all 8,760 hours of a year"
    )]
    MissingHour {
        /// Its month, from 1.
        month: u8,
        /// Its day, from 1.
        day: u8,
        /// Its hour, from 0.
        hour: u8,
    },
    /// It has too many lines.
    #[error(
        "more than {} lines: expected the hours of one year or of some years",
        SolarProfile::MOST_LINES
    )]
    TooLong,
    /// Its power is not of any panels.
    #[error(
        "line {line}: expected the nominal power of the panels in kW, above 0 and at most 1000000, such as 1.0"
    )]
    Nominal {
        /// Its number, from 1.
        line: usize,
    },
}

/// The sum and the number of the values of an hour: several years have a mean.
type HourSums = Vec<(i128, u32)>;

const HOURS: usize = 24;
const DAYS: usize = 31;
const MONTHS: usize = 12;
/// The days of each month that a profile must have. It may have the 29th of February, too.
const LENGTHS: [usize; MONTHS] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl SolarProfile {
    /// The most lines of a table: more than twenty years of hours.
    pub const MOST_LINES: usize = 200_000;

    /// Reads a table. Lines before the one with the names of the columns describe it, and so do those
    /// after an empty line behind the hours.
    ///
    /// # Errors
    /// [`ProfileError`] for the first thing that is not as expected.
    pub fn parse_csv(text: &str) -> Result<Self, ProfileError> {
        let mut lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
        let mut nominal = Decimal::ONE;
        let column = loop {
            let Some((line, text)) = lines.next().filter(|(line, _)| *line <= Self::MOST_LINES)
            else {
                return Err(ProfileError::NoHeader);
            };
            if let Some(power) = nominal_power(text) {
                nominal = usable_power(power).ok_or(ProfileError::Nominal { line })?;
            }
            if let Some(column) = power_column(text) {
                break column;
            }
        };
        let mut sums: HourSums = vec![(0, 0); MONTHS * DAYS * HOURS];
        for (line, text) in lines {
            if text.trim().is_empty() {
                break;
            }
            if line > Self::MOST_LINES {
                return Err(ProfileError::TooLong);
            }
            let (place, power) = hour(text, column).ok_or(ProfileError::Line { line })?;
            if let Some((sum, count)) = sums.get_mut(place) {
                *sum += i128::from(power.millionths());
                *count += 1;
            }
        }
        Self::of(&sums, nominal)
    }

    fn of(sums: &HourSums, nominal: Decimal) -> Result<Self, ProfileError> {
        let mean = |(sum, count): &(i128, u32)| {
            let divisor = i128::from(*count) * i128::from(nominal.millionths());
            let mean = (sum * i128::from(Decimal::ONE.millionths())).checked_div_euclid(divisor)?;
            i64::try_from(mean).ok().map(MicroWh::new)
        };
        let hours: Vec<Option<MicroWh>> = sums.iter().map(mean).collect();
        for (month, length) in LENGTHS.into_iter().enumerate() {
            for (day, hour) in (0..length).flat_map(|day| (0..HOURS).map(move |it| (day, it))) {
                if hours
                    .get(place(month, day, hour))
                    .is_none_or(Option::is_none)
                {
                    let [month, day] = [month + 1, day + 1].map(small);
                    let hour = small(hour);
                    return Err(ProfileError::MissingHour { month, day, hour });
                }
            }
        }
        Ok(Self { hours })
    }

    /// The energy of panels of so many kilowatts in a quarter of an hour, or in a part of one; rounded
    /// down. The 29th of February has the hours of the 28th if the profile has none of its own.
    #[must_use]
    pub fn energy(&self, quarter: &HouseQuarter, kilowatts: Decimal) -> MicroWh {
        let begin = quarter.start.millis();
        let date = LocalDate::of_shown(quarter.start);
        let [month, day] = [date.month(), date.day()].map(|one| usize::from(one).max(1) - 1);
        let hour = usize::try_from(begin.rem_euclid(MS_PER_DAY) / MS_PER_HOUR).unwrap_or(0);
        let known = |day| self.hours.get(place(month, day, hour)).copied().flatten();
        let of_one = known(day).or_else(|| known(day.checked_sub(1)?));
        let product = i128::from(of_one.unwrap_or_default().millionths())
            * i128::from(kilowatts.millionths());
        let whole = product.div_euclid(i128::from(Decimal::ONE.millionths()));
        let whole = MicroWh::new(i64::try_from(whole).unwrap_or(i64::MAX));
        let hour_begin = begin.div_euclid(MS_PER_HOUR) * MS_PER_HOUR;
        let until = |time: Timestamp| whole.part(time.millis() - hour_begin, MS_PER_HOUR);
        until(quarter.end) - until(quarter.start)
    }
}

fn small(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// The place of an hour; month and day count from 0.
const fn place(month: usize, day: usize, hour: usize) -> usize {
    (month * DAYS + day) * HOURS + hour
}

/// The nominal power that a line says the panels have, as text; `None` of other lines.
fn nominal_power(line: &str) -> Option<&str> {
    let (name, value) = line.split_once(':')?;
    let is_power = name.trim_start().starts_with("Nominal power");
    is_power.then(|| value.trim().trim_matches(','))
}

/// A power above 0 and up to a million kWp.
fn usable_power(text: &str) -> Option<Decimal> {
    let most = Decimal::from_millionths(1_000_000 * Decimal::ONE.millionths());
    let power = Decimal::parse(text).ok();
    power.filter(|power| (Decimal::from_millionths(1)..=most).contains(power))
}

/// The place of the power in a line that names the columns.
fn power_column(line: &str) -> Option<usize> {
    let mut names = line.split(',').map(|name| name.trim().trim_matches('"'));
    let is_time = names.next().is_some_and(|name| {
        name.eq_ignore_ascii_case("time") || name.eq_ignore_ascii_case("time(UTC)")
    });
    let power = names.position(|name| name == "P");
    power.filter(|_| is_time).map(|place| place + 1)
}

/// The place of the hour in a line, and its energy.
fn hour(line: &str, column: usize) -> Option<(usize, MicroWh)> {
    const MOST: f64 = 1e9;
    let mut cells = line.split(',').map(|cell| cell.trim().trim_matches('"'));
    let time = cells.next()?;
    let is_mark = |c: char| matches!(c, '-' | ':' | 'T' | ' ' | 'Z' | '.');
    let is_time = |c: char| c.is_ascii_digit() || is_mark(c);
    let digits: String = time.chars().filter(char::is_ascii_digit).collect();
    time.chars().all(is_time).then_some(())?;
    let number = |from: usize, to: usize| digits.get(from..to)?.parse::<usize>().ok();
    let (year, month) = (number(0, 4)?, number(4, 6)?);
    let (day, hour) = (number(6, 8)?, number(8, 10)?);
    let date = format!("{year:04}-{month:02}-{day:02}");
    LocalDate::parse(&date).ok().filter(|_| hour < HOURS)?;
    let power: f64 = cells.nth(column - 1)?.parse().ok()?;
    // Inverters draw a little at night.
    let is_power = (-1e6..=MOST).contains(&power);
    let energy = is_power.then(|| MicroWh::from_watthours(power))?;
    Some((place(month - 1, day - 1, hour), energy))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// A table as PVGIS has it: in each hour as many watts as the hour's number, times a factor.
    fn table(years: &[(u16, f64)], nominal: &str) -> String {
        let mut text = format!(
            "Latitude (decimal degrees):\t52.500\r\nNominal power of the PV system (c-Si) (kWp):\t{nominal}\r\n\r\ntime,P,G(i),H_sun,T2m,WS10m,Int\r\n"
        );
        for (year, factor) in years {
            let first = LocalDate::parse(&format!("{year}-01-01")).unwrap();
            for day in 0..366 {
                let date = first.plus_days(day).unwrap();
                if date.year() != i32::from(*year) {
                    break;
                }
                let (month, day) = (date.month(), date.day());
                for hour in 0..24 {
                    let power = f64::from(hour) * factor;
                    writeln!(
                        text,
                        "{year}{month:02}{day:02}:{hour:02}10,{power:.2},0.0,0,4.1,2.0,0.0\r"
                    )
                    .unwrap();
                }
            }
        }
        text + "\r\nP: PV system power (W)\r\n"
    }

    fn quarter(time: &str) -> HouseQuarter {
        let start = Timestamp::parse_or_date(time).unwrap();
        HouseQuarter {
            start,
            end: start.saturating_add_millis(HouseQuarter::LENGTH_MS),
            imported: None,
            exported: None,
            produced: None,
            charged: None,
            discharged: None,
            is_coarse: false,
        }
    }

    #[test]
    fn a_profile_has_the_hours_of_a_year() {
        let profile = SolarProfile::parse_csv(&table(&[(2019, 1.0)], "1.0")).unwrap();
        let energy = |time, kilowatts| {
            let kilowatts = Decimal::parse(kilowatts).unwrap();
            profile.energy(&quarter(time), kilowatts).watthours()
        };
        assert_eq!(energy("2026-06-01T12:15:00Z", "1"), 3.0);
        assert_eq!(energy("2026-06-01T12:15:00Z", "2.5"), 7.5);
        assert_eq!(energy("2026-06-01T00:00:00Z", "2.5"), 0.0);
        // The table has no 29th of February.
        assert_eq!(energy("2028-02-29T23:45:00Z", "4"), 23.0);
        // The parts of an hour add up.
        let hour = ["00", "15", "30", "45"].map(|minute| {
            let time = format!("2026-06-01T13:{minute}:00Z");
            profile
                .energy(&quarter(&time), Decimal::from_millionths(333_333))
                .millionths()
        });
        assert_eq!(hour.iter().sum::<i64>(), 13 * 333_333);
    }

    #[test]
    fn several_years_have_a_mean_and_nominal_power_is_one_kilowatt() {
        let both = table(&[(2019, 1.0), (2020, 2.0)], "2.0");
        let profile = SolarProfile::parse_csv(&both).unwrap();
        let energy = |time| profile.energy(&quarter(time), Decimal::ONE).watthours();
        // The mean of 10 and 20 W, of panels of 2 kW.
        assert_eq!(energy("2026-03-01T10:00:00Z"), 7.5 / 4.0);
        assert_eq!(energy("2028-02-29T10:00:00Z"), 10.0 / 4.0);
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        let good = table(&[(2019, 1.0)], "1.0");
        let refused = |text: &str| SolarProfile::parse_csv(text).unwrap_err();
        assert_eq!(refused(""), ProfileError::NoHeader);
        assert_eq!(refused("time,price\n1,2"), ProfileError::NoHeader);
        let letters = good.replacen("20190101:0310,3.00", "20190101:0310,sun", 1);
        assert_eq!(refused(&letters), ProfileError::Line { line: 8 });
        let no_day = good.replacen("20190101:0310", "20190231:0310", 1);
        assert_eq!(refused(&no_day), ProfileError::Line { line: 8 });
        for power in ["NaN", "inf", "1e12", "-1e12", ""] {
            let odd = good.replacen(":0310,3.00", &format!(":0310,{power}"), 1);
            assert_eq!(refused(&odd), ProfileError::Line { line: 8 }, "{power}");
        }
        let lines: Vec<&str> = good.lines().collect();
        let short = lines[..4 + 8_759].join("\n");
        let missing = ProfileError::MissingHour {
            month: 12,
            day: 31,
            hour: 23,
        };
        assert_eq!(refused(&short), missing);
        let days = good.replacen("20190405:0710", "20190404:0710", 1);
        assert!(matches!(
            refused(&days),
            ProfileError::MissingHour {
                month: 4,
                day: 5,
                hour: 7
            }
        ));
        let nominal = good.replacen("\t1.0", "\t0", 1);
        assert_eq!(refused(&nominal), ProfileError::Nominal { line: 2 });
        let long = "20190101:0010,1,\n".repeat(SolarProfile::MOST_LINES);
        assert_eq!(refused(&format!("time,P\n{long}")), ProfileError::TooLong);
    }

    #[test]
    fn other_tables_of_hours_are_read() {
        let good = table(&[(2019, 1.0)], "1.0");
        let (_, rows) = good.split_once("Int\r\n").unwrap();
        let plain = format!(
            "\u{feff}\"time\",P\n{}",
            rows.replace(",0.0,0,4.1,2.0,0.0", "")
        );
        let same = SolarProfile::parse_csv(&good);
        assert_eq!(SolarProfile::parse_csv(&plain), same);
        let iso = plain.replace("20190101:0310", "2019-01-01T03:10:00Z");
        assert_eq!(SolarProfile::parse_csv(&iso), same);
        let elsewhere = plain.replace("20190101:0310", "2019-01-01T03:10:00+01:00");
        let refused = SolarProfile::parse_csv(&elsewhere);
        assert_eq!(refused, Err(ProfileError::Line { line: 5 }));
    }
}
