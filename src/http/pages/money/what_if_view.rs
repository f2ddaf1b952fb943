//! A "what if" in words.

use super::bill_words::{BillWords, ContractLines};
use super::contracts::day;
use super::statement::lines_address;
use crate::chart::{SmallBars, with_unit};
use crate::domain::{Account, Currency, Decimal, Interval, LocalDate, MicroWh};
use crate::house::{BatteryRule, PaybackReason, PricedSide, SizedHouse, WhatIf, WhatIfAssumption};
use crate::http::pages::frame::figures;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, ShownRange};
use crate::ledger::Flow;
use crate::texts::Language;

/// A name, and two values.
type ThreeTexts = (String, String, String);

/// The answer of an account.
pub(super) struct WhatIfView {
    pub(super) dates: String,
    /// The end of the range so far, if it is not over.
    pub(super) until: Option<String>,
    /// The address of the statement of the range.
    pub(super) statement: String,
    pub(super) has_contract: bool,
    pub(super) has_changed: bool,
    /// The name of a number, and how it was and would have been.
    pub(super) rows: Vec<ThreeTexts>,
    /// The savings.
    pub(super) saved: Vec<(String, String)>,
    /// The batteries by size: a picture, and in numbers.
    pub(super) picture: String,
    pub(super) sizes: Vec<SizeView>,
    pub(super) has_price: bool,
    /// The totals of the months, as they were and would have been.
    pub(super) months: Vec<ThreeTexts>,
    /// The lines of the statement as it would have been.
    pub(super) contracts: Vec<ContractLines>,
    pub(super) currency: String,
    pub(super) assumes: Vec<String>,
    /// The share of the time that is estimated or missing, in a sentence.
    pub(super) coverage: String,
    pub(super) unpriced: Option<String>,
    /// What the new battery would have given beside the house's own.
    pub(super) replayed: Option<String>,
    /// Why nothing is said about a year, and which days the savings are of.
    pub(super) no_year: Option<String>,
    /// The energy that counts as it was.
    pub(super) left_out: Option<String>,
    /// The energy that was read less often than each quarter of an hour, and what that may change.
    pub(super) coarse: Option<String>,
}

/// A size of a battery.
pub(super) struct SizeView {
    pub(super) size: String,
    pub(super) saved: String,
    pub(super) sufficiency: String,
    pub(super) cycles: String,
    pub(super) payback: String,
}

/// The wording of an answer.
pub(super) struct WhatIfWords<'a> {
    pub(super) language: &'static Language,
    pub(super) account: &'a Account,
    pub(super) choice: RangeChoice,
    pub(super) calendar: &'a RangeCalendar,
}

/// An energy of a house.
type EnergyOf<'a> = dyn Fn(&PricedSide) -> Option<MicroWh> + 'a;

