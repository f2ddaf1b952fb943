//! `wattkeeper sensor`: add, change, list, authorize, revoke, remove sensors.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;

use super::args::Global;
use super::input::{answer, confirm};
use super::output::TableRow;
use crate::admin::{OrNone, Request, SensorRow, SensorTerms};
use crate::domain::words::UnknownWord;
use crate::domain::{
    Between, GridAnswer, MeterKind, PowerLimit, Role, Rollover, Sign, SilentAfter,
};

/// Sensors: the sources of readings
#[derive(Subcommand)]
pub(super) enum SensorCommand {
    /// Add a sensor to an account and authorize it
    ///
    /// If the account already has the sensor, it is authorized again, and changed by the options.
    Add {
        /// Its id, as in its uploads
        sensor_id: String,
        /// The account that owns it
        #[arg(long, value_name = "NAME")]
        account: String,
        /// A name for people [default: its id]
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        #[command(flatten)]
        measures: MeasureArgs,
    },
    /// Change a sensor's name or its measures
    Set {
        /// The sensor's id
        id: String,
        /// A name for people
        #[arg(long, value_name = "TEXT", required_unless_present_any = SETTINGS)]
        name: Option<String>,
        #[command(flatten)]
        measures: MeasureArgs,
    },
    /// List the sensors
    List,
    /// Show one sensor
    Show {
        /// The sensor's id
        id: String,
    },
    /// Allow uploads and downloads
    Authorize {
        /// The sensor's id
        id: String,
    },
    /// Forbid uploads and downloads; the readings stay
    Revoke {
        /// The sensor's id
        id: String,
    },
    /// Remove a sensor and all its readings
    Remove {
        /// The sensor's id
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// The options that `sensor set` needs at least one of.
const SETTINGS: [&str; 11] = [
    "role",
    "register",
    "rollover",
    "plausible",
    "sign",
    "power_sign",
    "register_sign",
    "between",
    "part_of",
    "silent_after",
    "home_assistant",
];

/// The measures of a sensor
#[derive(Args)]
pub(super) struct MeasureArgs {
    /// Its place in the house: grid (net), grid-import, grid-export, solar, battery (net),
    /// battery-charge, battery-discharge or sub-meter. Required for a new sensor
    #[arg(long, value_name = "ROLE")]
    role: Option<Role>,
    /// The kind of its register: net runs backwards for exported energy; counter only counts up;
    /// interval is the energy since the previous value [default of a new sensor: net at the grid
    /// and for a battery both ways, otherwise counter]
    #[arg(long, value_name = "net|counter|interval")]
    register: Option<MeterKind>,
    /// The value after which its register starts again from 0, in watt-hours
    #[arg(long, value_name = "WATTHOURS|none")]
    rollover: Option<OrNone<Rollover>>,
    /// The highest plausible power, in watts; more is an error [default of a new sensor: 100000]
    #[arg(long, value_name = "WATTS")]
    plausible: Option<PowerLimit>,
    /// Whether power and register have the opposite sign [default of a new sensor: as-is]
    #[arg(long, value_name = "as-is|inverted")]
    sign: Option<Sign>,
    /// The sign of its power only; takes precedence over --sign
    #[arg(long, value_name = "as-is|inverted")]
    power_sign: Option<Sign>,
    /// The sign of its register only; takes precedence over --sign
    #[arg(long, value_name = "as-is|inverted")]
    register_sign: Option<Sign>,
    /// Power between two readings: line is their mean; hold is the first one, for a device that
    /// sends power when it changes [default of a new sensor: line]
    #[arg(long, value_name = "line|hold")]
    between: Option<Between>,
    /// The sensor of the same account whose measurement includes this one's
    #[arg(long, value_name = "SENSOR|none")]
    part_of: Option<OrNone<String>>,
    /// How long it may be silent before a notice opens, such as 30m; none: its usual interval
    /// determines it
    #[arg(long, value_name = "SPAN|none")]
    silent_after: Option<OrNone<SilentAfter>>,
    /// Whether Home Assistant shows it, if discovery is on; off if Home Assistant already has it
    /// from the broker [default of a new sensor: on]
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    home_assistant: Option<bool>,
    /// Its place if the house has a sensor at the grid already: another phase of the same meter, a
    /// sub-meter of the first one, or another connection or register, which is added up. Needed if
    /// its role is at the grid, too
    #[arg(long, value_name = "phase|sub-meter|connection")]
    at_grid: Option<GridAnswer>,
}

fn on_or_off(text: &str) -> Result<bool, UnknownWord> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(UnknownWord {
            expected: "on or off",
        }),
    }
}

impl MeasureArgs {
    fn terms(self, name: Option<String>) -> SensorTerms {
        SensorTerms {
            name,
            role: self.role,
            register: self.register,
            rollover: self.rollover,
            plausible: self.plausible,
            sign: self.sign,
            power_sign: self.power_sign,
            register_sign: self.register_sign,
            between: self.between,
            part_of: self.part_of,
            silent_after: self.silent_after,
            home_assistant: self.home_assistant,
            at_grid: self.at_grid,
        }
    }
}

