//! The house as a Home Assistant proposes it, as a form, and the sensors of that form.

use std::sync::Arc;

use super::home_problem::{field_of, home_problem_text};
use super::trials::Trials;
use crate::admin::{AdminError, known_sensors, put_home_assistant, put_house};
use crate::domain::{
    AccountName, EntityId, FedPower, FedSensor, HomeAssistantEntry, PowerPart, Role, Secret,
    SensorId,
};
use crate::home_assistant::{
    GridPrices, HomeAssistantIdentity, HomeSensor, HouseProposal, LinkSettings, ProposedSensor,
    WhyLeftOut, propose,
};
use crate::http::gate::HomeAssistantsOf;
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::at_grid::grid_answer;
use crate::http::pages::frame::response::leads_to;
use crate::http::pages::frame::{PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::add_first_account;
use crate::http::wire::body::in_background;
use crate::texts::Language;

/// The house, as a form.
pub(super) struct ProposalView {
    /// Who answered.
    pub(super) identity: String,
    /// Where the sensors come from.
    pub(super) source: String,
    pub(super) rows: Vec<HouseRow>,
    /// Entities that cannot feed a sensor, with the reason.
    pub(super) left_out: Vec<String>,
    /// Prices that are numbers, in words, and the form of a contract with them.
    pub(super) flat: Option<(String, String)>,
    /// Entities that are prices, each with the form of a contract by its series.
    pub(super) series: Vec<(EntityId, String)>,
}

/// A sensor of the form.
pub(super) struct HouseRow {
    pub(super) sensor: HomeSensor,
    /// Its role; empty to leave it out.
    pub(super) role: &'static str,
    /// Its entities, its newest values, and since when there are some.
    pub(super) about: String,
}

/// Asks a Home Assistant about the house.
pub(super) async fn ask_house(
    visit: &Visit,
    trials: &Trials,
    (account, home): (&AccountName, &HomeAssistantEntry),
    token: &Secret,
) -> Result<ProposalView, PageError> {
    let language = visit.language();
    let app = &visit.app;
    let link = link_of(visit, account, home, token);
    let known = known_sensors(&app.store.registry(), account);
    let now = app.now().time;
    let asked = trials.run(move || propose(&link, &known, now)).await?;
    let asked = asked.ok_or(PageError::mistake("trial-busy", "main"))?;
    let house = asked
        .map_err(|error| PageError::form(field_of(&error), home_problem_text(&error, language)))?;
    Ok(ProposalView::new(account, &house, language))
}

/// `POST /settings/home-assistant/sensors`: the sensors of the form with a role are fed from now on.
pub(crate) async fn take(visit: Visit) -> PageResult {
    let sensors = typed(&visit)?;
    add_first_account(&visit).await?;
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let app = &visit.app;
    let home = app.store.registry().home_assistant(&account).cloned();
    // The one that runs this service needs no form of its own.
    let home = home.or_else(|| own_entry(&visit));
    let home = home.ok_or(PageError::NotFound)?;
    let new = sensors.iter().map(|it| (it.feeds.sensor.clone(), it.role));
    let at_grid = grid_answer(&visit, &account, new)?;
    let (store, of, now) = (Arc::clone(&app.store), account.clone(), app.now().time);
    let put = in_background(move || {
        let home = (home, Secret::default());
        put_house(&store, &of, home, (&sensors, at_grid), now)
    });
    put.await?.map_err(|error| match error {
        AdminError::Store(error) => error.into(),
        error => PageError::form("main", error.to_string()),
    })?;
    let parameters = [("account", account.as_str()), ("done", "ha-sensors")];
    Ok(leads_to("settings/home-assistant", &parameters))
}

/// The entry of the Home Assistant that runs this service.
pub(super) fn own_entry(visit: &Visit) -> Option<HomeAssistantEntry> {
    let own = visit.app.settings.in_force().config.home_terms().own?;
    Some(HomeAssistantEntry {
        address: own.address,
        token_file: None,
        sensors: Vec::new(),
        prices: Vec::new(),
        send: false,
    })
}

/// The sensors of the form; its fields come once for each row.
fn typed(visit: &Visit) -> Result<Vec<HomeSensor>, PageError> {
    let names = ["id", "name", "role", "energy", "power", "part", "inside"];
    let columns = names.map(|name| visit.fields(name));
    let wrong = || PageError::mistake("ha-wrong-sensor", "main");
    let count = columns.first().map_or(0, Vec::len);
    let mut sensors = Vec::new();
    for row in 0..count {
        let of = columns.each_ref().map(|column| column.get(row));
        let [
            Some(id),
            Some(name),
            Some(role),
            Some(energy),
            Some(power),
            Some(part),
            Some(inside),
        ] = of
        else {
            return Err(wrong());
        };
        if role.is_empty() {
            continue;
        }
        let entity = |text: &str| EntityId::new(text).ok();
        let part: Option<PowerPart> = part.parse().ok();
        let power = entity(power).map(|entity| FedPower {
            entity,
            part: part.unwrap_or(PowerPart::Whole),
        });
        let sensor = SensorId::new(id.trim()).map_err(|_| wrong())?;
        sensors.push(HomeSensor {
            name: match name.trim() {
                "" => sensor.to_string(),
                name => name.chars().take(MOST_CHARS).collect(),
            },
            role: role.parse::<Role>().map_err(|_| wrong())?,
            inside: SensorId::new(inside).ok(),
            feeds: FedSensor {
                sensor,
                energy: entity(energy),
                power,
            },
        });
    }
    if sensors.is_empty() {
        return Err(PageError::mistake("ha-none-chosen", "main"));
    }
    Ok(sensors)
}

/// The longest name.
const MOST_CHARS: usize = 64;

impl ProposalView {
    fn new(account: &AccountName, house: &HouseProposal, language: &'static Language) -> Self {
        let source = if house.is_of_dashboard {
            language.say("ha-of-dashboard")
        } else {
            language.say("ha-guessed")
        };
        let rows = house.sensors.iter();
        let left_out = house.left_out.iter().map(|it| {
            let why = language.word("ha-left-out", WhyLeftOut::as_str(it.why));
            format!("{}: {why}", it.entity)
        });
        Self {
            identity: identity_text(&house.identity, language),
            source,
            rows: rows.map(|it| HouseRow::new(it, language)).collect(),
            left_out: left_out.collect(),
            flat: house
                .prices
                .as_ref()
                .and_then(|it| flat(account, it, language)),
            series: house
                .prices
                .iter()
                .flat_map(|it| series(account, it))
                .collect(),
        }
    }
}

/// Prices that are numbers, in words, and the address of the form of a contract with them.
fn flat(
    account: &AccountName,
    prices: &GridPrices,
    language: &Language,
) -> Option<(String, String)> {
    let (price, feed_in) = prices.flat()?;
    let currency = prices.currency.as_deref().unwrap_or_default();
    let number = |text: &str| language.number(text);
    let values = [
        ("price", number(price).into()),
        (
            "credit",
            feed_in
                .map_or_else(|| figures::UNKNOWN.to_owned(), number)
                .into(),
        ),
        ("currency", currency.to_owned().into()),
    ];
    let mark = language.decimal_mark();
    let typed = |text: &str| text.replace('.', &mark);
    let (price, feed_in) = (typed(price), feed_in.map(typed).unwrap_or_default());
    let parameters = [
        ("account", account.as_str()),
        ("price", &price),
        ("feed_in", &feed_in),
        ("currency", currency),
    ];
    Some((
        language.fill("ha-price-flat", values),
        address("costs/contract", &parameters),
    ))
}

/// Entities that are prices, each with the address of the form of a contract by its series.
fn series<'a>(
    account: &'a AccountName,
    prices: &'a GridPrices,
) -> impl Iterator<Item = (EntityId, String)> + 'a {
    let currency = prices.currency.as_deref().unwrap_or_default();
    prices.entities().map(move |entity| {
        let parameters = [
            ("account", account.as_str()),
            ("series", entity.as_str()),
            ("currency", currency),
        ];
        (entity.clone(), address("costs/contract", &parameters))
    })
}

