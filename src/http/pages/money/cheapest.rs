//! `/costs/cheapest`: when a kilowatt-hour is cheapest.

use actix_web::http::StatusCode;
use askama::Template;

use super::contracts::layout;
use crate::chart::Wording;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, Decimal, Timestamp};
use crate::house::{
    CheapestError, CheapestField, CheapestForm, CheapestQuestion, CheapestView, PriceStep,
};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::AccountChip;
use crate::http::pages::frame::response::{ok, render};
use crate::http::pages::frame::{FormProblem, Layout, PageError, PageResult, Visit, figures};

#[derive(Template)]
#[template(path = "money/cheapest.html")]
struct CheapestPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    /// The fields as typed.
    hours: String,
    before: String,
    is_split: bool,
    found: Option<FoundTime>,
    /// Why there is no answer.
    refusal: Option<String>,
    has_contract: bool,
}

/// The cheapest time in words.
struct FoundTime {
    /// When it is; of several pieces, from the first to the last.
    time: String,
    price: String,
    /// Each piece and its price, if there are several.
    pieces: Vec<(String, String)>,
    /// The window and its mean price.
    window: (String, String),
    /// Notes about the prices of the window.
    notes: Vec<String>,
}

/// `GET /costs/cheapest?account=…&hours=…&before=…&split=1`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let mut page = CheapestPage {
        layout: layout(&visit)?,
        accounts: scope.chips("costs/cheapest"),
        account: String::new(),
        hours: visit.param("hours")?,
        before: visit.param("before")?,
        is_split: visit.param("split")? == "1",
        found: None,
        refusal: None,
        has_contract: true,
    };
    if page.hours.is_empty() {
        page.hours = CheapestQuestion::HOURS.to_string();
    }
    let Some(account) = scope.account else {
        return Ok(ok(&page));
    };
    page.account = account.name.to_string();
    let (zone, language) = (account.zone.clone(), visit.language());
    let wording = Wording::new(&zone, language);
    let status = match page.ask(&visit, account).await? {
        Ok(found) => {
            page.found = Some(FoundTime::of(&found, wording));
            StatusCode::OK
        }
        Err(error) => page.refuse(&error, wording)?,
    };
    Ok(render(status, &page))
}

impl CheapestPage {
    /// The answer to the typed fields.
    async fn ask(
        &self,
        visit: &Visit,
        account: Account,
    ) -> Result<Result<CheapestView, CheapestError>, PageError> {
        let form = CheapestForm {
            hours: Some(visit.numbers().plain(&self.hours)),
            before: Some(self.before.clone()).filter(|text| !text.is_empty()),
            start: None,
            is_split: self.is_split,
        };
        let question = match form.question() {
            Ok(question) => question,
            Err(error) => return Ok(Err(error)),
        };
        let (name, now) = (account.name.clone(), visit.app.counted_now());
        let searching = move |store: &_| CheapestView::of(store, &account, &question, now);
        Ok(visit.app.page(&name, Some(MS_PER_DAY), searching).await?)
    }

    /// Says why there is no answer, at the field if one is at fault.
    fn refuse(
        &mut self,
        error: &CheapestError,
        wording: Wording<'_>,
    ) -> Result<StatusCode, PageError> {
        if let CheapestError::Store(error) = error {
            return Err(PageError::from(error.clone()));
        }
        let text = refusal(error, wording);
        let field = match error.field() {
            Some(CheapestField::Hours) => "hours",
            // The page has no field for the start.
            Some(CheapestField::Before | CheapestField::Start) => "before",
            None => {
                self.has_contract = *error != CheapestError::NoContract;
                self.refusal = Some(text);
                return Ok(StatusCode::OK);
            }
        };
        self.layout.problem = Some(FormProblem::new(field, text));
        Ok(StatusCode::UNPROCESSABLE_ENTITY)
    }
}

/// Why there is no answer, as a sentence.
fn refusal(error: &CheapestError, wording: Wording<'_>) -> String {
    let language = wording.language;
    let moment = |time: &Timestamp| wording.date_and_clock(*time);
    let since = |start| [("start", moment(start).into())];
    match error {
        CheapestError::Hours => language.say("cheapest-wrong-hours"),
        CheapestError::Quarters => language.say("cheapest-wrong-quarters"),
        CheapestError::Past(start) => language.fill("cheapest-wrong-past", since(start)),
        CheapestError::TooSoon(start) => language.fill("cheapest-wrong-soon", since(start)),
        CheapestError::TooLate(start) => language.fill("cheapest-wrong-late", since(start)),
        CheapestError::Before | CheapestError::Start | CheapestError::Store(_) => {
            language.say("cheapest-wrong-before")
        }
        CheapestError::NoContract => language.say("statement-no-contract"),
        CheapestError::NoPrices(from, to) => language.fill(
            "cheapest-none",
            [("from", moment(from).into()), ("to", moment(to).into())],
        ),
        CheapestError::TooFewPrices(_, until) => {
            language.fill("cheapest-few", [("time", moment(until).into())])
        }
    }
}

impl FoundTime {
    fn of(found: &CheapestView, wording: Wording<'_>) -> Self {
        let language = wording.language;
        let CheapestView { window, time, .. } = found;
        let (minor, size) = figures::minor_unit(found.currency.as_str(), language);
        let unit = figures::per_kwh(minor);
        let price =
            |price: Decimal| figures::rounded_price(price.to_f64() * size, (size, &unit), language);
        let piece = |piece: &PriceStep| (span(piece.from, piece.to, wording), price(piece.price));
        let pieces = time.pieces.iter().map(piece);
        let ends = time.start().zip(time.end());
        let (start, end) = ends.unwrap_or((window.start, window.end));
        let known_until = found.known_until().map(|until| {
            let until = wording.date_and_clock(until);
            language.fill("cheapest-until", [("time", until.into())])
        });
        let equal = found.known.are_equal;
        let equal = equal.then(|| language.say("cheapest-equal"));
        Self {
            time: span(start, end, wording),
            price: price(time.mean),
            pieces: pieces.filter(|_| time.pieces.len() > 1).collect(),
            window: (
                span(window.start, window.end, wording),
                price(found.known.mean),
            ),
            notes: equal.into_iter().chain(known_until).collect(),
        }
    }
}

/// A time in words; its end with a date if that is another one.
fn span(from: Timestamp, to: Timestamp, wording: Wording<'_>) -> String {
    let end = wording.when(to, from);
    format!("{} \u{2013} {end}", wording.moment(from))
}
