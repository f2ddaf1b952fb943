//! The page of priced sides: the costs of a range, side by side. `compare` and `savings` are two of
//! them.

use actix_web::HttpResponse;
use askama::Template;

use super::bill_words::BillWords;
use super::billed_days::BilledDays;
use super::contracts::layout;
use super::statement::lines_address;
use crate::chart::SmallBars;
use crate::domain::{Account, Currency, Decimal, Interval, LocalDate, Timestamp};
use crate::house::{PricedMonth, PricedSide, PricedSides};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::range::{
    AskedRange, RangeCalendar, RangeChoice, RangeRules, ShownRange,
};
use crate::http::pages::frame::response::{ok, render};
use crate::http::pages::frame::{Layout, PageError, Visit, figures};
use crate::ledger::Flow;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "money/sides.html")]
pub(super) struct SidesPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The last part of its address, and its title.
    room: &'static str,
    title: String,
    /// `None` without an account.
    shown: Option<SidesView>,
}

/// The sides of an account.
pub(super) struct SidesView {
    pub(super) days: BilledDays,
    /// Why there are none, and whether that is for want of a contract.
    pub(super) problem: Option<(String, bool)>,
    /// The heads of the columns, of which the first one is that of the names.
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<SideView>,
    /// What it assumes, and how much of the time is measured.
    pub(super) assumes: String,
    /// What is to be known besides.
    pub(super) warnings: Vec<String>,
    /// What else there is: a sentence, a name and an address.
    pub(super) next: Option<[String; 3]>,
}

/// A house by some contracts, or without some part.
pub(super) struct SideView {
    name: String,
    is_present: bool,
    /// Whether some of its energy has no price, or all of it is unknown.
    is_incomplete: bool,
    /// The address of its lines.
    lines: String,
    /// The total and what a page shows beside it.
    cells: Vec<String>,
    /// The energy at the grid, and the parts of the total.
    facts: Vec<(String, String)>,
    /// What is not known of it.
    warnings: Vec<String>,
    /// The months: their title, a picture, and in words below the heads of their columns.
    months_title: String,
    picture: String,
    month_heads: Vec<String>,
    months: Vec<Vec<String>>,
}

/// What a page says of a side.
pub(super) struct SideText {
    pub(super) name: String,
    /// The name and the value that lead to its lines; `None` for the contracts in force.
    pub(super) lines: Option<(&'static str, String)>,
    /// The columns behind the total.
    pub(super) cells: Vec<String>,
    /// The facts before the parts of the total.
    pub(super) facts: Vec<(String, String)>,
}

/// The months of the sides of a page.
pub(super) struct SideMonths {
    pub(super) title: String,
    /// The amount that the picture has.
    pub(super) drawn: fn(&PricedMonth) -> Option<Decimal>,
    /// The columns behind the month, and their heads if there are several.
    pub(super) amounts: Vec<fn(&PricedMonth) -> Option<Decimal>>,
    pub(super) heads: Vec<String>,
    /// Whether the house as it was has them, too.
    pub(super) of_present: bool,
}

/// What a page is asked: an account, and a range of it.
pub(super) struct AskedSides {
    page: SidesPage,
    asked: AskedRange,
    pub(super) account: Account,
    pub(super) choice: RangeChoice,
    pub(super) calendar: RangeCalendar,
    pub(super) days: ShownRange,
    pub(super) now: Timestamp,
}

impl AskedSides {
    /// The question of a visit; the page without an account as an error.
    pub(super) fn read(
        visit: &Visit,
        room: &'static str,
        title: fn(&Language) -> String,
    ) -> Result<Result<Self, SidesPage>, PageError> {
        let scope = AccountScope::read(visit)?;
        let layout = layout(visit)?;
        let page = SidesPage {
            title: title(layout.language),
            layout,
            accounts: scope.chips(&format!("costs/{room}")),
            room,
            shown: None,
        };
        let Some(account) = scope.account else {
            return Ok(Err(page));
        };
        let asked = RangeRules::COMPARED.asked(visit, &account.zone)?;
        let (choice, calendar) = (asked.choice, RangeCalendar::of(visit, &account));
        Ok(Ok(Self {
            days: calendar.shown(choice),
            now: visit.app.counted_now(),
            page,
            asked,
            account,
            choice,
            calendar,
        }))
    }

    pub(super) const fn language(&self) -> &'static Language {
        self.page.layout.language
    }

