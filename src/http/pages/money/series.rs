//! `/costs/series`: a price series with its gaps, and the forms to remove prices.

use askama::Template;

use super::contracts::{account, layout};
use super::prices::{SeriesLine, all_series};
use crate::admin::{PriceRequest, Request};
use crate::chart::Wording;
use crate::domain::{Account, LocalDate, Timestamp};
use crate::house::PriceGaps;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::wire::body::in_background;
use crate::ledger::contract::Label;

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
    /// The first and the last day of what is to be removed, as typed.
    days: [String; 2],
}

impl SeriesPage {
    async fn new(visit: &Visit, account: &Account, name: &str) -> Result<Self, PageError> {
        let layout = layout(visit)?;
        let language = layout.language;
        let all = all_series(visit, account).await?;
        let series = all.iter().find(|one| one.name.as_str() == name);
        let series = series.ok_or(PageError::NotFound)?;
        let name = Label::new(name).map_err(|_| PageError::NotFound)?;
        let (store, owner) = (visit.app.store.clone(), account.name.clone());
        // All prices are read, as by a statement.
        let turn = visit.app.report_turn(&account.name).await?;
        let find = move || {
            let _turn = turn;
            PriceGaps::of(&store, &owner, &name)
        };
        let gaps = in_background(find).await??;
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
            days: Default::default(),
            layout,
        })
    }
}

/// `GET /costs/series?account=…&name=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = account(&visit, &visit.param("account")?)?;
    let page = SeriesPage::new(&visit, &account, &visit.param("name")?).await?;
    Ok(ok(&page))
}

/// `POST /costs/series/remove`: the prices of some days, or with `all` the whole series.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account = account(&visit, &visit.field("account")?)?;
    let name = visit.field("name")?;
    let mut page = SeriesPage::new(&visit, &account, &name).await?;
    page.days = [visit.field("from")?, visit.field("to")?];
    let removed = try_to_remove(&visit, &page, &account, name).await;
    or_again(removed, page, |page| &mut page.layout)
}

async fn try_to_remove(
    visit: &Visit,
    page: &SeriesPage,
    account: &Account,
    series: String,
) -> PageResult {
    let (from, end) = if visit.field("all")?.is_empty() {
        page.range(account)?
    } else {
        (Timestamp::MIN, Timestamp::MAX)
    };
    let request = PriceRequest::Remove {
        account: Some(account.name.to_string()),
        series,
        from_ms: from.millis(),
        end_ms: end.millis(),
    };
    admin_call(&visit.app, Request::Prices(request), |_| "from").await?;
    let parameters = [
        ("account", account.name.as_str()),
        ("done", "prices-removed"),
    ];
    Ok(see_other(&address("costs/prices", &parameters)))
}

impl SeriesPage {
    /// From the beginning of the first day until the end of the last one.
    fn range(&self, account: &Account) -> Result<(Timestamp, Timestamp), PageError> {
        let language = self.layout.language;
        let [from, to] = &self.days;
        let from = LocalDate::parse(from)
            .map_err(|_| PageError::form("from", language.say("contract-wrong-from")))?;
        let to = LocalDate::parse(to)
            .map_err(|_| PageError::form("to", language.say("contract-wrong-from")))?;
        if to < from {
            return Err(PageError::form("to", language.say("prices-wrong-end")));
        }
        let next = to.plus_days(1).unwrap_or(to);
        Ok((from.start(&account.zone), next.start(&account.zone)))
    }
}
