//! The contracts of most households, in the form of the page: one price, prices by the hours of the
//! week, by tiers or by a series, with standing charges, feed-in and one tax. All others stay a
//! [`Contract`].
//!
//! - `week`: the hours of a week as a grid, and as blocks that zones can name

mod week;

pub use self::week::WeekGrid;

use super::component::Terms;
use super::conditions::Conditions;
use super::json::{list, object, quoted};
use super::rate::Rate;
use super::series_rate::SeriesRate;
use super::sets::MonthSet;
use super::tiers::Tier;
use super::zones::{PriceZone, PriceZones};
use super::{Contract, ContractError, Label, Percent, Period, TaxBase};
use crate::domain::{Currency, Decimal, LocalDate};

/// A contract with one import rate, and perhaps fixed charges, one export price, and one tax, in
/// this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseholdContract {
    /// Its first day.
    pub from: LocalDate,
    /// Its name.
    pub name: Label,
    /// The currency of its prices.
    pub currency: Currency,
    /// Whether it changes the prices of the contract before; `None` if it does not say it.
    pub continues: Option<bool>,
    /// The price of a kilowatt-hour that is drawn.
    pub rate: HouseholdRate,
    /// The charges per time.
    pub fixed: Vec<HouseholdCharge>,
    /// The price of a kilowatt-hour that is fed back.
    pub feed_in: Option<Decimal>,
    /// The tax on all of it.
    pub tax: Option<HouseholdTax>,
}

/// How a household's price of a kilowatt-hour is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HouseholdRate {
    /// Always the same.
    Flat(Decimal),
    /// By the hours of the week.
    Hours {
        /// At all other times.
        usual: NamedPrice,
        /// At the painted hours, the later ones over the earlier.
        painted: Vec<PaintedPrice>,
    },
    /// By the energy drawn so far in the month or year.
    Tiers {
        /// A month or a year.
        period: Period,
        /// Up to so many kilowatt-hours, and the price; the last one has no end.
        tiers: Vec<(Option<Decimal>, Decimal)>,
    },
    /// By the prices of a series.
    Series {
        /// Its name.
        series: Label,
        /// The factor of its prices.
        factor: Decimal,
        /// The surcharge on them.
        surcharge: Decimal,
    },
}

/// A price per kilowatt-hour and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPrice {
    /// Its name on the bill.
    pub name: Label,
    /// Per kilowatt-hour.
    pub price: Decimal,
}

/// A price of some hours of the week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaintedPrice {
    /// The price.
    pub price: NamedPrice,
    /// Whether it holds in each month from January; at least one.
    pub months: [bool; 12],
    /// The hours; at least one.
    pub week: WeekGrid,
}

/// The charges per time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseholdCharge {
    /// Its name on the bill.
    pub name: Label,
    /// The price of a period.
    pub price: Decimal,
    /// The period.
    pub per: Period,
}

/// A tax on all that stands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseholdTax {
    /// Its name on the bill.
    pub name: Label,
    /// Not negative.
    pub percent: Percent,
    /// Whether credits make it smaller.
    pub of: TaxBase,
}

impl HouseholdContract {
    /// It as a contract.
    ///
    /// # Errors
    /// [`ContractError`] if a price never holds, two have one name, tiers do not ascend, or the tax
    /// is negative.
    pub fn contract(&self) -> Result<Contract, ContractError> {
        if let HouseholdRate::Hours { painted, .. } = &self.rate
            && let Some(never) = painted.iter().find(|one| one.is_never())
        {
            let problem = "it has no hours or no months; expected at least one of both";
            return Err(ContractError::new(never.price.name.as_str(), problem));
        }
        let one = |kind: &str, terms: String| object([(kind, Some(terms))]);
        let text = |label: &Label| Some(quoted(label.as_str()));
        let price = |price: Decimal| ("price", Some(price.to_string()));
        let fixed = self.fixed.iter().map(|charge| {
            let per = ("per", Some(quoted(charge.per.as_str())));
            let terms = object([("name", text(&charge.name)), price(charge.price), per]);
            one("fixed", terms)
        });
        let feed_in = self
            .feed_in
            .map(|paid| one("export", object([price(paid)])));
        let tax = self.tax.as_ref().map(|tax| {
            let percent = ("percent", Some(tax.percent.to_string()));
            let of = ("of", Some(quoted(tax.of.as_str())));
            one("tax", object([("name", text(&tax.name)), percent, of]))
        });
        let energy = [one("energy", self.rate.write())].into_iter();
        let components = energy.chain(fixed).chain(feed_in).chain(tax);
        // By its text, so that all is checked as if a person had typed it.
        Contract::parse(&object([
            ("from", Some(quoted(&self.from.to_string()))),
            ("name", text(&self.name)),
            ("currency", Some(quoted(self.currency.as_str()))),
            ("continues", self.continues.map(|it| it.to_string())),
            ("components", Some(list(components))),
        ]))
    }
}

