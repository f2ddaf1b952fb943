//! The fields of a "what if" as people and programs type them, and what can be wrong with them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::domain::SensorId;
use crate::domain::words::words;
use crate::ledger::scenario::{NotEfficiency, ProfileError};
use crate::store::StoreError;

/// A field of a question. Its word is its name in the API and on the page; commands have `-` for
/// `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhatIfField {
    /// The usable capacity of a battery in kilowatt-hours, 0 to 1,000.
    Battery,
    /// The most that it takes in kilowatts, by default 5.
    ChargeKw,
    /// The most that it gives in kilowatts, by default 5.
    DischargeKw,
    /// The share of the energy taken that it gives back in percent, by default 90.
    Efficiency,
    /// The part of the capacity that it never gives in percent, by default 0.
    Reserve,
    /// What it draws itself all the time in watts, 0 to 1,000, by default 0.
    StandbyW,
    /// The part of its capacity that it loses each year in percent, 0 to 20, by default 0.
    Ageing,
    /// `greedy`, by default, or `prices`.
    Dispatch,
    /// Other capacities to compare: up to 41, separated by commas, or `usual`.
    Sizes,
    /// The price of a battery for each kilowatt-hour of its capacity.
    PricePerKwh,
    /// The production of the panels times this, 0 to 100.
    SolarFactor,
    /// The kilowatts of new panels with the profile of a file, more than 0 and up to 1,000.
    Kwp,
    /// The file.
    Profile,
    /// `add`, `add-cheapest`, `remove` or `move`.
    Load,
    /// The sub-meter of the load.
    LoadSensor,
    /// Instead: so many kilowatt-hours a day, more than 0 and up to 1,000.
    LoadKwh,
    /// The hours of that, such as `22:00-06:00`.
    LoadBetween,
    /// Its power in kilowatts; without, it is even.
    LoadKw,
}

words! {
    WhatIfField: Battery "battery", ChargeKw "charge_kw", DischargeKw "discharge_kw",
        Efficiency "efficiency", Reserve "reserve",
        StandbyW "standby_w", Ageing "ageing", Dispatch "dispatch", Sizes "sizes",
        PricePerKwh "price_per_kwh", SolarFactor "solar_factor", Kwp "kwp", Profile "profile",
        Load "load", LoadSensor "load_sensor", LoadKwh "load_kwh", LoadBetween "load_between",
        LoadKw "load_kw";
    "a field of a question"
}

/// The fields as typed, in plain form; `None` for the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIfForm {
    /// [`WhatIfField::Battery`].
    pub battery: Option<String>,
    /// [`WhatIfField::ChargeKw`].
    pub charge_kw: Option<String>,
    /// [`WhatIfField::DischargeKw`].
    pub discharge_kw: Option<String>,
    /// [`WhatIfField::Efficiency`].
    pub efficiency: Option<String>,
    /// [`WhatIfField::Reserve`].
    pub reserve: Option<String>,
    /// [`WhatIfField::StandbyW`].
    pub standby_w: Option<String>,
    /// [`WhatIfField::Ageing`].
    pub ageing: Option<String>,
    /// [`WhatIfField::Dispatch`].
    pub dispatch: Option<String>,
    /// [`WhatIfField::Sizes`].
    pub sizes: Option<String>,
    /// [`WhatIfField::PricePerKwh`].
    pub price_per_kwh: Option<String>,
    /// [`WhatIfField::SolarFactor`].
    pub solar_factor: Option<String>,
    /// [`WhatIfField::Kwp`].
    pub kwp: Option<String>,
    /// [`WhatIfField::Profile`]: the text of the file.
    pub profile: Option<String>,
    /// [`WhatIfField::Load`].
    pub load: Option<String>,
    /// [`WhatIfField::LoadSensor`].
    pub load_sensor: Option<String>,
    /// [`WhatIfField::LoadKwh`].
    pub load_kwh: Option<String>,
    /// [`WhatIfField::LoadBetween`].
    pub load_between: Option<String>,
    /// [`WhatIfField::LoadKw`].
    pub load_kw: Option<String>,
}

