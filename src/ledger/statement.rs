//! The costs of a range, its known part, and the events and corrections in it.

use crate::domain::{Currency, Decimal, MicroWh, TimeRange, Zone};
use crate::ledger::contract::{
    Announced, Bill, BillLine, BilledQuantity, Contracts, Label, LineKind, MeteredEnergy,
    PriceSlot, Pricer,
};
use crate::ledger::house::MeasuredSlot;
use crate::ledger::stretch::Flow;

/// The events and corrections of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TouchCount {
    /// Events of its sensors.
    pub events: usize,
    /// Corrections of its sensors.
    pub corrections: usize,
}

/// A statement of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct CostStatement {
    /// The range, without its end.
    pub range: TimeRange,
    /// The currency of the amounts; `None` without contracts.
    pub currency: Option<Currency>,
    /// The bill. It has no lines of energy if nothing is known of it.
    pub bill: Bill,
    /// The energy, as far as it is known; `None` if none is.
    pub energy: Option<Flow>,
    /// For how long only the sum is measured, in milliseconds.
    pub estimated_ms: i64,
    /// For how long nothing is known, in milliseconds.
    pub missing_ms: i64,
    /// The events and corrections in the range.
    pub touched: TouchCount,
    /// The price series that have another currency than the contracts: energy by them has no price.
    pub other_currency: Vec<(Label, Currency)>,
    /// The price series whose prices were converted.
    pub converted: Vec<ConvertedSeries>,
}

/// A price series whose prices were converted to the currency of the contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedSeries {
    /// Its name.
    pub series: Label,
    /// Its currency.
    pub currency: Currency,
    /// The series of exchange rates.
    pub rates: Vec<Label>,
}

/// The shares of a time, which add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeShares {
    /// Measured.
    pub measured: f64,
    /// The estimated share, with a measured sum only.
    pub estimated: f64,
    /// The unknown share.
    pub missing: f64,
}

/// The gap of an amount, to be said beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AmountGap {
    /// The energy without a price.
    pub unpriced: MicroWh,
    /// The share of the time without readings, from 0 to 1.
    pub missing: f64,
    /// Whether it is more than half of the energy, or of the time.
    pub is_most: bool,
}

impl AmountGap {
    /// The gap of an amount for `energy`, of which so much has no price; `None` if it leaves nothing
    /// out.
    #[must_use]
    pub fn of(energy: MicroWh, unpriced: MicroWh, missing: f64) -> Option<Self> {
        let is_most = missing > 0.5 || unpriced + unpriced > energy;
        (unpriced > MicroWh::ZERO || missing > 0.0).then_some(Self {
            unpriced,
            missing,
            is_most,
        })
    }
}

