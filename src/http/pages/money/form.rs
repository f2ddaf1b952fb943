//! The form of a contract, as typed.

use crate::domain::words::words;
use crate::domain::{Decimal, LocalDate, Weekday};
use crate::http::pages::frame::{PageError, Visit};
use crate::ledger::contract::{
    HouseholdCharge, HouseholdContract, HouseholdRate, PaintedPrice, Period, TaxBase, WeekGrid,
};
use crate::texts::Language;

/// A contract as typed. Numbers are text, with a point or a comma.
#[derive(Clone, Debug)]
pub(super) struct ContractForm {
    pub(super) name: String,
    pub(super) currency: String,
    pub(super) from: String,
    /// Whether it changes the prices of the contract before.
    pub(super) continues: bool,
    pub(super) rate: RateChoice,
    pub(super) price: String,
    pub(super) usual: [String; 2],
    /// At most as many as in [`PAINTED`].
    pub(super) painted: Vec<PaintedFields>,
    pub(super) period: Period,
    /// The upper limit and the price of each tier.
    pub(super) tiers: Vec<[String; 2]>,
    pub(super) series: String,
    pub(super) factor: String,
    pub(super) surcharge: String,
    /// The name, the price and the period of each charge.
    pub(super) fixed: Vec<([String; 2], Period)>,
    pub(super) feed_in: String,
    pub(super) tax_name: String,
    pub(super) tax_percent: String,
    pub(super) tax_of: TaxBase,
}

/// The kind of price, which determines the part of the form that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RateChoice {
    Flat,
    Hours,
    Tiers,
    Series,
}

words! {
    RateChoice: Flat "flat", Hours "hours", Tiers "tiers", Series "series";
    "flat, hours, tiers or series"
}

/// A price for some hours of the week.
#[derive(Clone, Debug)]
pub(super) struct PaintedFields {
    /// The id of its part of the form, one of [`PAINTED`].
    pub(super) id: &'static str,
    pub(super) name: String,
    pub(super) price: String,
    pub(super) months: [bool; 12],
    pub(super) week: WeekGrid,
}

/// The parts of the form for prices of some hours.
pub(super) const PAINTED: [&str; 6] = [
    "hours-1", "hours-2", "hours-3", "hours-4", "hours-5", "hours-6",
];
pub(super) const MOST_TIERS: usize = 16;

impl ContractForm {
    /// An empty form, with the values of most households filled in.
    pub(super) fn new(language: &Language, today: LocalDate) -> Self {
        let night = PaintedFields {
            name: language.say("contract-night"),
            week: nights(),
            ..PaintedFields::new(PAINTED[0])
        };
        Self {
            name: language.say("contract-electricity"),
            currency: "EUR".to_owned(),
            from: today.to_string(),
            continues: true,
            rate: RateChoice::Flat,
            price: String::new(),
            usual: [language.say("contract-day"), String::new()],
            painted: vec![night],
            period: Period::Year,
            tiers: Vec::new(),
            series: String::new(),
            factor: "1".to_owned(),
            surcharge: "0".to_owned(),
            fixed: Vec::new(),
            feed_in: String::new(),
            tax_name: language.say("contract-vat"),
            tax_percent: String::new(),
            tax_of: TaxBase::Net,
        }
    }

    /// Fills in the proposal of the address, as of the prices of a Home Assistant.
    pub(super) fn propose(&mut self, visit: &Visit) -> Result<(), PageError> {
        for (name, text) in [
            ("price", &mut self.price),
            ("feed_in", &mut self.feed_in),
            ("currency", &mut self.currency),
            ("series", &mut self.series),
        ] {
            let proposed = visit.param(name)?;
            if !proposed.is_empty() {
                *text = proposed;
            }
        }
        if !self.series.is_empty() {
            self.rate = RateChoice::Series;
        }
        Ok(())
    }

    /// The form of a contract; `None` if the form cannot show all of it.
    pub(super) fn of(contract: &HouseholdContract, language: &Language) -> Option<Self> {
        let mut form = Self {
            name: contract.name.to_string(),
            currency: contract.currency.as_str().to_owned(),
            continues: contract.continues.unwrap_or(true),
            ..Self::new(language, contract.from)
        };
        let mark = language.decimal_mark();
        // Without marks between thousands, which could not be parsed again.
        let number = |number: Decimal| number.to_string().replace('.', &mark);
        match &contract.rate {
            HouseholdRate::Flat(price) => form.price = number(*price),
            HouseholdRate::Hours { usual, painted } => {
                form.rate = RateChoice::Hours;
                form.usual = [usual.name.to_string(), number(usual.price)];
                if painted.len() > PAINTED.len() {
                    return None;
                }
                let fields = |(one, id): (&PaintedPrice, &&'static str)| PaintedFields {
                    id,
                    name: one.price.name.to_string(),
                    price: number(one.price.price),
                    months: one.months,
                    week: one.week,
                };
                form.painted = painted.iter().zip(&PAINTED).map(fields).collect();
            }
            HouseholdRate::Tiers { period, tiers } => {
                form.rate = RateChoice::Tiers;
                form.period = *period;
                let fields = |(end, price): &(Option<Decimal>, Decimal)| {
                    [end.map(number).unwrap_or_default(), number(*price)]
                };
                form.tiers = tiers.iter().map(fields).collect();
            }
            HouseholdRate::Series {
                series,
                factor,
                surcharge,
            } => {
                form.rate = RateChoice::Series;
                form.series = series.to_string();
                [form.factor, form.surcharge] = [*factor, *surcharge].map(number);
            }
        }
        let fixed = |one: &HouseholdCharge| ([one.name.to_string(), number(one.price)], one.per);
        form.fixed = contract.fixed.iter().map(fixed).collect();
        form.feed_in = contract.feed_in.map(number).unwrap_or_default();
        if let Some(tax) = &contract.tax {
            form.tax_name = tax.name.to_string();
            form.tax_percent = tax.percent.to_string().replace('.', &mark);
            form.tax_of = tax.of;
        }
        Some(form)
    }

