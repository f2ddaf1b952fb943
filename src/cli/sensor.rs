//! `wattkeeper sensor`: add, change, list, authorize, revoke, remove sensors.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

use super::args::Global;
use super::input::confirm;
use super::output::TableRow;
use crate::admin::{Request, SensorRow, SensorTerms};
use crate::domain::{RegisterKind, Role};

/// Sensors: the sources of readings
#[derive(Subcommand)]
pub(super) enum SensorCommand {
    /// Add a sensor to an account and authorize it
    ///
    /// If the account has the sensor already, it is authorized again, and renamed if a name is given.
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
    /// Change a sensor's name, its role, or the kind of its register
    Set {
        /// The sensor's id
        id: String,
        /// A name for people
        #[arg(long, value_name = "TEXT", required_unless_present_any = ["role", "register"])]
        name: Option<String>,
        #[command(flatten)]
        measures: MeasureArgs,
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
pub(super) struct MeasureArgs {
    /// The part of the house that it measures [default of a new sensor: grid]
    #[arg(long, value_name = "grid|solar|sub-meter")]
    role: Option<Role>,
    /// The kind of its register: net runs backwards for energy fed back; the fall of a counter is a reset [default of a new
    /// sensor: net]
    #[arg(long, value_name = "net|counter")]
    register: Option<RegisterKind>,
}

impl MeasureArgs {
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
        let authorize = |id, authorized| Request::AuthorizeSensor { id, authorized };
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
            Self::Authorize { id } => authorize(id, true),
            Self::Revoke { id } => authorize(id, false),
            Self::List => {
                let rows: Vec<SensorRow> = global.ask(Request::ListSensors)?;
                let hint = "There are no sensors yet: `wattkeeper sensor add SENSOR_ID --account NAME` adds one.";
                return global.print_list(&rows, hint);
            }
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
            word(self.authorized),
            word(self.active),
            self.last_upload.clone().unwrap_or_else(|| "never".into()),
            self.readings.to_string(),
        ]
    }
}

fn remove(global: &Global, id: &str, yes: bool) -> Result<()> {
    // The store is closed in between: others can use it while somebody thinks about the question. With --yes, too: the
    // result states the number of readings.
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