impl TimeShares {
    /// The shares of a range, with so many milliseconds estimated and missing.
    #[must_use]
    pub fn of(range: TimeRange, (estimated_ms, missing_ms): (i64, i64)) -> Self {
        let share = |ms: i64| {
            let [ms, length] = [ms, range.length_ms()].map(|ms| MicroWh::new(ms).watthours());
            if length > 0.0 {
                (ms / length).clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        let [estimated, missing] = [estimated_ms, missing_ms].map(share);
        Self {
            measured: (1.0 - estimated - missing).max(0.0),
            estimated,
            missing,
        }
    }

    /// As rows of a table.
    #[must_use]
    pub fn rows(self) -> [StatementRow; 3] {
        let Self {
            measured,
            estimated,
            missing,
        } = self;
        let shares = [
            ("measured", measured),
            ("estimated", estimated),
            ("missing", missing),
        ];
        shares.map(|(kind, share)| {
            let quantity = [format!("{:.2}", share * 100.0), "%".to_owned()];
            statement_row(kind, quantity, String::new())
        })
    }
}

/// The columns of [`CostStatement::rows`].
pub const STATEMENT_COLUMNS: [&str; 9] = [
    "kind", "contract", "from", "name", "part", "quantity", "unit", "price", "amount",
];

/// A row of a statement: a text for each of [`STATEMENT_COLUMNS`], empty where there is nothing to
/// say.
pub type StatementRow = [String; 9];

impl CostStatement {
    /// The statement of a range. `measured` has the energy of each slot of time.
    #[must_use]
    pub fn new(
        contracts: &Contracts,
        zone: &Zone,
        announced: &Announced,
        range: TimeRange,
        touched: TouchCount,
        mut measured: impl FnMut(&PriceSlot) -> MeasuredSlot,
    ) -> Self {
        let mut pricer = Pricer::new(contracts, zone, announced, range);
        let mut known = MeasuredSlot::default();
        while let Some(slot) = pricer.next_slot() {
            let measured = measured(&slot);
            if slot.is_billed() {
                known = known + measured;
            }
            let energy = MeteredEnergy {
                is_whole: measured.missing_ms == 0,
                ..MeteredEnergy::of_house(measured.flow)
            };
            pricer.add_known(slot, &energy);
        }
        let currency = contracts.currency().cloned();
        Self::of(range, currency, pricer.finish(), known, touched)
    }

    /// The statement of a range with this bill and its known part.
    #[must_use]
    pub fn of(
        range: TimeRange,
        currency: Option<Currency>,
        mut bill: Bill,
        known: MeasuredSlot,
        touched: TouchCount,
    ) -> Self {
        if known.flow.is_none() {
            // They would say that nothing flowed.
            let is_known = |line: &BillLine| {
                matches!(
                    line.kind,
                    LineKind::Fixed | LineKind::Minimum | LineKind::Tax
                )
            };
            bill.lines.retain(is_known);
        }
        Self {
            range,
            currency,
            bill,
            energy: known.flow,
            estimated_ms: known.estimated_ms,
            missing_ms: known.missing_ms,
            touched,
            other_currency: Vec::new(),
            converted: Vec::new(),
        }
    }

    /// The total; `None` if all of its energy is unknown or unpriced.
    #[must_use]
    pub fn total(&self) -> Option<Decimal> {
        let energy = self.energy?;
        let unpriced = self.bill.unpriced;
        let is_priced = energy == Flow::default() || unpriced != energy;
        (is_priced && self.currency.is_some()).then_some(self.bill.total)
    }

    /// The total; `None` if any energy is without a price, or all of it is unknown.
    #[must_use]
    pub fn whole_total(&self) -> Option<Decimal> {
        let is_whole = self.bill.unpriced == Flow::default();
        self.total().filter(|_| is_whole)
    }

    /// All costs with their taxes, before the credits, for each kilowatt-hour that was drawn; `None`
    /// if none was, or not all energy has a price. Half of a millionth is rounded away from zero.
    #[must_use]
    pub fn mean_price(&self) -> Option<Decimal> {
        const KILOWATTHOUR: i128 = 1_000_000_000;
        let costs = self.whole_total()?.saturating_add(self.bill.credits);
        let energy = i128::from(self.energy?.imported.millionths());
        if energy <= 0 {
            return None;
        }
        let amount = i128::from(costs.millionths()) * KILOWATTHOUR;
        let half = if amount < 0 { -energy } else { energy } / 2;
        let price = (amount + half) / energy;
        i64::try_from(price).ok().map(Decimal::from_millionths)
    }

    /// The sum of the lines of some kinds; `None` without a total.
    #[must_use]
    pub fn sum(&self, kinds: &[LineKind]) -> Option<Decimal> {
        let lines = self.bill.lines.iter();
        let lines = lines.filter(|line| kinds.contains(&line.kind));
        let sum = lines.fold(Decimal::ZERO, |sum, line| sum.saturating_add(line.amount));
        self.total().map(|_| sum)
    }

    /// The gap of its amounts; `None` without one.
    #[must_use]
    pub fn gap(&self) -> Option<AmountGap> {
        let both = |flow: Flow| flow.imported + flow.exported;
        let energy = both(self.energy.unwrap_or_default());
        AmountGap::of(energy, both(self.bill.unpriced), self.coverage().missing)
    }

    /// Whether all of its energy is known and has a price. If not, the total is that of the rest.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.total().is_some() && self.missing_ms == 0 && self.bill.unpriced == Flow::default()
    }

    /// How much of its time is known.
    #[must_use]
    pub fn coverage(&self) -> TimeShares {
        TimeShares::of(self.range, (self.estimated_ms, self.missing_ms))
    }

    /// Its lines, sums and coverage as a table.
    #[must_use]
    pub fn rows(&self) -> Vec<StatementRow> {
        let mut rows: Vec<_> = self.bill.lines.iter().map(bill_row).collect();
        let total = self.total();
        let sums = [
            ("costs", self.bill.costs),
            ("credits", self.bill.credits),
            ("taxes", self.bill.taxes),
            ("total", self.bill.total),
        ];
        rows.extend(sums.map(|(kind, amount)| {
            let amount = total.map(|_| amount.to_string());
            statement_row(
                kind,
                [String::new(), String::new()],
                amount.unwrap_or_default(),
            )
        }));
        let paid = [
            ("paid", self.bill.paid),
            ("balance", self.bill.balance().filter(|_| total.is_some())),
        ];
        rows.extend(paid.into_iter().filter_map(|(kind, amount)| {
            Some(statement_row(
                kind,
                [String::new(), String::new()],
                amount?.to_string(),
            ))
        }));
        let unpriced = Some(self.bill.unpriced).filter(|flow| *flow != Flow::default());
        for (kinds, flow) in [
            (["imported", "exported"], self.energy),
            (["unpriced import", "unpriced export"], unpriced),
        ] {
            let energies = flow.map(|flow| [flow.imported, flow.exported]);
            for (kind, energy) in kinds.into_iter().zip(energies.into_iter().flatten()) {
                let quantity = [kilowatthours(energy), "kWh".to_owned()];
                rows.push(statement_row(kind, quantity, String::new()));
            }
        }
        rows.extend(self.coverage().rows());
        for (kind, count) in [
            ("events", self.touched.events),
            ("corrections", self.touched.corrections),
        ] {
            rows.push(statement_row(
                kind,
                [count.to_string(), String::new()],
                String::new(),
            ));
        }
        rows
    }
}

/// A row with a quantity and an amount.
#[must_use]
pub fn statement_row(kind: &str, [quantity, unit]: [String; 2], amount: String) -> StatementRow {
    let nothing = String::new;
    [
        kind.to_owned(),
        nothing(),
        nothing(),
        nothing(),
        nothing(),
        quantity,
        unit,
        nothing(),
        amount,
    ]
}

/// The row of a line of a bill.
#[must_use]
pub fn bill_row(line: &BillLine) -> StatementRow {
    let (quantity, unit) = match line.quantity {
        BilledQuantity::Energy(energy) => (kilowatthours(energy), "kWh"),
        BilledQuantity::Power(power) => (kilowatthours(power), "kW"),
        BilledQuantity::Time(count, period) => (count.to_string(), period.as_str()),
        BilledQuantity::Percent(percent) => (percent.to_string(), "%"),
        BilledQuantity::None => (String::new(), ""),
    };
    let date = line.contract_from;
    [
        line.kind.as_str().to_owned(),
        line.contract.to_string(),
        format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day()),
        line.name
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        line.part
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        quantity,
        unit.to_owned(),
        line.price
            .map(|price| price.to_string())
            .unwrap_or_default(),
        line.amount.to_string(),
    ]
}