impl WhatIfWords<'_> {
    pub(super) fn view(&self, days: &ShownRange, found: &WhatIf) -> WhatIfView {
        let language = self.language;
        let [first, last] = self.calendar.dates(&days.range);
        let [from, to] = [first, last].map(|date| day(date, language));
        let currency = found.present.statement.currency.as_ref();
        let currency = currency.map_or("", Currency::as_str);
        let bill = BillWords { language, currency };
        let changed = found.changed.as_ref();
        let told = changed.unwrap_or(&found.present);
        let unpriced = told.statement.bill.unpriced;
        let end = found.range.end();
        WhatIfView {
            dates: language.fill(
                "contract-from-to",
                [("from", from.into()), ("to", to.into())],
            ),
            until: (end < days.range.end).then(|| {
                let end = self.calendar.wording().date_and_clock(end);
                language.fill("statement-so-far", [("time", end.into())])
            }),
            statement: lines_address("costs", (self.account, self.choice), None),
            has_contract: !currency.is_empty(),
            has_changed: changed.is_some(),
            rows: self.rows(&bill, found),
            saved: self.saved(&bill, found),
            picture: self.picture(&bill, found),
            sizes: self.sizes(&bill, found),
            has_price: found.price_per_kwh.is_some(),
            months: self.months(&bill, found),
            contracts: changed.map_or_else(Vec::new, |it| bill.contracts(&it.statement.bill.lines)),
            currency: figures::currency_sign(currency).to_owned(),
            assumes: self.assumes(found),
            coverage: bill.coverage([&told.statement].into_iter()),
            unpriced: (unpriced != Flow::default()).then(|| bill.unpriced(unpriced)),
            no_year: found.no_year.map(|reason| self.no_year(reason, found)),
            left_out: bill.left_out(found.told()),
            coarse: self.coarse(&bill, found),
            replayed: found.replayed_more().map(|more| {
                let share = with_unit(100.0 * more, 1, "%", language);
                let share = if more > 0.0 {
                    format!("+{share}")
                } else {
                    share
                };
                language.fill("what-if-replayed", [("share", share.into())])
            }),
        }
    }

    fn coarse(&self, bill: &BillWords<'_>, found: &WhatIf) -> Option<String> {
        let share = bill.coarse(found.told())?;
        let Some(saved) = found.saved_at_rest() else {
            return Some(share);
        };
        let saved = [("saved", bill.amount(saved).shown.into())];
        let at_rest = self.language.fill("what-if-at-rest", saved);
        Some(format!("{share} {at_rest}"))
    }

    fn no_year(&self, reason: PaybackReason, found: &WhatIf) -> String {
        let language = self.language;
        let why = match reason {
            PaybackReason::FewMonths => language.say("what-if-no-year-few-months"),
            _ => language.say("what-if-no-year-incomplete"),
        };
        let months = &found.told().months;
        let known = months.iter().filter(|month| month.more.is_some());
        let mut known = known.map(|month| month.first);
        let Some(first) = known.next() else {
            return why;
        };
        let last = known.next_back().unwrap_or(first);
        let [from, to] = [first, last].map(|month| self.month(month));
        let days = self.number(found.known_days(), 0);
        let known = if from == to {
            let values = [("days", days.into()), ("from", from.into())];
            language.fill("what-if-known-in", values)
        } else {
            let values = [
                ("days", days.into()),
                ("from", from.into()),
                ("to", to.into()),
            ];
            language.fill("what-if-known", values)
        };
        format!("{why} {known}")
    }

    /// The numbers of both houses. Those that are nothing in both are left out.
    fn rows(&self, bill: &BillWords<'_>, found: &WhatIf) -> Vec<ThreeTexts> {
        let language = self.language;
        let sides = [Some(&found.present), found.changed.as_ref()];
        let each = |text: &dyn Fn(&PricedSide) -> String| {
            sides.map(|side| side.map_or_else(String::new, text))
        };
        let total = each(&|side| bill.told(side.statement.total(), side.statement.gap()));
        let mut rows = vec![row(language.say("statement-total"), total)];
        let used = |side: &PricedSide| found.used(side);
        let energies: [(String, &EnergyOf); 6] = [
            (language.say("statement-imported"), &|it| {
                Some(it.at_grid()?.imported)
            }),
            (language.say("statement-exported"), &|it| {
                Some(it.at_grid()?.exported)
            }),
            (language.say("forecast-used"), &used),
            (language.say("what-if-produced"), &|it| it.energy?.produced),
            (language.say("what-if-charged"), &|it| it.energy?.charged),
            (language.say("what-if-discharged"), &|it| {
                it.energy?.discharged
            }),
        ];
        for (name, of) in energies {
            let mut known = sides.iter().flatten().copied().map(of);
            if known.all(|energy| energy == Some(MicroWh::ZERO)) {
                continue;
            }
            let texts = each(&|side| {
                let energy = of(side).map(MicroWh::watthours);
                energy.map_or_else(unknown, |energy| figures::energy(energy, language))
            });
            rows.push(row(name, texts));
        }
        let share = each(&|side| self.share(found, side));
        rows.push(row(language.say("what-if-sufficiency"), share));
        rows
    }

    fn share(&self, found: &WhatIf, side: &PricedSide) -> String {
        let share = found.self_sufficiency(side);
        share.map_or_else(unknown, |share| figures::share(share, self.language))
    }

    fn saved(&self, bill: &BillWords<'_>, found: &WhatIf) -> Vec<(String, String)> {
        let language = self.language;
        let Some(changed) = &found.changed else {
            return Vec::new();
        };
        let saved = found.present.more_than(changed);
        let a_year = saved.and_then(|saved| found.in_a_year(saved, changed));
        let money = |amount: Option<Decimal>| {
            amount.map_or_else(unknown, |amount| bill.amount(amount).shown)
        };
        let mut rows = vec![(language.say("what-if-saved"), money(saved))];
        if found.no_year.is_none() {
            rows.push((language.say("what-if-saved-year"), money(a_year)));
        }
        if let Some(rule) = found.rule() {
            let rule = language.word("what-if-rule", BatteryRule::as_str(rule));
            rows.push((language.say("what-if-rule"), rule));
        }
        rows
    }

    /// The savings by each size of a battery: in a year, or in the known days.
    fn saved_by_size(
        found: &WhatIf,
    ) -> impl Iterator<Item = (MicroWh, &PricedSide, Option<Decimal>)> {
        let without = found.sizes.first().map(|it| &it.side);
        found
            .sizes
            .iter()
            .map(move |SizedHouse { size, side, .. }| {
                let saved = without.and_then(|without| without.more_than(side));
                let saved = match found.no_year {
                    None => saved.and_then(|saved| found.in_a_year(saved, side)),
                    Some(_) => saved,
                };
                (*size, side, saved)
            })
    }

    fn picture(&self, bill: &BillWords<'_>, found: &WhatIf) -> String {
        let bars = Self::saved_by_size(found).map(|(size, _, saved)| {
            let words = saved.map_or_else(unknown, |saved| bill.amount(saved).shown);
            (
                saved.map(Decimal::to_f64),
                format!("{}: {words}", self.size(size)),
            )
        });
        let bars: Vec<_> = bars.collect();
        if bars.is_empty() {
            return String::new();
        }
        let known = bars.iter().filter_map(|(saved, _)| *saved);
        let ends = known.fold((0.0_f64, 0.0_f64), |(least, most), saved| {
            (least.min(saved), most.max(saved))
        });
        let words = match found.no_year {
            None => self.language.say("what-if-picture"),
            Some(_) => self.language.say("what-if-picture-known"),
        };
        SmallBars {
            bars: &bars,
            ends,
            words: &words,
        }
        .draw()
    }

    fn sizes(&self, bill: &BillWords<'_>, found: &WhatIf) -> Vec<SizeView> {
        let view = |(size, side, saved): (MicroWh, &PricedSide, Option<Decimal>)| {
            let cycles = found.cycles_a_year(size, side);
            let a_year = saved.filter(|_| found.no_year.is_none());
            let years = found.payback_years(size, a_year);
            SizeView {
                size: self.size(size),
                saved: saved.map_or_else(unknown, |saved| bill.amount(saved).shown),
                sufficiency: self.share(found, side),
                cycles: cycles.map_or_else(unknown, |it| self.number(it, 0)),
                payback: years.map_or_else(unknown, |years| {
                    let years = self.number(years, 1);
                    self.language
                        .fill("what-if-years", [("years", years.into())])
                }),
            }
        };
        Self::saved_by_size(found).map(view).collect()
    }

    fn number(&self, number: f64, decimals: usize) -> String {
        let text = with_unit(number, decimals, "", self.language);
        text.trim_end().to_owned()
    }

    fn size(&self, size: MicroWh) -> String {
        let kilowatthours = size.watthours() / 1_000.0;
        let decimals = if kilowatthours.fract() == 0.0 { 0 } else { 2 };
        with_unit(kilowatthours, decimals, "kWh", self.language)
    }

    fn months(&self, bill: &BillWords<'_>, found: &WhatIf) -> Vec<ThreeTexts> {
        let Some(changed) = &found.changed else {
            return Vec::new();
        };
        let money = |amount: Option<Decimal>| {
            amount.map_or_else(unknown, |amount| bill.amount(amount).shown)
        };
        let both = found.present.months.iter().zip(&changed.months);
        let months = both.map(|(present, changed)| {
            let told = changed.more.and(changed.total);
            row(self.month(present.first), [present.total, told].map(money))
        });
        months.collect()
    }

    fn month(&self, first: LocalDate) -> String {
        let start = first.start(&self.account.zone);
        self.calendar.wording().bucket_name(start, Interval::Month)
    }

    fn assumes(&self, found: &WhatIf) -> Vec<String> {
        let all = found.assumptions().into_iter();
        all.map(|it| {
            let language = self.language;
            language.word("what-if-assumes", WhatIfAssumption::as_str(it))
        })
        .collect()
    }
}

fn row(name: String, [present, changed]: [String; 2]) -> ThreeTexts {
    (name, present, changed)
}

fn unknown() -> String {
    figures::UNKNOWN.to_owned()
}
