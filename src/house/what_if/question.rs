//! A "what if" whose fields are valid by themselves.

use std::sync::Arc;

use super::form::{WhatIfError, WhatIfField, WhatIfForm};
use crate::domain::words::words;
use crate::domain::{Decimal, MicroWh, SensorId};
use crate::house::cheapest::clock;
use crate::ledger::scenario::{BatteryTerms, Efficiency, HouseQuarter, SolarProfile};

/// The changes of the house.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIfQuestion {
    pub(super) battery: Option<AskedBattery>,
    pub(super) panels: AskedPanels,
    pub(super) load: Option<AskedLoad>,
}

/// A battery instead of the one that the house has, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AskedBattery {
    /// `None` if only other sizes are compared.
    pub(super) size: Option<MicroWh>,
    /// Other sizes to compare.
    pub(super) sizes: Vec<MicroWh>,
    charge: MicroWh,
    discharge: MicroWh,
    efficiency: Efficiency,
    /// The share of the capacity that it never gives, in millionths.
    reserve: i64,
    /// What it draws itself in an hour.
    pub(super) standby: MicroWh,
    /// The part of its capacity that it loses each year, in millionths.
    pub(super) ageing: i64,
    pub(super) dispatch: Dispatch,
    pub(super) price_per_kwh: Option<Decimal>,
}

/// When a battery takes energy from the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dispatch {
    /// Never.
    Greedy,
    /// In cheap quarters of an hour, for dear ones.
    Prices,
    /// The same, and it feeds the grid.
    Trading,
}

words! { Dispatch: Greedy "greedy", Prices "prices", Trading "trading"; "greedy, prices or trading" }

/// Other panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AskedPanels {
    /// The production of the house's own, times this.
    pub(super) factor: Option<Decimal>,
    /// The profile of new ones, and their kilowatts.
    pub(super) added: Option<(Arc<SolarProfile>, Decimal)>,
}

/// Another load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AskedLoad {
    pub(super) change: LoadChange,
    pub(super) of: LoadSource,
}

/// The change of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadChange {
    /// It comes once more, at the same times.
    Add,
    /// It comes once more, in the cheapest quarters of an hour.
    AddCheapest,
    /// It goes.
    Remove,
    /// It runs in the cheapest quarters of its days.
    Move,
}

words! {
    LoadChange: Add "add", AddCheapest "add-cheapest", Remove "remove", Move "move";
    "add, add-cheapest, remove or move"
}

/// The energy of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LoadSource {
    /// That of a sub-meter.
    SubMeter(SensorId),
    /// So much a day between two clock times.
    Daily(DailyLoad),
}

/// So much energy a day between two clock times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DailyLoad {
    pub(super) energy: MicroWh,
    /// Milliseconds after midnight; the end may be on the next day.
    pub(super) between: (i64, i64),
    /// The most in a quarter of an hour; `None` if it is even.
    pub(super) most: Option<MicroWh>,
}

/// The sizes that people look at, in kilowatt-hours.
const USUAL_SIZES: [i64; 12] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20];
const MOST_SIZES: usize = 41;
const MOST_KWH: &str = "1000";
const LEAST: &str = "0.001";
const DAY_MS: i64 = 86_400_000;

impl WhatIfForm {
    /// Its fields, each checked by itself.
    ///
    /// # Errors
    /// [`WhatIfError`] for the first invalid one.
    pub fn question(&self) -> Result<WhatIfQuestion, WhatIfError> {
        let question = WhatIfQuestion {
            battery: self.asked_battery()?,
            panels: self.asked_panels()?,
            load: self.asked_load()?,
        };
        let is_different = question.battery.is_some()
            || question.panels != AskedPanels::default()
            || question.load.is_some();
        is_different.then_some(question).ok_or(WhatIfError::Nothing)
    }