    /// Reads a posted form.
    ///
    /// # Errors
    /// [`PageError`] if a field occurs twice, or a choice is unknown.
    pub(super) fn posted(visit: &Visit) -> Result<Self, PageError> {
        let field = |name: &str| visit.trimmed(name);
        let pairs = |first: &str, second: &str| {
            let first = visit.fields(first).into_iter();
            first
                .zip(visit.fields(second))
                .map(|(a, b)| [a, b].map(|text| text.trim().to_owned()))
        };
        let painted = PAINTED.into_iter().map(|id| {
            let named = |part: &str| format!("{id}-{part}");
            let months = visit.fields(&named("month"));
            let mut week = WeekGrid::default();
            for cell in visit.fields(&named("cell")) {
                let cell = cell.split_once('-');
                let cell =
                    cell.and_then(|(day, hour)| Some((day.parse().ok()?, hour.parse().ok()?)));
                if let Some((day, hour)) = cell {
                    week.paint(day, hour);
                }
            }
            Ok::<_, PageError>(PaintedFields {
                id,
                name: field(&named("name"))?,
                price: field(&named("price"))?,
                months: std::array::from_fn(|month| months.contains(&(month + 1).to_string())),
                week,
            })
        });
        let painted = painted.collect::<Result<Vec<_>, _>>()?.into_iter();
        let periods = visit.fields("fixed-per").into_iter();
        let periods = periods.map(|word| word.parse().unwrap_or(Period::Year));
        Ok(Self {
            name: field("name")?,
            currency: field("currency")?,
            from: field("from")?,
            continues: field("continues")? != "no",
            rate: visit.choice("rate")?,
            price: field("price")?,
            usual: [field("usual-name")?, field("usual-price")?],
            painted: painted.filter(|one| !one.is_empty()).collect(),
            period: visit.choice("period")?,
            tiers: pairs("tier-end", "tier-price").filter(is_filled).collect(),
            series: field("series")?,
            factor: field("factor")?,
            surcharge: field("surcharge")?,
            fixed: pairs("fixed-name", "fixed-price")
                .zip(periods)
                .filter(|(one, _)| is_filled(one))
                .collect(),
            feed_in: field("feed_in")?,
            tax_name: field("tax-name")?,
            tax_percent: field("tax-percent")?,
            tax_of: visit.choice("tax-of")?,
        })
    }

    /// The prices of some hours, and an empty one to fill in.
    pub(super) fn painted_and_next(&self) -> Vec<PaintedFields> {
        let mut all: Vec<PaintedFields> = self.painted.clone();
        let next = PAINTED
            .iter()
            .find(|id| !all.iter().any(|one| one.id == **id));
        all.extend(next.map(|id| PaintedFields::new(id)));
        all
    }

    /// The tiers, and empty ones to fill in.
    pub(super) fn tiers_and_next(&self) -> Vec<[String; 2]> {
        let mut all = self.tiers.clone();
        let empty = (all.len() + 1).clamp(3, MOST_TIERS.max(all.len()));
        all.resize(empty, Default::default());
        all
    }

    /// The charges, and an empty one to fill in.
    pub(super) fn fixed_and_next(&self) -> Vec<([String; 2], Period)> {
        let mut all = self.fixed.clone();
        let per = if all.is_empty() {
            Period::Month
        } else {
            Period::Year
        };
        all.push((Default::default(), per));
        all
    }
}

impl PaintedFields {
    fn new(id: &'static str) -> Self {
        Self {
            id,
            name: String::new(),
            price: String::new(),
            months: [true; 12],
            week: WeekGrid::default(),
        }
    }

    fn is_empty(&self) -> bool {
        self.name.is_empty() && self.price.is_empty() && self.week.is_empty()
    }

    /// The hours of the grid, each with the weekdays: the number of the weekday, and whether it is
    /// painted.
    pub(super) fn grid(&self) -> Vec<(u8, [(u8, bool); 7])> {
        let row = |hour| {
            let cell = |day: Weekday| {
                (
                    day.days_after_monday(),
                    self.week.has(day.days_after_monday(), hour),
                )
            };
            (hour, Weekday::ALL.map(cell))
        };
        (0..24).map(row).collect()
    }
}

fn is_filled(pair: &[String; 2]) -> bool {
    pair.iter().any(|text| !text.is_empty())
}

/// From ten in the evening until six, every day.
fn nights() -> WeekGrid {
    let mut week = WeekGrid::default();
    for day in 0..7 {
        for hour in (22..24).chain(0..6) {
            week.paint(day, hour);
        }
    }
    week
}
