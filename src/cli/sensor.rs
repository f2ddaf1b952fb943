//! `wattkeeper sensor`: add, change, list, authorize, revoke, remove sensors.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

use super::Global;
use super::confirm::confirm;
use super::output::{print_json, print_line, print_table};
use crate::admin::{Request, SensorRow, SensorTerms};
use crate::domain::role::{RegisterKind, Role};
use crate::store::OpenMode;

/// Sensors: what readings are of
#[derive(Subcommand)]
pub(super) enum SensorCommand {
    /// Add a sensor to an account and authorize it
    ///
    /// A sensor that the account has already is authorized again, and renamed if you give a name.
    Add {
        /// Its id, as it uploads it
        sensor_id: String,
        /// The account it is to belong to
        #[arg(long, value_name = "NAME")]
        account: String,
        /// What you want to call it [default: its id]
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        #[command(flatten)]
        measures: Measures,
    },
    /// Change a sensor's name, its role, or what a fall of its register means
    Set {
        /// The sensor's id
        id: String,
        /// What you want to call it
        #[arg(long, value_name = "TEXT", required_unless_present_any = ["role", "register"])]
        name: Option<String>,
        #[command(flatten)]
        measures: Measures,
    },
    /// List the sensors
    List,
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

/// What a sensor measures
#[derive(Args)]
pub(super) struct Measures {
    /// Which part of the house it measures [a new one: grid]
    #[arg(long, value_name = "grid|solar|sub-meter")]
    role: Option<Role>,
    /// What its register is: net, which runs backwards for energy fed back, or a counter, whose fall is a reset [a new
    /// one: net]
    #[arg(long, value_name = "net|counter")]
    register: Option<RegisterKind>,
}

impl Measures {
    fn terms(self, name: Option<String>) -> SensorTerms {
        SensorTerms {
            name,
            role: self.role,
            register: self.register,
        }
    }
}

impl SensorCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let request = match self {
            Self::Add {
                sensor_id: id,
                account,
                name,
                measures,
            } => Request::AddSensor {
                id,
                account,
                terms: measures.terms(name),
            },
            Self::Set { id, name, measures } => Request::SetSensor {
                id,
                terms: measures.terms(name),
            },
            Self::Authorize { id } => Request::AuthorizeSensor {
                id,
                authorized: true,
            },
            Self::Revoke { id } => Request::AuthorizeSensor {
                id,
                authorized: false,
            },
            Self::List => return list(global),
            Self::Remove { id, yes } => return remove(global, &id, yes),
        };
        let rows = global.with_store(OpenMode::Existing, |store| store.sensors(request))?;
        if global.json {
            rows.iter().try_for_each(print_json)
        } else {
            show(&rows)
        }
    }
}

fn list(global: &Global) -> Result<()> {
    let rows = global.with_store(OpenMode::Existing, |store| {
        store.sensors(Request::ListSensors)
    })?;
    if global.json {
        return print_json(&rows);
    }
    if rows.is_empty() {
        global.note(
            "There are no sensors yet: `wattkeeper sensor add SENSOR_ID --account NAME` adds one.",
        );
    }
    show(&rows)
}

fn show(rows: &[SensorRow]) -> Result<()> {
    let word = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            [
                row.sensor_id.clone(),
                row.account.clone(),
                row.name.clone(),
                row.role.as_str().to_owned(),
                row.register.as_str().to_owned(),
                word(row.authorized),
                word(row.active),
                row.last_upload.clone().unwrap_or_else(|| "never".into()),
                row.readings.to_string(),
            ]
        })
        .collect();
    print_table(
        [
            "sensor",
            "account",
            "name",
            "role",
            "register",
            "authorized",
            "active",
            "last upload",
            "readings",
        ],
        &lines,
    )
}

fn remove(global: &Global, id: &str, yes: bool) -> Result<()> {
    let readings = global.with_store(OpenMode::Existing, |store| {
        let readings = store.sensor(id)?.readings;
        Ok(readings)
    })?;
    // The store is let go of while somebody thinks about the question.
    if !yes {
        confirm(&format!("Remove sensor {id} and its {readings} readings?"))?;
    }
    let request = Request::RemoveSensor { id: id.to_owned() };
    global.with_store(OpenMode::Existing, |store| store.ask(request))?;
    if global.json {
        print_json(&json!({"sensor_id": id, "removed": true, "readings": readings}))
    } else {
        print_line(&format!("removed sensor {id} and its {readings} readings"))
    }
}