    fn asked_battery(&self) -> Result<Option<AskedBattery>, WhatIfError> {
        use WhatIfField as Field;
        let size = energy(Field::Battery, self.battery.as_deref(), "0")?;
        let sizes = self.sizes.as_deref().map_or(Ok(Vec::new()), sizes)?;
        let charge = energy(Field::ChargeKw, self.charge_kw.as_deref(), LEAST)?;
        let discharge = energy(Field::DischargeKw, self.discharge_kw.as_deref(), LEAST)?;
        let efficiency = match self.efficiency.as_deref() {
            Some(text) => {
                let range = ("1", "100", "90");
                Efficiency::from_percent(number(Field::Efficiency, text, range)?)?
            }
            None => Efficiency::USUAL,
        };
        let reserve = self.reserve.as_deref();
        let reserve = reserve.map(|text| number(Field::Reserve, text, ("0", "100", "10")));
        let dispatch = word(
            Field::Dispatch,
            self.dispatch.as_deref(),
            "greedy, prices or trading",
        )?;
        let price = self.price_per_kwh.as_deref();
        let price = price.map(|text| number(Field::PricePerKwh, text, ("0", "100000", "600")));
        let (reserve, price_per_kwh) = (reserve.transpose()?, price.transpose()?);
        let standby = self.standby_w.as_deref();
        let standby = standby.map(|text| number(Field::StandbyW, text, ("0", "1000", "10")));
        let ageing = self.ageing.as_deref();
        let ageing = ageing.map(|text| number(Field::Ageing, text, ("0", "20", "2")));
        let (standby, ageing) = (standby.transpose()?, ageing.transpose()?);
        if size.is_none() && sizes.is_empty() {
            let others = [
                (Field::ChargeKw, charge.is_some()),
                (Field::DischargeKw, discharge.is_some()),
                (Field::Efficiency, self.efficiency.is_some()),
                (Field::Reserve, reserve.is_some()),
                (Field::StandbyW, standby.is_some()),
                (Field::Ageing, ageing.is_some()),
                (Field::Dispatch, dispatch.is_some()),
                (Field::PricePerKwh, price_per_kwh.is_some()),
            ];
            let alone = others.into_iter().find(|(_, is_typed)| *is_typed);
            return alone.map_or(Ok(None), |(field, _)| {
                Err(WhatIfError::Alone {
                    field,
                    other: "battery or sizes",
                })
            });
        }
        let usual = MicroWh::new(5_000_000_000);
        // A millionth of a percent is a hundredth of a millionth.
        let reserve = reserve.unwrap_or_default().millionths() / 100;
        Ok(Some(AskedBattery {
            size,
            sizes,
            charge: charge.unwrap_or(usual),
            discharge: discharge.unwrap_or(usual),
            efficiency,
            reserve,
            // A watt-hour has a million millionths, as a watt of the form has.
            standby: MicroWh::new(standby.unwrap_or_default().millionths()),
            ageing: ageing.unwrap_or_default().millionths() / 100,
            dispatch: dispatch.unwrap_or(Dispatch::Greedy),
            price_per_kwh,
        }))
    }

    fn asked_panels(&self) -> Result<AskedPanels, WhatIfError> {
        use WhatIfField as Field;
        let factor = self.solar_factor.as_deref();
        let factor = factor.map(|text| number(Field::SolarFactor, text, ("0", "100", "2")));
        let factor = factor.transpose()?;
        let kilowatts = self.kwp.as_deref();
        let kilowatts = kilowatts.map(|text| number(Field::Kwp, text, (LEAST, "1000", "5")));
        let added = match (kilowatts.transpose()?, self.profile.as_deref()) {
            (Some(kilowatts), Some(text)) => {
                Some((Arc::new(SolarProfile::parse_csv(text)?), kilowatts))
            }
            (Some(_), None) => {
                let field = Field::Profile;
                return Err(WhatIfError::Missing { field, of: "kwp" });
            }
            (None, Some(_)) => {
                let field = Field::Kwp;
                let of = "the profile";
                return Err(WhatIfError::Missing { field, of });
            }
            (None, None) => None,
        };
        Ok(AskedPanels { factor, added })
    }

