//! `/wall`: a dashboard for a tablet on a wall, without a keyboard and without a sign-in: one
//! account, large, without forms and links. `/wall/open?token=…` is the link that makes a browser
//! such a tablet.
//!
//! The token goes into a cookie at once, so that no address bar shows it for long. The page that
//! sets it loads the next page by itself, without a redirect: a browser that came from another
//! site, such as a mailbox, would withhold the cookie (`SameSite=Strict`).

use askama::Template;

use crate::chart::Wording;
use crate::domain::{Account, Interval, SessionToken};
use crate::house::{Comparison, Energies, Energy, HouseEnergies};
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::response::{ok, with_cookie};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::overview::now_flow::NowFlow;
use crate::http::pages::overview::power_text::PowerWords;
use crate::http::wire::ApiError;
use crate::store::Store;

#[derive(Template)]
#[template(path = "wall_open.html")]
struct WallOpenPage {
    layout: Layout,
}

#[derive(Template)]
#[template(path = "wall.html")]
struct WallPage {
    layout: Layout,
    view: WallView,
}

/// The content of a tablet.
struct WallView {
    account: String,
    clock: String,
    /// The power now.
    flow: Option<NowFlow>,
    rows: Vec<WallPeriod>,
    has_solar: bool,
    has_used: bool,
}

/// The energy of a period.
struct WallPeriod {
    name: String,
    grid: String,
    solar: String,
    used: String,
    cost: String,
    is_partial: bool,
}

/// `GET /wall/open?token=…`
pub(crate) async fn open(visit: Visit) -> PageResult {
    let token = SessionToken::parse(&visit.param("token")?);
    // Attempts are not limited: 256 random bits cannot be guessed.
    let registry = visit.app.store.registry();
    let token = token.filter(|token| registry.tablet(&token.id()).is_some());
    let token = token.ok_or(PageError::WallRevoked)?;
    let page = WallOpenPage {
        layout: Layout {
            // The address contains the token, which no page may show.
            has_languages: false,
            ..visit.layout(None)
        },
    };
    Ok(with_cookie(ok(&page), &visit.visitor.wall_cookie(&token))?)
}

/// `GET /wall`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let account = scope.account.ok_or(PageError::NotFound)?;
    let (name, now) = (account.name.clone(), visit.app.counted_now());
    let (language, charges) = (visit.language(), visit.app.ingest.charges());
    // Not longer than the year that the page covers.
    let length_ms = Some(Interval::Year.length_ms());
    let look = move |store: &Store| {
        let words = PowerWords {
            wording: Wording::new(&account.zone, language),
            charges: &charges,
            now,
        };
        WallView::at(store, &account, words)
    };
    let view = visit.app.page(&name, length_ms, look).await??;
    Ok(ok(&WallPage {
        layout: visit.layout(None),
        view,
    }))
}

impl WallView {
    /// Builds the view; may block on disk reads.
    fn at(store: &Store, account: &Account, words: PowerWords<'_>) -> Result<Self, PageError> {
        let (wording, now) = (words.wording, words.now);
        let language = wording.language;
        let house = HouseEnergies::at(store, account, now)?;
        let registry = store.registry();
        let contracts = registry.contracts(&account.name);
        let currency = contracts.and_then(|all| all.currency());
        let currency = currency.map_or("", |currency| currency.as_str());
        let flow = NowFlow::at(store, &account.name, words);
        let row = |name: String, period: fn(Energies) -> Comparison| {
            let of = |energies: Option<Energies>| energies.and_then(|all| period(all).now);
            let all = [house.grid, house.solar, house.used].map(of);
            let [grid, solar, used] = all;
            let energy = |energy: Option<Energy>| {
                let known = energy.map(|it| figures::energy(it.watthours, language));
                known.unwrap_or_else(|| figures::UNKNOWN.into())
            };
            let cost = grid.and_then(|it| figures::cost_of(it, currency, language));
            WallPeriod {
                name,
                grid: energy(grid),
                solar: energy(solar),
                used: energy(used),
                cost: cost.unwrap_or_else(|| figures::UNKNOWN.into()),
                is_partial: all.into_iter().flatten().any(|it| it.is_partial),
            }
        };
        let rows = vec![
            row(language.say("wall-today"), |[today, ..]| today),
            row(language.say("wall-yesterday"), |[_, yesterday, ..]| {
                yesterday
            }),
            row(language.say("wall-this-month"), |[_, _, _, month, _]| month),
        ];
        Ok(Self {
            account: account.name.to_string(),
            clock: wording.clock(now),
            flow: flow.map_err(ApiError::from)?,
            rows,
            has_solar: house.solar.is_some(),
            has_used: house.used.is_some(),
        })
    }
}
