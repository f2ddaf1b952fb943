//! `/costs/savings`: the cost of a range as it was, and without the panels and the battery.

use askama::Template;

use super::bill_words::BillWords;
use super::billed_days::BilledDays;
use super::contracts::{day, layout};
use super::statement::lines_address;
use crate::chart::SmallBars;
use crate::domain::{Account, Decimal, Interval, LocalDate};
use crate::house::{HouseSavings, HouseWithout, SavedSide, SavingsError, savings};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeRules, ShownRange};
use crate::http::pages::frame::response::{ok, render};
use crate::http::pages::frame::{Layout, PageResult, Visit, figures};
use crate::ledger::Flow;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/savings.html")]
struct SavingsPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// `None` without an account.
    shown: Option<SavingsView>,
}

/// The savings of an account.
struct SavingsView {
    days: BilledDays,
    /// Why nothing is known.
    problem: Option<String>,
    has_contract: bool,
    /// The share of the time that is estimated or missing, in a sentence.
    coverage: String,
    measures_export: bool,
    /// Whether it has panels and a battery.
    has_both: bool,
    rows: Vec<SavedView>,
}

/// A house as it was, or as it would have been.
struct SavedView {
    name: String,
    is_present: bool,
    /// The address of its lines.
    lines: String,
    total: String,
    saved: String,
    /// The energy at the grid, and the parts of the total.
    facts: Vec<(String, String)>,
    /// The savings in each month: a picture, and in words with the total.
    picture: String,
    months: Vec<[String; 3]>,
    /// The energy that has no price.
    unpriced: Option<String>,
    /// The energy that counts as it was.
    left_out: Option<String>,
}

/// `GET /costs/savings`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = SavingsPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/savings"),
        shown: None,
    };
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    let asked = RangeRules::COMPARED.asked(&visit, &account.zone)?;
    let (choice, calendar) = (asked.choice, RangeCalendar::of(&visit, &account));
    let days = calendar.shown(choice);
    let (of, range, now) = (account.clone(), days.range.clone(), visit.app.counted_now());
    let found = visit.report(&account.name, move |store| savings(store, &of, range, now));
    let found = match found.await? {
        Err(SavingsError::Store(error)) => return Err(error.into()),
        found => found,
    };
    let words = SavingsWords {
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

/// The name of a house.
pub(super) fn house_name(without: Option<HouseWithout>, language: &Language) -> String {
    match without {
        Some(parts) => language.word("savings-without", HouseWithout::as_str(parts)),
        None => language.say("savings-present"),
    }
}

/// The wording of savings.
struct SavingsWords<'a> {
    language: &'static Language,
    account: &'a Account,
    choice: RangeChoice,
    calendar: &'a RangeCalendar,
}

impl SavingsWords<'_> {
    fn view(&self, days: &ShownRange, found: &Result<HouseSavings, SavingsError>) -> SavingsView {
        let language = self.language;
        let page = |choice| lines_address("costs/savings", (self.account, choice), None);
        let known = found.as_ref().ok();
        let end = known.map(|known| known.range.end());
        let rules = (RangeRules::COMPARED, self.choice, self.calendar);
        let bill = BillWords {
            language,
            currency: known.map_or("", |known| known.currency.as_str()),
        };
        let statements = known.map(|known| known.sides.iter().map(|side| &side.statement));
        SavingsView {
            days: BilledDays::of(self.account, rules, (days, end), page),
            problem: found.as_ref().err().map(|error| self.problem(error)),
            has_contract: !matches!(found, Err(SavingsError::NoContract(None))),
            coverage: statements.map_or_else(String::new, |all| bill.coverage(all)),
            measures_export: known.is_none_or(|known| known.measures_export),
            has_both: known.is_some_and(|known| {
                let mut sides = known.sides.iter();
                sides.any(|side| side.without == Some(HouseWithout::Both))
            }),
            rows: known.map_or_else(Vec::new, |known| self.rows(&bill, known)),
        }
    }

    fn problem(&self, error: &SavingsError) -> String {
        let language = self.language;
        match error {
            SavingsError::NoContract(None) => language.say("savings-no-contract"),
            SavingsError::NoContract(Some(first)) => {
                let from = [("from", day(*first, language).into())];
                language.fill("compare-before-contract", from)
            }
            SavingsError::NoPart(_) => language.say("savings-no-part"),
            SavingsError::TooMany => language.say("savings-too-many"),
            SavingsError::Store(error) => error.to_string(),
        }
    }

    fn rows(&self, bill: &BillWords<'_>, found: &HouseSavings) -> Vec<SavedView> {
        let months = found.sides.iter().flat_map(|side| &side.months);
        let saved = months.filter_map(|month| month.saved.map(Decimal::to_f64));
        let ends = saved.fold((0.0_f64, 0.0_f64), |(least, most), saved| {
            (least.min(saved), most.max(saved))
        });
        let sides = found.sides.iter();
        sides.map(|side| self.row(bill, side, ends)).collect()
    }

    fn row(&self, bill: &BillWords<'_>, side: &SavedSide, ends: (f64, f64)) -> SavedView {
        let language = self.language;
        let money = |amount: Option<Decimal>| {
            let shown = amount.map(|amount| bill.amount(amount).shown);
            shown.unwrap_or_else(|| figures::UNKNOWN.to_owned())
        };
        let name = house_name(side.without, language);
        let months = side.months.iter();
        let months = months.map(|month| {
            let amounts = [month.total, month.saved].map(money);
            let [total, saved] = amounts;
            [self.month(month.first), total, saved]
        });
        let months: Vec<[String; 3]> = months.collect();
        let bars = side.months.iter().zip(&months);
        let bars = bars.map(|(month, [name, _, saved])| {
            (month.saved.map(Decimal::to_f64), format!("{name}: {saved}"))
        });
        let bars: Vec<_> = bars.collect();
        let words = format!("{}: {name}", language.say("savings-months"));
        let picture = SmallBars {
            bars: &bars,
            ends,
            words: &words,
        };
        let statement = &side.statement;
        let unpriced = Some(statement.bill.unpriced).filter(|flow| *flow != Flow::default());
        let lines = side
            .without
            .map(|parts| ("without", HouseWithout::as_str(parts)));
        let is_present = side.without.is_none();
        SavedView {
            is_present,
            lines: lines_address("costs", (self.account, self.choice), lines),
            total: bill.told(statement.total(), statement.gap()),
            // The house as it was saved nothing beside itself.
            saved: money(side.saved.filter(|_| !is_present)),
            facts: bill
                .flows(side.energy())
                .into_iter()
                .chain(bill.parts(statement))
                .collect(),
            picture: picture.draw(),
            months,
            unpriced: unpriced.map(|flow| bill.unpriced(flow)),
            left_out: bill.left_out(side.left_out),
            name,
        }
    }

    fn month(&self, first: LocalDate) -> String {
        let start = first.start(&self.account.zone);
        let wording = self.calendar.wording();
        wording.bucket_name(start, Interval::Month)
    }
}