impl HouseholdRate {
    /// The name of a price that no hour has; `None` if each has one.
    #[must_use]
    pub fn unused(&self) -> Option<&Label> {
        let Self::Hours { usual, painted } = self else {
            return None;
        };
        let holds = |asked: Option<usize>| {
            (0..12).any(|month| {
                let last = |weekday, hour| {
                    let has = |one: &PaintedPrice| {
                        one.months.get(month) == Some(&true) && one.week.has(weekday, hour)
                    };
                    painted.iter().rposition(has)
                };
                (0..7).any(|weekday| (0..24).any(|hour| last(weekday, hour) == asked))
            })
        };
        let mut unused = painted.iter().enumerate();
        let unused = unused.find(|(place, _)| !holds(Some(*place)));
        let unused = unused.map(|(_, one)| &one.price.name);
        unused.or_else(|| (!holds(None)).then_some(&usual.name))
    }

    /// The fields of the component as JSON.
    fn write(&self) -> String {
        let price = |price: &Decimal| ("price", Some(price.to_string()));
        match self {
            Self::Flat(flat) => object([price(flat)]),
            Self::Hours { usual, painted } => {
                let zones = zones_of(usual, painted)
                    .into_iter()
                    .map(|zone| zone.write("price"));
                object([("zones", Some(list(zones)))])
            }
            Self::Tiers { period, tiers } => {
                let tiers = tiers.iter().map(|(end, of)| {
                    let end = end.map(|end| end.to_string());
                    object([("up_to_kwh", end), price(of)])
                });
                let period = quoted(period.as_str());
                object([("period", Some(period)), ("tiers", Some(list(tiers)))])
            }
            Self::Series {
                series,
                factor,
                surcharge,
            } => object([
                ("series", Some(quoted(series.as_str()))),
                ("factor", Some(factor.to_string())),
                ("surcharge", Some(surcharge.to_string())),
            ]),
        }
    }

    fn of(rate: &Rate) -> Option<Self> {
        Some(match rate {
            Rate::Flat(price) => Self::Flat(*price),
            Rate::Zones(zones) => Self::of_zones(zones)?,
            Rate::Tiers(tiers) => {
                let tier = |tier: &Tier| (tier.up_to_kwh, tier.price);
                Self::Tiers {
                    period: Some(tiers.period).filter(|period| *period != Period::Day)?,
                    tiers: tiers.as_plain()?.iter().map(tier).collect(),
                }
            }
            Rate::Series(rate) => {
                let (factor, surcharge) = (rate.factor, rate.surcharge);
                let series = rate.source.series.clone();
                let plain = SeriesRate::plain(series.clone(), factor, surcharge);
                (plain == *rate).then_some(Self::Series {
                    series,
                    factor,
                    surcharge,
                })?
            }
            Rate::Table(_) => return None,
        })
    }