    fn asked_load(&self) -> Result<Option<AskedLoad>, WhatIfError> {
        use WhatIfField as Field;
        const WORDS: &str = "add, add-cheapest, remove or move";
        let change: Option<LoadChange> = word(Field::Load, self.load.as_deref(), WORDS)?;
        let Some(change) = change else {
            let others = [
                (Field::LoadSensor, &self.load_sensor),
                (Field::LoadKwh, &self.load_kwh),
                (Field::LoadBetween, &self.load_between),
                (Field::LoadKw, &self.load_kw),
            ];
            let alone = others.into_iter().find(|(_, text)| text.is_some());
            return alone.map_or(Ok(None), |(field, _)| {
                Err(WhatIfError::Alone {
                    field,
                    other: "load",
                })
            });
        };
        let of = match (self.load_sensor.as_deref(), self.load_kwh.as_deref()) {
            (Some(_), Some(_)) => return Err(WhatIfError::BothLoads),
            (Some(id), None) => {
                let id = SensorId::new(id.trim()).map_err(|_| WhatIfError::NoSensor)?;
                LoadSource::SubMeter(id)
            }
            (None, Some(kilowatthours)) if change != LoadChange::Move => {
                LoadSource::Daily(self.daily(kilowatthours, change)?)
            }
            (None, _) => {
                let field = Field::LoadSensor;
                return Err(WhatIfError::Missing { field, of: "load" });
            }
        };
        Ok(Some(AskedLoad { change, of }))
    }

    fn daily(&self, kilowatthours: &str, change: LoadChange) -> Result<DailyLoad, WhatIfError> {
        use WhatIfField as Field;
        let missing = |field| WhatIfError::Missing {
            field,
            of: "load_kwh",
        };
        let energy_a_day = energy(Field::LoadKwh, Some(kilowatthours), LEAST)?;
        let energy_a_day = energy_a_day.ok_or_else(|| missing(Field::LoadKwh))?;
        let between = self.load_between.as_deref();
        let between = between.ok_or_else(|| missing(Field::LoadBetween))?;
        let (from, to) = hours(between).ok_or(WhatIfError::Between)?;
        let power = energy(Field::LoadKw, self.load_kw.as_deref(), LEAST)?;
        if power.is_none() && change == LoadChange::AddCheapest {
            return Err(missing(Field::LoadKw));
        }
        let most = power.map(|power| power.part(1, 4));
        let quarters = (to - from).rem_euclid(DAY_MS) / HouseQuarter::LENGTH_MS;
        let fits = |most: MicroWh| {
            let all = i128::from(most.millionths()) * i128::from(quarters);
            all >= i128::from(energy_a_day.millionths())
        };
        if !most.is_none_or(fits) {
            return Err(WhatIfError::Power);
        }
        Ok(DailyLoad {
            energy: energy_a_day,
            between: (from, to),
            most,
        })
    }
}

impl AskedBattery {
    /// The battery of a size.
    pub(super) fn of(&self, size: MicroWh) -> BatteryTerms {
        let whole = Decimal::ONE.millionths();
        BatteryTerms {
            usable: size - size.part(self.reserve, whole),
            charge: self.charge,
            discharge: self.discharge,
            efficiency: self.efficiency,
        }
    }