impl WhatIfForm {
    /// Reads the text of each field, as `read` finds it.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read<E>(
        mut read: impl FnMut(WhatIfField) -> Result<Option<String>, E>,
    ) -> Result<Self, E> {
        let mut form = Self::default();
        for field in WhatIfField::ALL {
            *form.text_mut(field) = read(field)?.filter(|text| !text.trim().is_empty());
        }
        Ok(form)
    }

    fn text_mut(&mut self, field: WhatIfField) -> &mut Option<String> {
        match field {
            WhatIfField::Battery => &mut self.battery,
            WhatIfField::ChargeKw => &mut self.charge_kw,
            WhatIfField::DischargeKw => &mut self.discharge_kw,
            WhatIfField::Efficiency => &mut self.efficiency,
            WhatIfField::Reserve => &mut self.reserve,
            WhatIfField::StandbyW => &mut self.standby_w,
            WhatIfField::Ageing => &mut self.ageing,
            WhatIfField::Dispatch => &mut self.dispatch,
            WhatIfField::Sizes => &mut self.sizes,
            WhatIfField::PricePerKwh => &mut self.price_per_kwh,
            WhatIfField::SolarFactor => &mut self.solar_factor,
            WhatIfField::Kwp => &mut self.kwp,
            WhatIfField::Profile => &mut self.profile,
            WhatIfField::Load => &mut self.load,
            WhatIfField::LoadSensor => &mut self.load_sensor,
            WhatIfField::LoadKwh => &mut self.load_kwh,
            WhatIfField::LoadBetween => &mut self.load_between,
            WhatIfField::LoadKw => &mut self.load_kw,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WhatIfError {
    /// Nothing would be different.
    #[error("expected a battery, sizes of batteries, panels or a load: nothing would be different")]
    Nothing,
    /// Not a number, or not one of this range.
    #[error("expected a number from {from} to {to} with up to six decimals, such as {example}")]
    Number {
        /// The field.
        field: WhatIfField,
        /// The least number.
        from: &'static str,
        /// The highest one.
        to: &'static str,
        /// A usual one.
        example: &'static str,
    },
    /// Not an efficiency.
    #[error("{0}")]
    Efficiency(#[from] NotEfficiency),
    /// Not one of these words.
    #[error("expected {expected}")]
    Word {
        /// The field.
        field: WhatIfField,
        /// The words.
        expected: &'static str,
    },
    /// Too many sizes, or one that is none.
    #[error(
        "expected up to 41 sizes from 0 to 1000 kWh, separated by commas, such as 0,5,10; or usual"
    )]
    Sizes,
    /// A field that means nothing without another one.
    #[error("expected only together with {other}")]
    Alone {
        /// The field.
        field: WhatIfField,
        /// The missing one, by its word.
        other: &'static str,
    },
    /// A field that is needed for another one.
    #[error("expected a value, for {of}")]
    Missing {
        /// The missing field.
        field: WhatIfField,
        /// The one that needs it, by its word.
        of: &'static str,
    },
    /// Not a profile.
    #[error("{0}")]
    Profile(#[from] ProfileError),
    /// Not hours.
    #[error(
        "expected two different times in quarters of an hour, such as 22:00-06:00; the second one may be on the next day"
    )]
    Between,
    /// The energy does not fit into the hours.
    #[error("expected a power that suffices for the energy in these hours")]
    Power,
    /// Both a sub-meter and kilowatt-hours.
    #[error("expected either a sub-meter or kilowatt-hours, not both")]
    BothLoads,
    /// Not a sub-meter of the account.
    #[error(
        "{0} is not a sub-meter of the account: expected the id of a sensor with the role sub-meter"
    )]
    NoSubMeter(SensorId),
    /// Not the id of any sensor.
    #[error("expected the id of a sensor")]
    NoSensor,
    /// No sensor measures panels.
    #[error(
        "no sensor of the account measures panels, so there is nothing to multiply: expected kilowatts and a profile of hours instead"
    )]
    NoPanels,
    /// No sensor measures what the house draws from the grid.
    #[error(
        "no sensor of the account measures what the house draws from the grid: connect one first"
    )]
    NoGrid,
    /// The range has too many quarters of an hour for so many sizes.
    #[error("this takes more than {} million quarters of an hour: choose a shorter range, or fewer sizes", super::MOST_QUARTERS / 1_000_000)]
    TooMany,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl WhatIfError {
    /// The field at fault, if one is.
    #[must_use]
    pub const fn field(&self) -> Option<WhatIfField> {
        Some(match self {
            Self::Nothing => WhatIfField::Battery,
            Self::Number { field, .. }
            | Self::Word { field, .. }
            | Self::Alone { field, .. }
            | Self::Missing { field, .. } => *field,
            Self::Efficiency(_) => WhatIfField::Efficiency,
            Self::Sizes => WhatIfField::Sizes,
            Self::Profile(_) => WhatIfField::Profile,
            Self::Between => WhatIfField::LoadBetween,
            Self::Power => WhatIfField::LoadKw,
            Self::BothLoads => WhatIfField::LoadKwh,
            Self::NoSubMeter(_) | Self::NoSensor => WhatIfField::LoadSensor,
            Self::NoPanels => WhatIfField::SolarFactor,
            Self::NoGrid | Self::TooMany | Self::Store(_) => return None,
        })
    }
}
