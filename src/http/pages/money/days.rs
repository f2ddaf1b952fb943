//! `/costs/days`: the day lists of an account, and the forms to add and remove days.

use askama::Template;

use super::contracts::{day, layout};
use super::series::typed_days;
use crate::admin::{AdminError, put_days, remove_days};
use crate::domain::{Account, LocalDate};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::account_scope::{AccountChip, known_account};
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::ledger::contract::{DateSpan, DayList, DayListError};
use crate::store::StoreError;
use crate::texts::Language;

/// The number of days shown of each list.
const MOST_NEXT: usize = 7;

#[derive(Template)]
#[template(path = "money/days.html")]
struct DaysPage {
    layout: Layout,
    accounts: Vec<AccountChip>,
    /// The account shown; empty if there are none.
    account: String,
    lists: Vec<ListCard>,
}

/// A list in words.
struct ListCard {
    name: String,
    count: String,
    first: String,
    last: String,
    /// Today and the next known days, each with its type.
    next: Vec<(String, String)>,
}

impl ListCard {
    fn new(list: &DayList, today: LocalDate, language: &Language) -> Self {
        let shown = |date: LocalDate| day(date, language);
        let date = |day: Option<(&LocalDate, _)>| day.map(|day| shown(*day.0)).unwrap_or_default();
        let from_today = DateSpan {
            from: Some(today),
            end: None,
        };
        let next = list.within(from_today).take(MOST_NEXT);
        Self {
            name: list.name().to_string(),
            count: figures::count(list.days().len() as u64, language),
            first: date(list.days().first_key_value()),
            last: date(list.days().last_key_value()),
            next: next
                .map(|(date, kind)| (shown(date), kind.to_string()))
                .collect(),
        }
    }
}

/// `GET /costs/days`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let layout = layout(&visit)?;
    let cards = |account: &Account| {
        let today = LocalDate::at(visit.app.counted_now(), &account.zone);
        let registry = visit.app.store.registry();
        let lists = registry.day_lists(&account.name);
        lists
            .map(|list| ListCard::new(&list, today, layout.language))
            .collect()
    };
    let account = scope.account.as_ref();
    Ok(ok(&DaysPage {
        accounts: scope.chips("costs/days"),
        account: account.map(|it| it.name.to_string()).unwrap_or_default(),
        lists: account.map(cards).unwrap_or_default(),
        layout,
    }))
}

/// `POST /costs/days`: adds days to a list, replacing those of the same dates.
pub(crate) async fn add(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let wrong = |error| mistake(error, visit.language());
    let name = DayList::parse_name(&visit.field("list")?).map_err(wrong)?;
    let list = DayList::parse(name, &visit.field("table")?).map_err(wrong)?;
    if list.days().is_empty() {
        return Err(PageError::mistake("days-wrong-empty", "table"));
    }
    let of = account.clone();
    let put = visit.look(move |store| put_days(store, &of, &list)).await?;
    put.map_err(|error| match error {
        AdminError::Unfit(StoreError::TooManyDayLists(_)) => {
            PageError::mistake("days-wrong-many-lists", "list")
        }
        AdminError::Unfit(StoreError::TooManyDays(_)) => {
            PageError::mistake("days-wrong-many-days", "table")
        }
        AdminError::Unfit(StoreError::TooManyDayTypes(_)) => {
            PageError::mistake("days-wrong-many-types", "table")
        }
        other => PageError::of_admin(other, |_| "table"),
    })?;
    let to = [("account", account.as_str()), ("done", "days")];
    Ok(leads_to("costs/days", &to))
}

/// `POST /costs/days/remove`: removes some days of a list or, with `all`, the whole list.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let name = DayList::parse_name(&visit.field("of")?).map_err(|_| PageError::NotFound)?;
    let registry = visit.app.store.registry();
    if registry.day_list(&account, &name).is_none() {
        return Err(PageError::NotFound);
    }
    let dates = if visit.field("all")?.is_empty() {
        let [from, end] = typed_days(&visit)?.map(Some);
        DateSpan { from, end }
    } else {
        DateSpan::default()
    };
    let of = account.clone();
    let removed = visit.look(move |store| remove_days(store, &of, &name, dates));
    let removed = removed.await?;
    removed.map_err(|error| PageError::of_admin(error, |_| "of"))?;
    let to = [("account", account.as_str()), ("done", "days-removed")];
    Ok(leads_to("costs/days", &to))
}

fn mistake(error: DayListError, language: &Language) -> PageError {
    let text = match error {
        DayListError::Name => return PageError::mistake("days-wrong-name", "list"),
        DayListError::TooMany => return PageError::mistake("days-wrong-many-days", "table"),
        DayListError::Line { line } => {
            let line = i64::try_from(line).unwrap_or_default();
            language.fill("days-wrong-line", [("line", line.into())])
        }
        DayListError::Twice(date) => {
            language.fill("days-wrong-twice", [("date", day(date, language).into())])
        }
        other => language.fill("days-wrong-other", [("problem", other.to_string().into())]),
    };
    PageError::form("table", text)
}
