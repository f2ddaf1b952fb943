//! `wattkeeper ha`: the Home Assistant of an account.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use super::args::{Global, usage};
use super::output::{TableRow, energy_text, print_json, print_line, print_table};
use super::owned::OwnerArgs;
use crate::admin::{
    CountForm, HomeAssistantRequest, HomeAssistantRow, Request, Response, SensorWishes, TokenPlace,
    UnexpectedResponse,
};
use crate::config::LiveSettings;
use crate::domain::{GridAnswer, PowerPart, Role};
use crate::home_assistant::{
    CountedMonth, GridPrice, GridPrices, HomeComparison, HomeComparisons, HomeProgress, HomeSensor,
    HouseProposal, ProposedSensor, ReadHomes,
};
use crate::http::gate::HomeAssistantsOf;
use crate::http::operate::home_assistant;
use crate::server::system_clock;

/// The Home Assistant of an account, which the service reads
///
/// docs/HOME-ASSISTANT.md describes it. An account has one at most.
#[derive(Subcommand)]
pub(super) enum HomeAssistantCommand {
    /// Show the Home Assistant of an account, or without one those of all accounts
    Show {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Ask it who it is, the rights of its token, and which sensors the house could have; nothing is
    /// stored
    Test {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add a Home Assistant that answers, or change the one of the account
    ///
    /// It feeds the sensors that `wattkeeper ha test` proposes. Those that are missing are added.
    Add {
        /// Its address, as in a browser [default: in an add-on, that of the Home Assistant that runs
        /// it, which needs no token]
        address: Option<String>,
        /// A file that the service can read, whose first line is a long-lived token [default: the
        /// token that was entered for this address on the page]
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        /// An entity that feeds no sensor; may be repeated
        #[arg(long, value_name = "ENTITY")]
        leave_out: Vec<String>,
        /// An entity, and the role of its sensor, such as sensor.car=sub-meter; may be repeated
        #[arg(long, value_name = "ENTITY=ROLE")]
        role: Vec<String>,
        /// Also take the prices of its Energy dashboard: a number becomes a flat contract, if there is
        /// none, and an entity feeds the price series of its name
        #[arg(long, conflicts_with = "unasked")]
        with_prices: bool,
        /// The place of a further sensor at the grid: another phase of the same meter, a sub-meter of the
        /// first one, or another connection or register, which is added up
        #[arg(long, value_name = "phase|sub-meter|connection")]
        at_grid: Option<GridAnswer>,
        /// Add it without asking it first, and without further sensors
        #[arg(long)]
        unasked: bool,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Send the account's history to its Home Assistant from now on: energy and costs by the ledger, as
    /// statistics of their own
    ///
    /// Its token must be that of an administrator there.
    Send {
        /// No longer send it; sent history stays there
        #[arg(long)]
        off: bool,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Compare the energy that it counted with that of the ledger, by month
    ///
    /// A difference has its reason: reset, spike, gap, late, renamed, unit, edited, corrected, unread
    /// or unknown. Energies are in kWh. Times are as in `wattkeeper energy`.
    Compare {
        /// One of the sensors that it feeds [default: all]
        #[arg(long, value_name = "ID")]
        sensor: Option<String>,
        /// A time in the first month [default: the newest 13 months]
        #[arg(long, value_name = "TIME")]
        from: Option<String>,
        /// The end, exclusive; its whole month counts [default: now]
        #[arg(long, value_name = "TIME")]
        to: Option<String>,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Stop reading it, and forget its token; sensors and readings stay
    Remove {
        #[command(flatten)]
        of: OwnerArgs,
    },
}

impl HomeAssistantCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Show { of } => {
                let account = of.account;
                let request = HomeAssistantRequest::Show { account };
                let rows: Vec<HomeAssistantRow> = ask(global, request)?;
                let hint = "There is no Home Assistant: `wattkeeper ha add` adds one.";
                global.print_list(&rows, hint)
            }
            Self::Test { of } => test(global, of.account),
            Self::Add {
                address,
                token_file,
                leave_out,
                role,
                with_prices,
                at_grid,
                unasked,
                of,
            } => {
                let roles = role.iter().map(|text| role_of(text));
                let roles = roles.collect::<Result<_>>()?;
                let wishes = SensorWishes {
                    leave_out,
                    roles,
                    at_grid,
                    with_prices,
                };
                // The service has another working directory.
                let token_file = token_file.map(std::path::absolute).transpose()?;
                let request = HomeAssistantRequest::Add {
                    account: of.account,
                    address,
                    token_file: token_file.map(|path| path.display().to_string()),
                    sensors: (!unasked).then_some(wishes),
                };
                global.print_changed(&ask::<Vec<HomeAssistantRow>>(global, request)?)
            }
            Self::Send { off, of } => {
                let (account, send) = (of.account, !off);
                let request = HomeAssistantRequest::Send { account, send };
                global.print_changed(&ask::<Vec<HomeAssistantRow>>(global, request)?)
            }
            Self::Compare {
                sensor,
                from,
                to,
                of,
            } => {
                let account = of.account;
                let range = [from, to];
                compare(
                    global,
                    CountForm {
                        account,
                        sensor,
                        range,
                    },
                )
            }
            Self::Remove { of } => {
                let account = of.account;
                ask::<()>(global, HomeAssistantRequest::Remove { account })?;
                let removed = serde_json::json!({ "removed": true });
                global.print(&removed, "It is no longer read. Its token is forgotten.")
            }
        }
    }
}

fn test(global: &Global, account: Option<String>) -> Result<()> {
    let request = HomeAssistantRequest::Test { account };
    let house: Box<HouseProposal> = ask(global, request)?;
    if global.json {
        return print_json(&house);
    }
    print_line(&identity_text(&house))?;
    print_table(&house.sensors)?;
    house
        .prices
        .iter()
        .try_for_each(|it| print_line(&prices_text(it)))
}

fn compare(global: &Global, form: CountForm) -> Result<()> {
    let request = HomeAssistantRequest::Compare(form);
    let compared: Box<HomeComparison> = ask(global, request)?;
    if global.json {
        return print_json(&compared);
    }
    print_table(&compared.months)
}

/// Has the running service carry out a request, or this process if there is none.
fn ask<T>(global: &Global, request: HomeAssistantRequest) -> Result<T>
where
    T: TryFrom<Response, Error = UnexpectedResponse>,
{
    global.ask_running(request, Request::HomeAssistant, |config, store, request| {
        let of = HomeAssistantsOf {
            store,
            settings: &LiveSettings::new(config, store),
            homes: (&ReadHomes::default(), &HomeComparisons::default()),
        };
        home_assistant::run(&of, request, system_clock()().time)
    })
}

fn role_of(text: &str) -> Result<(String, Role)> {
    let parts = text.split_once('=');
    let (entity, role) = parts.ok_or_else(|| usage("--role: expected ENTITY=ROLE".to_owned()))?;
    let role = role.parse();
    let role = role.map_err(|error| usage(format!("--role {entity}: {error}")))?;
    Ok((entity.to_owned(), role))
}

fn identity_text(house: &HouseProposal) -> String {
    let identity = &house.identity;
    let rights = if identity.is_administrator {
        "an administrator there: it may also send history"
    } else {
        "not an administrator there: it may read, and not send history"
    };
    let source = if house.is_of_dashboard {
        "Its Energy dashboard has these."
    } else {
        "It has no Energy dashboard: roles are guessed from names. Choose others with --role."
    };
    let left_out = house.left_out.iter();
    let left_out = left_out.map(|it| format!("\nLeft out: {}, {}.", it.entity, it.why.as_str()));
    format!(
        "{:?} answers, Home Assistant {}.\nThe token belongs to {:?}, who is {rights}.\n{source}{}",
        identity.location,
        identity.version,
        identity.person,
        left_out.collect::<String>()
    )
}

fn prices_text(prices: &GridPrices) -> String {
    let text = |price: &Option<GridPrice>| match price {
        Some(GridPrice::Number(number)) => {
            format!(
                "{number} {}",
                prices.currency.as_deref().unwrap_or("(no currency)")
            )
        }
        Some(GridPrice::Entity(entity)) => format!("that of {entity}"),
        None => "unknown".to_owned(),
    };
    let [import, export] = [&prices.import, &prices.export].map(text);
    format!(
        "A kilowatt-hour costs: {import}. For one fed back: {export}. `wattkeeper ha add --with-prices` takes these."
    )
}

impl TableRow for ProposedSensor {
    const HEADER: &[&str] = &[
        "sensor", "role", "energy", "power", "part of", "unit", "newest", "since", "taken",
    ];

    fn cells(&self) -> Vec<String> {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let HomeSensor {
            feeds,
            role,
            inside,
            ..
        } = &self.sensor;
        let power = feeds.power.as_ref().map(|it| match it.part {
            PowerPart::Whole => it.entity.to_string(),
            part => format!("{} ({})", it.entity, part.as_str()),
        });
        let energy = self.newest_energy.map(|it| format!("{:.3} kWh", it / 1e3));
        let watts = self.newest_power.map(|it| format!("{it:.0} W"));
        let newest: Vec<String> = energy.into_iter().chain(watts).collect();
        let newest = (!newest.is_empty()).then(|| newest.join(", "));
        vec![
            feeds.sensor.to_string(),
            role.as_str().to_owned(),
            or_dash(feeds.energy.as_ref().map(ToString::to_string)),
            or_dash(power),
            or_dash(inside.as_ref().map(ToString::to_string)),
            or_dash(self.unit.clone()),
            or_dash(newest),
            or_dash(self.since.map(|it| it.to_string())),
            if self.is_proposed { "yes" } else { "no" }.to_owned(),
        ]
    }
}

impl TableRow for CountedMonth {
    const HEADER: &[&str] = &[
        "sensor",
        "month",
        "Home Assistant",
        "ledger",
        "difference",
        "reasons",
    ];

    fn cells(&self) -> Vec<String> {
        let or_dash = |energy: Option<f64>| energy.map_or_else(|| "-".to_owned(), energy_text);
        let reasons = self.reasons.iter().map(|it| {
            let (reason, energy) = (it.reason.as_str(), energy_text(it.energy));
            format!("{reason} {energy}, {} to {}", it.from, it.to)
        });
        let reasons: Vec<String> = reasons.collect();
        vec![
            self.sensor_id.to_string(),
            self.month.clone(),
            or_dash(self.counted),
            or_dash(self.measured),
            or_dash(self.difference),
            if reasons.is_empty() {
                "-".to_owned()
            } else {
                reasons.join("; ")
            },
        ]
    }
}

impl TableRow for HomeAssistantRow {
    const HEADER: &[&str] = &[
        "account", "address", "token", "sends", "sensors", "state", "history", "readings", "error",
    ];

    fn cells(&self) -> Vec<String> {
        let home = &self.home_assistant;
        let token = match (&home.token_file, self.token) {
            (Some(path), _) => path.clone(),
            (None, TokenPlace::Missing) => "missing".to_owned(),
            (None, TokenPlace::Supervisor) => "the Supervisor's".to_owned(),
            (None, _) => "entered on the page".to_owned(),
        };
        let reading = self.reading.as_ref();
        let of = |text: fn(&HomeProgress<String>) -> String| {
            reading.map_or_else(|| "-".to_owned(), text)
        };
        vec![
            self.account.to_string(),
            home.address.text(),
            token,
            if home.send { "yes" } else { "no" }.to_owned(),
            home.sensors.len().to_string(),
            of(|it| it.stage.as_str().to_owned()),
            of(|it| format!("{} of {} months", it.months.0, it.months.1)),
            of(|it| it.readings.to_string()),
            of(|it| {
                let failed = it.failed.iter().map(|(_, error)| error.clone());
                let all: Vec<String> = failed.chain(it.problems.clone()).collect();
                if all.is_empty() {
                    "-".to_owned()
                } else {
                    all.join("; ")
                }
            }),
        ]
    }
}