    fn of_zones(zones: &PriceZones) -> Option<Self> {
        let (first, rest) = zones.all().split_first()?;
        let named = |zone: &PriceZone| NamedPrice {
            name: zone.name.clone(),
            price: zone.price,
        };
        let mut painted: Vec<PaintedPrice> = Vec::new();
        let mut part = 1;
        for zone in rest {
            let when = Some(&zone.when).filter(|when| when.is_plain())?;
            let months = std::array::from_fn(|month| {
                u8::try_from(month).is_ok_and(|month| when.months.contains(month))
            });
            let week = WeekGrid::of_block(when.weekdays, &when.hours)?;
            part += 1;
            match painted.last_mut() {
                // Another block of the same price.
                Some(last)
                    if last.months == months
                        && last.price.price == zone.price
                        && zone.name.as_str() == part_name(&last.price.name, part) =>
                {
                    last.week = last.week.and(&week);
                }
                _ => {
                    part = 1;
                    let price = named(zone);
                    painted.push(PaintedPrice {
                        price,
                        months,
                        week,
                    });
                }
            }
        }
        Some(Self::Hours {
            usual: named(first),
            painted,
        })
    }
}

impl PaintedPrice {
    fn is_never(&self) -> bool {
        self.week.is_empty() || self.months == [false; 12]
    }
}

/// A zone for each block of hours, so that all together have these prices. Of two prices the one is
/// usual that needs fewer zones.
fn zones_of(usual: &NamedPrice, painted: &[PaintedPrice]) -> Vec<PriceZone> {
    if let [one] = painted
        && one.months == [true; 12]
        && (1..one.week.blocks().len()).contains(&one.week.others().blocks().len())
    {
        let others = PaintedPrice {
            price: usual.clone(),
            week: one.week.others(),
            ..one.clone()
        };
        return zones_of(&one.price, &[others]);
    }
    let zone = |price: &NamedPrice| PriceZone {
        name: price.name.clone(),
        price: price.price,
        when: Conditions::ALWAYS,
    };
    let mut zones = vec![zone(usual)];
    for one in painted {
        let has_month = |month: u8| one.months.get(usize::from(month)) == Some(&true);
        for (index, block) in one.week.blocks().into_iter().enumerate() {
            let name = part_name(&one.price.name, index + 1);
            zones.push(PriceZone {
                // A name that is too long is refused as a duplicate.
                name: Label::new(&name).unwrap_or_else(|_| one.price.name.clone()),
                price: one.price.price,
                when: Conditions {
                    months: MonthSet::of(has_month),
                    weekdays: block.weekdays,
                    hours: block.hours,
                    ..Conditions::ALWAYS
                },
            });
        }
    }
    zones
}

/// The name of the zone for a price's block, counted from 1.
fn part_name(name: &Label, part: usize) -> String {
    if part == 1 {
        name.to_string()
    } else {
        format!("{name} {part}")
    }
}

impl Contract {
    /// The same as a household's contract; `None` if that would lose anything.
    #[must_use]
    pub fn household(&self) -> Option<HouseholdContract> {
        let (energy, rest) = self.components.split_first()?;
        let Terms::Energy(terms) = &energy.terms else {
            return None;
        };
        let mut found = HouseholdContract {
            from: self.from,
            name: self.name.clone(),
            currency: self.currency.clone(),
            continues: self.continues,
            rate: HouseholdRate::of(terms.as_plain()?)?,
            fixed: Vec::new(),
            feed_in: None,
            tax: None,
        };
        for component in rest {
            let name = component.name.clone();
            match &component.terms {
                Terms::Fixed { price, per, .. } => found.fixed.push(HouseholdCharge {
                    name: name?,
                    price: *price,
                    per: *per,
                }),
                Terms::Export(terms) => match terms.as_plain()? {
                    Rate::Flat(price) => found.feed_in = Some(*price),
                    _ => return None,
                },
                Terms::Tax { percent, base } => {
                    found.tax = Some(HouseholdTax {
                        name: name?,
                        percent: *percent,
                        of: base.of,
                    });
                }
                _ => return None,
            }
        }
        // Another order, a second tax, names and holidays would be lost.
        (found.contract().as_ref() == Ok(self)).then_some(found)
    }
}

#[cfg(test)]
mod tests;
