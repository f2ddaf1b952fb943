//! `/costs/compare`: the cost of a range by the contracts and by each offer.

use askama::Template;

use super::bill_words::BillWords;
use super::billed_days::BilledDays;
use super::contracts::{day, layout};
use super::statement::lines_address;
use crate::chart::{SmallBars, with_unit};
use crate::domain::{Account, Decimal, Interval, LocalDate};
use crate::house::{CompareError, ComparedSide, ContractComparison, compare};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules, ShownRange};
use crate::http::pages::frame::response::{ok, render};
use crate::http::pages::frame::{Layout, PageResult, Visit, figures};
use crate::ledger::contract::Label;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/compare.html")]
struct ComparePage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// `None` without an account.
    shown: Option<CompareView>,
}

/// The comparison of an account.
struct CompareView {
    days: BilledDays,
    /// Why nothing is compared.
    problem: Option<String>,
    has_contract: bool,
    /// The share of the time that is estimated or missing, in a sentence.
    coverage: String,
    rows: Vec<SideView>,
    /// The names of offers in another currency.
    left_out: Option<String>,
}

/// The contracts in force, or an offer.
struct SideView {
    name: String,
    is_present: bool,
    /// The address of its lines.
    lines: String,
    total: String,
    difference: String,
    mean: String,
    /// The parts of the total.
    facts: Vec<(String, String)>,
    /// The totals of the months: a picture, and in words.
    picture: String,
    months: Vec<(String, String)>,
    /// The energy that has no price.
    incomplete: Option<String>,
}

/// `GET /costs/compare`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = ComparePage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/compare"),
        shown: None,
    };
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    let asked = RangeRules::COMPARED.asked(&visit, &account.zone)?;
    let (choice, calendar) = (asked.choice, RangeCalendar::of(&visit, &account));
    let days = calendar.shown(choice);
    let (of, range, now) = (account.clone(), days.range.clone(), visit.app.counted_now());
    let found = visit.report(&account.name, move |store| compare(store, &of, range, now));
    let found = match found.await? {
        Err(CompareError::Store(error)) => return Err(error.into()),
        found => found,
    };
    let words = CompareWords {
        language: page.layout.language,
        account: &account,
        choice,
        calendar: &calendar,
    };
    let mut shown = words.view(&days, &found);
    let status = asked.show_again(&mut shown.days.ends, &mut page.layout);
    page.shown = Some(shown);
    Ok(render(status, &page))
}

/// The wording of a comparison.
struct CompareWords<'a> {
    language: &'static Language,
    account: &'a Account,
    choice: RangeChoice,
    calendar: &'a RangeCalendar,
}

impl CompareWords<'_> {
    fn view(
        &self,
        days: &ShownRange,
        found: &Result<ContractComparison, CompareError>,
    ) -> CompareView {
        let language = self.language;
        let page = |choice| lines_address("costs/compare", (self.account, choice), None);
        let known = found.as_ref().ok();
        let end = known.map(|known| known.range.end());
        let rules = (RangeRules::COMPARED, self.choice, self.calendar);
        let left_out = known.map(|known| {
            let names = known.left_out.iter().map(ToString::to_string);
            names.collect::<Vec<String>>().join(", ")
        });
        let left_out = left_out.filter(|names| !names.is_empty());
        let bill = BillWords {
            language,
            currency: known.map_or("", |known| known.currency.as_str()),
        };
        let statements = known.map(|known| known.sides.iter().map(|side| &side.statement));
        CompareView {
            days: BilledDays::of(self.account, rules, (days, end), page),
            problem: found.as_ref().err().map(|error| self.problem(error)),
            has_contract: !matches!(found, Err(CompareError::NoContract(None))),
            coverage: statements.map_or_else(String::new, |all| bill.coverage(all)),
            rows: known.map_or_else(Vec::new, |known| self.rows(&bill, known)),
            left_out: left_out
                .map(|names| language.fill("compare-left-out", [("names", names.into())])),
        }
    }

    fn problem(&self, error: &CompareError) -> String {
        let language = self.language;
        match error {
            CompareError::NoContract(None) => language.say("compare-no-contract"),
            CompareError::NoContract(Some(first)) => {
                let from = [("from", day(*first, language).into())];
                language.fill("compare-before-contract", from)
            }
            CompareError::TooMany => language.say("compare-too-many"),
            CompareError::Store(error) => error.to_string(),
        }
    }

    fn rows(&self, bill: &BillWords<'_>, found: &ContractComparison) -> Vec<SideView> {
        let months = found.sides.iter().flat_map(|side| &side.months);
        let totals = months.filter_map(|(_, total)| total.map(Decimal::to_f64));
        let ends = totals.fold((0.0_f64, 0.0_f64), |(least, most), total| {
            (least.min(total), most.max(total))
        });
        let sides = found.sides.iter();
        sides.map(|side| self.row(bill, side, ends)).collect()
    }

    fn row(&self, bill: &BillWords<'_>, side: &ComparedSide, ends: (f64, f64)) -> SideView {
        let language = self.language;
        let unknown = || figures::UNKNOWN.to_owned();
        let money = |amount: Decimal| bill.amount(amount).shown;
        let name = match &side.offer {
            Some(name) => name.to_string(),
            None => language.say("compare-present"),
        };
        let offer = side.offer.as_ref().map(Label::as_str);
        let bars = side.months.iter().map(|(first, total)| {
            let month = self.month(*first);
            let words = total.map_or_else(unknown, money);
            (total.map(Decimal::to_f64), format!("{month}: {words}"))
        });
        let bars: Vec<_> = bars.collect();
        let words = format!("{}: {name}", language.say("compare-months"));
        let picture = SmallBars {
            bars: &bars,
            ends,
            words: &words,
        };
        let months = side.months.iter().map(|(first, total)| {
            let words = total.map_or_else(unknown, money);
            (self.month(*first), words)
        });
        SideView {
            is_present: offer.is_none(),
            lines: lines_address(
                "costs",
                (self.account, self.choice),
                offer.map(|name| ("offer", name)),
            ),
            total: bill.told(side.statement.total(), side.statement.gap()),
            difference: match side.difference {
                Some(more) if more > Decimal::ZERO => format!("+{}", money(more)),
                Some(less) => money(less),
                None => unknown(),
            },
            // The header of the table names the unit.
            mean: side.mean_price().map_or_else(unknown, |price| {
                let sign = figures::currency_sign(bill.currency);
                with_unit(price.to_f64(), 4, sign, language)
            }),
            facts: bill.parts(&side.statement),
            picture: picture.draw(),
            months: months.collect(),
            incomplete: self.incomplete(bill, side),
            name,
        }
    }

    fn incomplete(&self, bill: &BillWords<'_>, side: &ComparedSide) -> Option<String> {
        if side.is_complete() {
            return None;
        }
        if side.statement.energy.is_none() {
            return Some(self.language.say("statement-unknown"));
        }
        Some(bill.unpriced(side.statement.bill.unpriced))
    }

    fn month(&self, first: LocalDate) -> String {
        let start = first.start(&self.account.zone);
        let wording = self.calendar.wording();
        wording.bucket_name(start, Interval::Month)
    }
}