    /// The sizes to compare: ascending, with none and with the one asked for.
    pub(super) fn compared(&self) -> Vec<MicroWh> {
        let all = self.sizes.iter().copied().chain(self.size);
        let mut all: Vec<MicroWh> = all.chain([MicroWh::ZERO]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// A number of a range: its least, its highest, and a usual value.
fn number(
    field: WhatIfField,
    text: &str,
    (from, to, example): (&'static str, &'static str, &'static str),
) -> Result<Decimal, WhatIfError> {
    let number = Decimal::parse(text.trim()).ok();
    let [least, most] = [from, to].map(|end| Decimal::parse(end).unwrap_or_default());
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or(WhatIfError::Number {
        field,
        from,
        to,
        example,
    })
}

/// Kilowatt-hours, or the energy of an hour of so many kilowatts.
fn energy(
    field: WhatIfField,
    text: Option<&str>,
    least: &'static str,
) -> Result<Option<MicroWh>, WhatIfError> {
    let number = text.map(|text| number(field, text, (least, MOST_KWH, "10")));
    Ok(number.transpose()?.map(MicroWh::of_kilowatthours))
}

fn word<T: std::str::FromStr>(
    field: WhatIfField,
    text: Option<&str>,
    expected: &'static str,
) -> Result<Option<T>, WhatIfError> {
    let word = text.map(|text| text.trim().parse());
    let word = word.transpose();
    word.map_err(|_| WhatIfError::Word { field, expected })
}

fn sizes(text: &str) -> Result<Vec<MicroWh>, WhatIfError> {
    if text.trim() == "usual" {
        let usual = USUAL_SIZES.into_iter();
        return Ok(usual.map(|kwh| MicroWh::new(kwh * 1_000_000_000)).collect());
    }
    let size = |text: &str| {
        let size = number(WhatIfField::Sizes, text, ("0", MOST_KWH, "10"));
        size.map(MicroWh::of_kilowatthours)
            .map_err(|_| WhatIfError::Sizes)
    };
    let all: Vec<&str> = text.split(',').take(MOST_SIZES + 1).collect();
    if all.len() > MOST_SIZES {
        return Err(WhatIfError::Sizes);
    }
    all.into_iter().map(size).collect()
}

/// Two clock times, in milliseconds after midnight.
fn hours(text: &str) -> Option<(i64, i64)> {
    let (from, to) = text.split_once(['-', '\u{2013}'])?;
    let to = if to.trim() == "24:00" { "00:00" } else { to };
    let (from, to) = (clock(from)?, clock(to)?);
    let are_quarters = from % HouseQuarter::LENGTH_MS == 0 && to % HouseQuarter::LENGTH_MS == 0;
    (are_quarters && from != to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[(&str, &str)]) -> WhatIfForm {
        let text = |field: WhatIfField| {
            let named = fields.iter().find(|(name, _)| *name == field.as_str());
            Ok::<_, ()>(named.map(|(_, text)| (*text).to_owned()))
        };
        WhatIfForm::read(text).unwrap()
    }

    fn kilowatthours(number: i64) -> MicroWh {
        MicroWh::new(number * 1_000_000_000)
    }

    #[test]
    fn a_battery_has_usual_terms() {
        let question = form(&[("battery", "10")]).question().unwrap();
        let battery = question.battery.unwrap();
        let terms = battery.of(kilowatthours(10));
        assert_eq!(terms.usable, kilowatthours(10));
        assert_eq!(
            (terms.charge, terms.discharge),
            (kilowatthours(5), kilowatthours(5))
        );
        assert_eq!(terms.efficiency.stored(kilowatthours(10)), kilowatthours(9));
        assert_eq!(battery.compared(), [MicroWh::ZERO, kilowatthours(10)]);
        let fields = [("sizes", "5, 2.5,5"), ("battery", "0"), ("reserve", "20")];
        let battery = form(&fields).question().unwrap().battery.unwrap();
        let sizes = battery.compared();
        assert_eq!(
            sizes,
            [MicroWh::ZERO, MicroWh::new(2_500_000_000), kilowatthours(5)]
        );
        assert_eq!(battery.of(kilowatthours(5)).usable, kilowatthours(4));
        let usual = form(&[("sizes", "usual")]).question().unwrap();
        assert_eq!(usual.battery.unwrap().compared().len(), 12);
    }

    /// A question with these fields is refused at this field, with these words.
    type Refused<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);

    #[track_caller]
    fn assert_refused(all: &[Refused<'_>]) {
        for (fields, field, expected) in all {
            let error = form(fields).question().unwrap_err();
            assert_eq!(
                error.field().map(WhatIfField::as_str),
                Some(*field),
                "{error}"
            );
            assert!(error.to_string().contains(expected), "{fields:?}: {error}");
        }
    }

    #[test]
    fn mistakes_about_batteries_and_panels_name_their_field() {
        assert_refused(&[
            (&[], "battery", "nothing would be different"),
            (&[("battery", "-1")], "battery", "from 0 to 1000"),
            (&[("battery", "1001")], "battery", "from 0 to 1000"),
            (&[("battery", "1e3")], "battery", "from 0 to 1000"),
            (
                &[("battery", "5"), ("efficiency", "120")],
                "efficiency",
                "from 1 to 100",
            ),
            (
                &[("battery", "5"), ("efficiency", "90.00001")],
                "efficiency",
                "four decimals",
            ),
            (
                &[("battery", "5"), ("reserve", "101")],
                "reserve",
                "from 0 to 100",
            ),
            (
                &[("battery", "5"), ("charge_kw", "0")],
                "charge_kw",
                "from 0.001",
            ),
            (
                &[("battery", "5"), ("dispatch", "lazy")],
                "dispatch",
                "greedy, prices or trading",
            ),
            (
                &[("reserve", "10")],
                "reserve",
                "only together with battery or sizes",
            ),
            (&[("sizes", "1,,2")], "sizes", "separated by commas"),
            (&[("solar_factor", "-1")], "solar_factor", "from 0 to 100"),
            (&[("kwp", "5")], "profile", "for kwp"),
            (&[("profile", "time,P")], "kwp", "for the profile"),
            (
                &[("kwp", "5"), ("profile", "time,P")],
                "profile",
                "01-01 00:00",
            ),
        ]);
        let many = vec!["1"; 42].join(",");
        let error = form(&[("sizes", &many)]).question().unwrap_err();
        assert_eq!(error, WhatIfError::Sizes);
    }

    #[test]
    fn mistakes_about_loads_name_their_field() {
        assert_refused(&[
            (&[("load", "swap")], "load", "add, add-cheapest"),
            (&[("load", "add")], "load_sensor", "for load"),
            (&[("load_kwh", "8")], "load_kwh", "only together with load"),
            (
                &[("load", "move"), ("load_kwh", "8")],
                "load_sensor",
                "for load",
            ),
            (
                &[("load", "add"), ("load_kwh", "8")],
                "load_between",
                "for load_kwh",
            ),
            (
                &[("load", "add"), ("load_kwh", "8"), ("load_sensor", "car")],
                "load_kwh",
                "not both",
            ),
            (
                &[("load", "add"), ("load_sensor", " ")],
                "load_sensor",
                "for load",
            ),
        ]);
    }

    #[test]
    fn a_load_has_hours_and_a_power_that_suffices() {
        let daily = |between, power: &str, change| {
            let fields = [
                ("load", change),
                ("load_kwh", "8"),
                ("load_between", between),
                ("load_kw", power),
            ];
            form(&fields)
                .question()
                .map(|question| question.load.unwrap().of)
        };
        let hour = 3_600_000;
        let expected = DailyLoad {
            energy: kilowatthours(8),
            between: (22 * hour, 6 * hour),
            most: None,
        };
        let found = daily("22:00-06:00", "", "add");
        assert_eq!(found, Ok(LoadSource::Daily(expected)));
        let found = daily("22:00 \u{2013} 24:00", "4", "add-cheapest");
        assert!(matches!(
            found,
            Ok(LoadSource::Daily(DailyLoad { most: Some(_), .. }))
        ));
        for between in ["22:00", "22-6", "22:00-22:00", "22:10-06:00", "25:00-06:00"] {
            assert_eq!(
                daily(between, "", "add"),
                Err(WhatIfError::Between),
                "{between}"
            );
        }
        assert_eq!(daily("22:00-24:00", "3.9", "add"), Err(WhatIfError::Power));
        let error = daily("22:00-06:00", "", "add-cheapest").unwrap_err();
        assert_eq!(error.field(), Some(WhatIfField::LoadKw));
    }
}
