//! `/costs/series`: a price series with its gaps, and the forms to remove prices.

use askama::Template;

use super::contracts::layout;
use super::prices::{SeriesLine, all_series};
use crate::admin::{PriceRequest, Request};
use crate::chart::Wording;
use crate::domain::{Account, LocalDate, Timestamp};
use crate::house::PriceGaps;
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::ledger::contract::Label;
use crate::store::Store;

#[derive(Template)]
#[template(path = "money/series.html")]
struct SeriesPage {
    layout: Layout,
    account: String,
    series: SeriesLine,
    gap_count: String,
    /// The newest gaps, each with its ends.
    gaps: Vec<[String; 2]>,
    /// Whether there are more.
    has_more: bool,
}

impl SeriesPage {
    async fn new(visit: &Visit, account: &Account, name: &str) -> Result<Self, PageError> {
        let layout = layout(visit)?;
        let language = layout.language;
        let all = all_series(visit, account).await?;
        let series = all.iter().find(|one| one.name.as_str() == name);
        let series = series.ok_or(PageError::NotFound)?;
        let name = Label::new(name).map_err(|_| PageError::NotFound)?;
        let owner = account.name.clone();
        // Reads all prices, as a statement does.
        let find = move |store: &Store| PriceGaps::of(store, &owner, &name);
        let gaps = visit.report(&account.name, find).await??;
        let shown = |time| Wording::new(&account.zone, language).date_and_clock(time);
        let newest = gaps.newest.iter().rev();
        Ok(Self {
            account: account.name.to_string(),
            series: SeriesLine::new(series, account, language),
            gap_count: figures::count(gaps.count, language),
            has_more: gaps.count > u64::try_from(gaps.newest.len()).unwrap_or(u64::MAX),
            gaps: newest
                .map(|gap| [shown(gap.start), shown(gap.end)])
                .collect(),
            layout,
        })
    }
}

/// `GET /costs/series?account=…&name=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.param("account")?)?;
    let page = SeriesPage::new(&visit, &account, &visit.param("name")?).await?;
    Ok(ok(&page))
}

/// `POST /costs/series/remove`: removes the prices of some days or, with `all`, the whole series.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?;
    let name = visit.field("name")?;
    let [from, end] = if visit.field("all")?.is_empty() {
        typed_days(&visit)?.map(|day| day.start(&account.zone))
    } else {
        [Timestamp::MIN, Timestamp::MAX]
    };
    let request = PriceRequest::Remove {
        account: Some(account.name.to_string()),
        series: name,
        from_ms: from.millis(),
        end_ms: end.millis(),
    };
    admin_call(&visit.app, Request::Prices(request), |_| "from").await?;
    let account = account.name.as_str();
    let to = [("account", account), ("done", "prices-removed")];
    Ok(leads_to("costs/prices", &to))
}

/// The first day to remove, and the day after the last one.
pub(super) fn typed_days(visit: &Visit) -> Result<[LocalDate; 2], PageError> {
    let day = |field| {
        let day = LocalDate::typed(&visit.field(field)?);
        day.map_err(|_| PageError::mistake("contract-wrong-from", field))
    };
    let (from, to) = (day("from")?, day("to")?);
    if to < from {
        return Err(PageError::mistake("prices-wrong-end", "to"));
    }
    Ok([from, to.plus_days(1).unwrap_or(to)])
}