/// `POST /settings/home-assistant/prices`: these entities feed price series from now on.
pub(crate) async fn take_prices(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let app = &visit.app;
    let home = app.store.registry().home_assistant(&account).cloned();
    let home = home.ok_or(PageError::NotFound)?;
    let typed = visit.fields("entity");
    let entities = typed.iter().map(|text| EntityId::new(text));
    let entities: Vec<EntityId> = entities
        .collect::<Result<_, _>>()
        .map_err(|_| PageError::mistake("ha-wrong-sensor", "main"))?;
    let home = home.with_prices(entities.iter());
    home.check()
        .map_err(|_| PageError::mistake("ha-wrong-sensor", "main"))?;
    let (store, of) = (Arc::clone(&app.store), account.clone());
    let put = in_background(move || put_home_assistant(&store, &of, home, Secret::default()));
    put.await?
        .map_err(|error| PageError::of_admin(error, |_| "main"))?;
    let parameters = [("account", account.as_str()), ("done", "ha-prices")];
    Ok(leads_to("settings/home-assistant", &parameters))
}

impl HouseRow {
    fn new(proposed: &ProposedSensor, language: &'static Language) -> Self {
        let sensor = &proposed.sensor;
        let energy = proposed.newest_energy;
        let energy = energy.map(|it| figures::energy(it, language));
        let power = proposed.newest_power.map(|it| figures::power(it, language));
        let since = proposed.since.map(|time| {
            let text = time.to_string();
            let month = text.get(..7).unwrap_or_default().to_owned();
            language.fill("ha-since", [("month", month.into())])
        });
        let entities = sensor.feeds.entities().map(ToString::to_string);
        let about: Vec<String> = entities.chain(energy).chain(power).chain(since).collect();
        Self {
            sensor: sensor.clone(),
            role: if proposed.is_proposed {
                sensor.role.as_str()
            } else {
                ""
            },
            about: about.join(" \u{b7} "),
        }
    }
}

/// The terms of a connection to a Home Assistant.
pub(super) fn link_of(
    visit: &Visit,
    account: &AccountName,
    home: &HomeAssistantEntry,
    token: &Secret,
) -> LinkSettings {
    HomeAssistantsOf::of(&visit.app).link(account, home, token)
}

/// The Home Assistant that answered, and the rights of the token.
pub(super) fn identity_text(identity: &HomeAssistantIdentity, language: &Language) -> String {
    let rights = if identity.is_administrator {
        language.say("ha-administrator")
    } else {
        language.say("ha-reader")
    };
    let values = [
        ("location", identity.location.as_str().into()),
        ("version", identity.version.as_str().into()),
        ("person", identity.person.as_str().into()),
    ];
    let who = language.fill("ha-identity", values);
    format!("{who} {rights}")
}