/// The kilowatt-hours of an energy: an exact decimal, without zeros that say nothing.
///
/// ```
/// use wattkeeper::MicroWh;
/// use wattkeeper::kilowatthours;
///
/// assert_eq!(kilowatthours(MicroWh::new(-1_500_000_001)), "-1.500000001");
/// ```
#[must_use]
pub fn kilowatthours(energy: MicroWh) -> String {
    const ONE: u64 = 1_000_000_000;
    let size = energy.millionths().unsigned_abs();
    let sign = if energy < MicroWh::ZERO { "-" } else { "" };
    let text = format!("{sign}{}.{:09}", size / ONE, size % ONE);
    // There always is a point, so no zeros before it are cut.
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Timestamp;

    const HOUR_MS: i64 = 3_600_000;

    fn contracts() -> Contracts {
        Contracts::parse(
            r#"[{"from":"2026-01-02","name":"Day and night","currency":"EUR","components":[
                {"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}},
                {"fixed":{"name":"standing charge","price":0.42,"per":"day"}},
                {"export":{"price":0.08}},
                {"tax":{"name":"VAT","percent":19}}]}]"#,
        )
        .unwrap()
    }

    fn range(from: &str, to: &str) -> TimeRange {
        let [from, to] = [from, to].map(|date| Timestamp::parse_or_date(date).unwrap());
        TimeRange::new(from, to).unwrap()
    }

    /// A kilowatt, and half of one fed back.
    fn kilowatt(slot: &PriceSlot) -> MeasuredSlot {
        let hours = (slot.to().millis() - slot.from().millis()) / HOUR_MS;
        let flow = Flow {
            imported: MicroWh::new(hours * 1_000_000_000),
            exported: MicroWh::new(hours * 500_000_000),
        };
        MeasuredSlot {
            flow: Some(flow),
            ..MeasuredSlot::default()
        }
    }

    fn statement(
        range: TimeRange,
        measured: impl FnMut(&PriceSlot) -> MeasuredSlot,
    ) -> CostStatement {
        let touched = TouchCount {
            events: 2,
            corrections: 1,
        };
        CostStatement::new(
            &contracts(),
            &Zone::UTC,
            &Announced::default(),
            range,
            touched,
            measured,
        )
    }

    fn text(statement: &CostStatement) -> Vec<String> {
        let row = |row: &StatementRow| row.join(",");
        statement.rows().iter().map(row).collect()
    }

    #[test]
    fn a_statement_is_a_table() {
        // The worked example of docs/HOUSE.md.
        let day = statement(range("2026-01-05", "2026-01-06"), kilowatt);
        let mut table = vec![STATEMENT_COLUMNS.join(",")];
        table.extend(text(&day));
        let document = include_str!("../../docs/HOUSE.md");
        let documented = document.split("```csv\n").nth(1).unwrap();
        let (documented, _) = documented.split_once("\n```").unwrap();
        assert_eq!(table.join("\n"), documented);
        assert_eq!(day.total(), Some(Decimal::parse("8.3062").unwrap()));
        assert!(day.is_complete());
    }

    #[test]
    fn what_is_not_known_costs_what_nobody_knows() {
        let unknown =
            |slot: &PriceSlot| MeasuredSlot::unknown(slot.to().millis() - slot.from().millis());
        let day = statement(range("2026-01-05", "2026-01-06"), unknown);
        assert_eq!(
            (day.total(), day.energy, day.is_complete()),
            (None, None, false)
        );
        let rows = text(&day);
        assert_eq!(
            rows[0],
            "fixed,Day and night,2026-01-02,standing charge,,1,day,0.42,0.42"
        );
        assert_eq!(rows[5], "total,,,,,,,,");
        assert!(rows.contains(&"missing,,,,,100.00,%,,".to_owned()));
        assert!(
            !rows
                .iter()
                .any(|row| row.starts_with("energy") || row.starts_with("imported"))
        );

        // The morning is not known, and the day in part.
        let mut slots = 0;
        let partly = statement(range("2026-01-05", "2026-01-06"), |slot| {
            slots += 1;
            let whole = kilowatt(slot);
            match slots {
                1 => MeasuredSlot::unknown(6 * HOUR_MS),
                2 => MeasuredSlot {
                    estimated_ms: 8 * HOUR_MS,
                    missing_ms: 4 * HOUR_MS,
                    ..whole
                },
                _ => whole,
            }
        });
        let TimeShares {
            measured,
            estimated,
            missing,
        } = partly.coverage();
        assert_eq!(
            [measured, estimated, missing].map(|share| (share * 24.0).round()),
            [6.0, 8.0, 10.0]
        );
        assert!(partly.total().is_some() && !partly.is_complete());
    }

    #[test]
    fn without_a_price_nothing_is_free() {
        // The contract begins on the second.
        let before = statement(range("2026-01-01", "2026-01-02"), kilowatt);
        assert_eq!((before.total(), before.is_complete()), (None, false));
        let rows = text(&before);
        assert!(rows.contains(&"unpriced import,,,,,24,kWh,,".to_owned()));
        assert!(rows.contains(&"unpriced export,,,,,12,kWh,,".to_owned()));
        let both = statement(range("2026-01-01", "2026-01-03"), kilowatt);
        assert!(both.total().is_some() && !both.is_complete());
        let nothing = |_: &PriceSlot| MeasuredSlot {
            flow: Some(Flow::default()),
            ..MeasuredSlot::default()
        };
        let idle = statement(range("2026-01-05", "2026-01-06"), nothing);
        assert_eq!(idle.total(), Some(Decimal::parse("0.4998").unwrap()));
        let empty = CostStatement::new(
            &Contracts::default(),
            &Zone::UTC,
            &Announced::default(),
            range("2026-01-05", "2026-01-06"),
            TouchCount::default(),
            nothing,
        );
        assert_eq!(empty.total(), None);
    }

    proptest! {
        #[test]
        fn kilowatthours_are_exact(energy: i64) {
            let text = kilowatthours(MicroWh::new(energy));
            let digits = text.trim_start_matches('-');
            let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
            let sign = if text.starts_with('-') { -1 } else { 1 };
            let read: i128 = format!("{whole}{decimals:0<9}").parse().unwrap();
            prop_assert_eq!(sign * read, i128::from(energy));
        }
    }
}
