//! A bill in words.

use crate::chart::with_unit;
use crate::domain::{Decimal, LocalDate, MicroWh};
use crate::house::{PricedSide, part_text};
use crate::http::pages::frame::figures;
use crate::ledger::contract::{BillLine, BilledQuantity, Label, LineKind, Period};
use crate::ledger::{AmountGap, CostStatement, Flow, TimeShares, TouchCount};
use crate::texts::Language;

/// The lines of a contract.
pub(super) struct ContractLines {
    pub(super) name: String,
    pub(super) from: LocalDate,
    pub(super) lines: Vec<LineText>,
}

/// A line of the bill.
pub(super) struct LineText {
    pub(super) what: String,
    pub(super) quantity: String,
    pub(super) price: String,
    pub(super) amount: AmountText,
}

/// An amount with all digits, and as displayed.
pub(super) struct AmountText {
    pub(super) exact: String,
    pub(super) shown: String,
}

/// The wording of a bill.
pub(super) struct BillWords<'a> {
    pub(super) language: &'a Language,
    pub(super) currency: &'a str,
}

impl BillWords<'_> {
    pub(super) fn contracts(&self, lines: &[BillLine]) -> Vec<ContractLines> {
        let mut all: Vec<ContractLines> = Vec::new();
        for line in lines {
            let text = self.line(line);
            match all.last_mut() {
                Some(last) if last.from == line.contract_from => last.lines.push(text),
                _ => all.push(ContractLines {
                    name: line.contract.to_string(),
                    from: line.contract_from,
                    lines: vec![text],
                }),
            }
        }
        all
    }

    pub(super) fn line(&self, line: &BillLine) -> LineText {
        let kind = || {
            self.language
                .word("statement-kind", LineKind::as_str(line.kind))
        };
        let name = line.name.as_ref().map_or_else(kind, ToString::to_string);
        LineText {
            what: match &line.part {
                Some(part) => format!("{name}: {}", part_text(part, self.language)),
                None => name,
            },
            quantity: self.quantity(&line.quantity),
            price: match (line.price, &line.quantity) {
                (Some(price), quantity) => self.price(price, quantity),
                // The amount of a peak has no price where steps or years have.
                (
                    None,
                    BilledQuantity::Percent(_) | BilledQuantity::Power(_) | BilledQuantity::None,
                ) => String::new(),
                (None, _) => self.language.say("statement-varies"),
            },
            amount: self.cell(line.amount),
        }
    }

    fn quantity(&self, quantity: &BilledQuantity) -> String {
        match quantity {
            BilledQuantity::Energy(energy) => self.kilowatthours(*energy),
            BilledQuantity::Power(power) => self.in_thousands(*power, "kW"),
            BilledQuantity::Percent(percent) => figures::exact_percent(*percent, self.language),
            BilledQuantity::None => String::new(),
            BilledQuantity::Time(count, period) => {
                let is_whole = count.millionths() % Decimal::ONE.millionths() == 0;
                let decimals = if is_whole { 0 } else { 2 };
                let unit = if *count == Decimal::ONE {
                    self.language.word("statement-one", Period::as_str(*period))
                } else {
                    self.language
                        .word("statement-many", Period::as_str(*period))
                };
                with_unit(count.to_f64(), decimals, &unit, self.language)
            }
        }
    }

    /// The advances paid, and the balance.
    pub(super) fn paid(&self, found: &CostStatement) -> Vec<(String, AmountText)> {
        let bill = &found.bill;
        let language = self.language;
        let paid = bill
            .paid
            .map(|paid| (language.say("statement-paid"), self.amount(paid)));
        let balance = bill.balance().filter(|_| found.total().is_some());
        let balance = balance.map(|balance| {
            let debt = Decimal::from_millionths(balance.millionths().saturating_neg());
            if balance < Decimal::ZERO {
                (language.say("statement-owed"), self.amount(debt))
            } else {
                (language.say("statement-to-receive"), self.amount(balance))
            }
        });
        paid.into_iter().chain(balance).collect()
    }

    /// A price, and the quantity it applies to.
    pub(super) fn price(&self, price: Decimal, quantity: &BilledQuantity) -> String {
        let price = figures::exact_money(price, self.language);
        let unit = match quantity {
            BilledQuantity::Energy(_) => "kWh".to_owned(),
            BilledQuantity::Power(_) => "kW".to_owned(),
            BilledQuantity::Time(_, period) => {
                self.language.word("statement-one", Period::as_str(*period))
            }
            BilledQuantity::Percent(_) | BilledQuantity::None => return price,
        };
        format!("{price}\u{202F}/\u{202F}{unit}")
    }

    pub(super) fn facts(&self, found: &CostStatement) -> Vec<(String, String)> {
        let known = self.known(found.coverage(), found.touched);
        self.flows(found.energy).into_iter().chain(known).collect()
    }

    /// How much is known, and what touches it.
    pub(super) fn known(&self, coverage: TimeShares, touched: TouchCount) -> Vec<(String, String)> {
        let language = self.language;
        let share = |share: f64| share_text(share, language);
        let count =
            |count: usize| figures::count(u64::try_from(count).unwrap_or(u64::MAX), language);
        // Facts without a problem are left out.
        let told = [
            (
                coverage.measured < 1.0,
                language.say("statement-measured"),
                share(coverage.measured),
            ),
            (
                coverage.estimated > 0.0,
                language.say("statement-estimated"),
                share(coverage.estimated),
            ),
            (
                coverage.missing > 0.0,
                language.say("statement-missing"),
                share(coverage.missing),
            ),
            (
                touched.events > 0,
                language.say("statement-events"),
                count(touched.events),
            ),
            (
                touched.corrections > 0,
                language.say("statement-corrections"),
                count(touched.corrections),
            ),
        ];
        let told = told.into_iter();
        told.filter_map(|(is, name, value)| is.then_some((name, value)))
            .collect()
    }

    /// The energy at the grid.
    pub(super) fn flows(&self, energy: Option<Flow>) -> [(String, String); 2] {
        let language = self.language;
        let energy = |of: fn(Flow) -> MicroWh| match energy {
            Some(flow) => self.kilowatthours(of(flow)),
            None => figures::UNKNOWN.to_owned(),
        };
        [
            (
                language.say("statement-imported"),
                energy(|flow| flow.imported),
            ),
            (
                language.say("statement-exported"),
                energy(|flow| flow.exported),
            ),
        ]
    }

    /// The parts of the total, without those that are zero.
    pub(super) fn parts(&self, found: &CostStatement) -> Vec<(String, String)> {
        let language = self.language;
        let parts: [(String, &[LineKind]); 5] = [
            (language.say("compare-energy"), &[LineKind::Energy]),
            (language.say("compare-demand"), &[LineKind::Demand]),
            (language.say("compare-standing"), &LineKind::STANDING),
            // Negative: credits make the total smaller.
            (language.say("compare-credits"), &[LineKind::Export]),
            (language.say("compare-taxes"), &[LineKind::Tax]),
        ];
        let known = parts.into_iter().filter_map(|(name, kinds)| {
            let sum = found.sum(kinds)?;
            let is_told = sum != Decimal::ZERO || kinds.contains(&LineKind::Energy);
            is_told.then(|| (name, self.amount(sum).shown))
        });
        known.collect()
    }

    /// The share of the time that is estimated or missing, of the statement with the least measured
    /// time: some need the energy of more sensors than others.
    pub(super) fn coverage<'s>(
        &self,
        statements: impl Iterator<Item = &'s CostStatement>,
    ) -> String {
        let shares = statements.map(CostStatement::coverage);
        let least = shares.min_by(|a, b| a.measured.total_cmp(&b.measured));
        let Some(least) = least.filter(|least| least.measured < 1.0) else {
            return self.language.say("compare-measured");
        };
        let [estimated, missing] =
            [least.estimated, least.missing].map(|share| figures::share(share, self.language));
        let values = [("estimated", estimated.into()), ("missing", missing.into())];
        self.language.fill("compare-coverage", values)
    }

    pub(super) fn unpriced(&self, flow: Flow) -> String {
        let [imported, exported] = [flow.imported, flow.exported].map(|it| self.kilowatthours(it));
        let values = [("imported", imported.into()), ("exported", exported.into())];
        self.language.fill("statement-unpriced", values)
    }

    /// The gap of an amount, to be shown beside it.
    pub(super) fn without(&self, gap: AmountGap) -> String {
        figures::without(gap, self.language)
    }

    /// An amount with its gap; unknown without an amount.
    pub(super) fn told(&self, amount: Option<Decimal>, gap: Option<AmountGap>) -> String {
        let Some(amount) = amount else {
            return figures::UNKNOWN.to_owned();
        };
        let shown = self.amount(amount).shown;
        gap.map_or(shown.clone(), |gap| {
            format!("{shown} {}", self.without(gap))
        })
    }

    /// The energy of quarters of an hour in which a house counts as it was; `None` without any.
    pub(super) fn left_out(&self, side: &PricedSide) -> Option<String> {
        let (flow, own) = (side.left_out(), side.left_out_own());
        let energies = [flow.imported, flow.exported, own];
        if energies == [MicroWh::ZERO; 3] {
            return None;
        }
        let [imported, exported, own] = energies.map(|it| self.kilowatthours(it));
        let values = [
            ("imported", imported.into()),
            ("exported", exported.into()),
            ("own", own.into()),
        ];
        Some(self.language.fill("savings-left-out", values))
    }

    /// The share of the energy that was read less often than each quarter of an hour; `None` without
    /// any.
    pub(super) fn coarse(&self, side: &PricedSide) -> Option<String> {
        let share = figures::share(side.coarse_share()?, self.language);
        Some(
            self.language
                .fill("savings-coarse", [("share", share.into())]),
        )
    }

    /// The price series that have another currency.
    pub(super) fn other_currency(&self, found: &CostStatement) -> Vec<String> {
        let told = found.other_currency.iter().map(|(series, currency)| {
            let values = [
                ("series", series.to_string().into()),
                ("currency", currency.as_str().into()),
            ];
            self.language.fill("statement-other-currency", values)
        });
        told.collect()
    }

    /// The price series whose prices were converted, and the rates.
    pub(super) fn converted(&self, found: &CostStatement) -> Vec<String> {
        let told = found.converted.iter().map(|it| {
            let rates: Vec<&str> = it.rates.iter().map(Label::as_str).collect();
            let values = [
                ("series", it.series.to_string().into()),
                ("currency", it.currency.as_str().into()),
                ("rates", rates.join(", ").into()),
            ];
            self.language.fill("statement-converted", values)
        });
        told.collect()
    }

    pub(super) fn kilowatthours(&self, energy: MicroWh) -> String {
        self.in_thousands(energy, "kWh")
    }

    fn in_thousands(&self, energy: MicroWh, unit: &str) -> String {
        with_unit(energy.watthours() / 1_000.0, 2, unit, self.language)
    }

    /// An amount in a table, whose header shows the currency.
    pub(super) fn cell(&self, amount: Decimal) -> AmountText {
        AmountText {
            shown: with_unit(amount.to_f64(), 2, "", self.language)
                .trim_end()
                .to_owned(),
            ..self.amount(amount)
        }
    }

    pub(super) fn amount(&self, amount: Decimal) -> AmountText {
        AmountText {
            exact: amount.to_string(),
            shown: figures::money(amount.to_f64(), self.currency, self.language),
        }
    }
}

/// A share of time in percent. A share between nothing and all is never shown as 0 % or 100 %.
fn share_text(share: f64, language: &Language) -> String {
    const LEAST: f64 = 0.000_1;
    let percent = |share: f64| with_unit(share * 100.0, 2, "%", language);
    if share <= 0.0 || share >= 1.0 {
        with_unit(share * 100.0, 0, "%", language)
    } else if share < LEAST {
        format!("< {}", percent(LEAST))
    } else if share > 1.0 - LEAST {
        format!("> {}", percent(1.0 - LEAST))
    } else {
        percent(share)
    }
}