    /// Whether the visitor may enter things.
    pub(super) const fn may_change(&self) -> bool {
        self.page.layout.may.change
    }

    /// The view without sides; readings are known until `known`.
    pub(super) fn view(&self, known: Option<Timestamp>) -> SidesView {
        let address = format!("costs/{}", self.page.room);
        let page = |choice| lines_address(&address, (&self.account, choice), None);
        let rules = (RangeRules::COMPARED, self.choice, &self.calendar);
        SidesView {
            days: BilledDays::of(&self.account, rules, (&self.days, known), page),
            problem: None,
            columns: Vec::new(),
            rows: Vec::new(),
            assumes: String::new(),
            warnings: Vec::new(),
            next: None,
        }
    }

    /// The rows of sides, each with its text.
    pub(super) fn rows<N>(
        &self,
        found: &PricedSides<N>,
        months: &SideMonths,
        text: impl Fn(&BillWords<'_>, &N, &PricedSide) -> SideText,
    ) -> Vec<SideView> {
        let bill = self.bill(&found.currency);
        let all = found.sides.iter().flat_map(|(_, side)| &side.months);
        let drawn = all.filter_map(|month| (months.drawn)(month).map(Decimal::to_f64));
        let ends = drawn.fold((0.0_f64, 0.0_f64), |(least, most), amount| {
            (least.min(amount), most.max(amount))
        });
        let sides = found.sides.iter();
        let row = |(name, side): &(N, PricedSide)| {
            let text = text(&bill, name, side);
            self.row(&bill, side, text, (months, ends))
        };
        sides.map(row).collect()
    }

    /// The words of amounts.
    pub(super) fn bill<'a>(&self, currency: &'a Currency) -> BillWords<'a> {
        BillWords {
            language: self.language(),
            currency: currency.as_str(),
        }
    }

    fn row(
        &self,
        bill: &BillWords<'_>,
        side: &PricedSide,
        text: SideText,
        (months, ends): (&SideMonths, (f64, f64)),
    ) -> SideView {
        let money = |amount: Option<Decimal>| {
            let shown = amount.map(|amount| bill.amount(amount).shown);
            shown.unwrap_or_else(|| figures::UNKNOWN.to_owned())
        };
        let statement = &side.statement;
        let is_present = text.lines.is_none();
        let shown = side
            .months
            .iter()
            .filter(|_| months.of_present || !is_present);
        let (mut bars, mut rows) = (Vec::new(), Vec::new());
        for month in shown {
            let name = self.month(month.first);
            let drawn = (months.drawn)(month);
            bars.push((
                drawn.map(Decimal::to_f64),
                format!("{name}: {}", money(drawn)),
            ));
            let amounts = months.amounts.iter().map(|amount| money(amount(month)));
            rows.push([name].into_iter().chain(amounts).collect());
        }
        let words = format!("{}: {}", months.title, text.name);
        let picture = SmallBars {
            bars: &bars,
            ends,
            words: &words,
        };
        let unpriced = statement.bill.unpriced;
        let incomplete = if statement.energy.is_none() {
            Some(self.language().say("statement-unknown"))
        } else {
            (unpriced != Flow::default()).then(|| bill.unpriced(unpriced))
        };
        let lines = text
            .lines
            .as_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let total = bill.told(statement.total(), statement.gap());
        SideView {
            is_present,
            is_incomplete: !side.is_priced(),
            lines: lines_address("costs", (&self.account, self.choice), lines),
            cells: [total].into_iter().chain(text.cells).collect(),
            facts: text
                .facts
                .into_iter()
                .chain(bill.parts(statement))
                .collect(),
            warnings: incomplete
                .into_iter()
                .chain(bill.left_out(side))
                .chain(bill.coarse(side))
                .collect(),
            months_title: months.title.clone(),
            picture: picture.draw(),
            month_heads: months.heads.clone(),
            months: rows,
            name: text.name,
        }
    }

    fn month(&self, first: LocalDate) -> String {
        let start = first.start(&self.account.zone);
        let wording = self.calendar.wording();
        wording.bucket_name(start, Interval::Month)
    }

    /// The page with its view.
    pub(super) fn show(self, mut view: SidesView) -> HttpResponse {
        let mut page = self.page;
        let status = self.asked.show_again(&mut view.days.ends, &mut page.layout);
        page.shown = Some(view);
        render(status, &page)
    }
}

impl SidesPage {
    /// The page of somebody without an account.
    pub(super) fn show_empty(&self) -> HttpResponse {
        ok(self)
    }
}