impl SensorCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let authorize = |id, authorized| Request::AuthorizeSensor { id, authorized };
        let request = match self {
            Self::Add {
                sensor_id: id,
                account,
                name,
                measures,
            } => return add(global, id, account, measures.terms(name)),
            Self::Set { id, name, measures } => Request::SetSensor {
                id,
                terms: measures.terms(name),
            },
            Self::Authorize { id } => authorize(id, true),
            Self::Revoke { id } => authorize(id, false),
            Self::List => {
                let hint = "There are no sensors yet: `wattkeeper sensor add SENSOR_ID --account NAME --role ROLE` adds one.";
                return global.list::<SensorRow>(Request::ListSensors, hint);
            }
            Self::Show { id } => Request::FindSensor { id },
            Self::Remove { id, yes } => return remove(global, &id, yes),
        };
        global.print_changed(&global.ask::<Vec<SensorRow>>(request)?)
    }
}

impl TableRow for SensorRow {
    const HEADER: &[&str] = &[
        "sensor",
        "account",
        "name",
        "role",
        "register",
        "settings",
        "authorized",
        "active",
        "last upload",
        "readings",
    ];

    fn cells(&self) -> Vec<String> {
        let word = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        vec![
            self.sensor_id.clone(),
            self.account.clone(),
            self.name.clone(),
            self.role.as_str().to_owned(),
            self.register.as_str().to_owned(),
            settings(self),
            word(self.authorized),
            word(self.active),
            self.last_upload.clone().unwrap_or_else(|| "never".into()),
            self.readings.to_string(),
        ]
    }
}

/// The settings of a sensor besides its role and register.
fn settings(row: &SensorRow) -> String {
    let all = [
        row.part_of.as_ref().map(|whole| format!("part of {whole}")),
        match (row.power_sign, row.register_sign) {
            (Sign::AsIs, Sign::AsIs) => None,
            (Sign::Inverted, Sign::Inverted) => Some("inverted".to_owned()),
            (Sign::Inverted, Sign::AsIs) => Some("power inverted".to_owned()),
            (Sign::AsIs, Sign::Inverted) => Some("register inverted".to_owned()),
        },
        (row.between == Between::Hold).then(|| "hold between readings".to_owned()),
        row.rollover.map(|at| format!("rollover {at} Wh")),
        (row.plausible != PowerLimit::default().watts())
            .then(|| format!("plausible {} W", row.plausible)),
        row.silent_after
            .map(|minutes| format!("silent after {minutes}m")),
        (!row.home_assistant).then(|| "not in Home Assistant".to_owned()),
    ];
    let set: Vec<String> = all.into_iter().flatten().collect();
    if set.is_empty() {
        return "-".to_owned();
    }
    set.join(", ")
}

fn add(global: &Global, id: String, account: String, mut terms: SensorTerms) -> Result<()> {
    if terms.role.is_none() {
        let known: Vec<SensorRow> = global.ask(Request::ListSensors)?;
        // An existing sensor keeps its role.
        if known.iter().all(|row| row.sensor_id != id) {
            terms.role = Some(role_of(&id)?);
        }
    }
    if terms.at_grid.is_none() && terms.role.is_some_and(Role::is_at_grid) {
        terms.at_grid = grid_answer(global, (&id, &account), terms.role)?;
    }
    let rows: Vec<SensorRow> = global.ask(Request::AddSensor { id, account, terms })?;
    global.print_changed(&rows)
}

/// Asks what a further sensor at the grid is; `None` if it is the first one, or without a terminal.
fn grid_answer(
    global: &Global,
    (id, account): (&str, &str),
    role: Option<Role>,
) -> Result<Option<GridAnswer>> {
    let known: Vec<SensorRow> = global.ask(Request::ListSensors)?;
    let is_there = known.iter().any(|row| row.sensor_id == id);
    let shares = |row: &&SensorRow| {
        let is_own = row.account == account && row.authorized;
        is_own && role.is_some_and(|role| row.role.shares_grid_with(role))
    };
    let Some(other) = known.iter().find(shares).filter(|_| !is_there) else {
        return Ok(None);
    };
    let answer = answer(&format!(
        "{} is at the grid already. Does {id} measure another phase of the same meter (phase), a part of the same energy (sub-meter), or another connection or register, to be added up (connection)?",
        other.sensor_id
    ))?;
    // Without one, the error says what to add.
    Ok(answer.map(|answer| answer.parse()).transpose()?)
}

/// Asks for the role of a sensor, because a guess would make the house's energy wrong.
fn role_of(id: &str) -> Result<Role> {
    let roles = Role::ALL.map(Role::as_str).join(", ");
    let answer = answer(&format!("What does {id} measure? One of {roles}:"))?;
    let Some(answer) = answer else {
        bail!(
            "--role: expected the role of {id}, one of {roles}; such as --role grid for the meter of the house, --role sub-meter for a part of it"
        );
    };
    Ok(answer.parse()?)
}

fn remove(global: &Global, id: &str, yes: bool) -> Result<()> {
    // The store is closed in between, so that others can use it while somebody thinks about the
    // question. With --yes too, because the result states the number of readings.
    let rows: Vec<SensorRow> = global.ask(Request::FindSensor { id: id.to_owned() })?;
    let readings = rows.first().map_or(0, |row| row.readings);
    if !yes {
        confirm(&format!("Remove sensor {id} and its {readings} readings?"))?;
    }
    let () = global.ask(Request::RemoveSensor { id: id.to_owned() })?;
    global.print(
        &json!({"sensor_id": id, "removed": true, "readings": readings}),
        &format!("removed sensor {id} and its {readings} readings"),
    )
}
