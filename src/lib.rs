//! wattkeeper keeps a household's energy readings: one binary, no database server.
//!
//! The modules, in reading order: each imports only from those above it. docs/ARCHITECTURE.md has
//! the exact order.
//!
//! - `domain`: times, readings, sensors, accounts as values that cannot be wrong
//! - `locks`: locks that ignore the panic of an earlier holder
//! - `trust`: trusted certificates for TLS connections
//! - `texts`: texts of pages, by language
//! - `ledger`: energy from registers, and amounts from contracts
//! - `store`: everything on disk
//! - `query`: the four kinds of result, each from a handful of keys or one pass
//! - `ingest`: the only way into the store for readings, from every protocol
//! - `mqtt`: readings from a broker's messages, and sensors for Home Assistant
//! - `poll`: readings of devices that only answer when polled
//! - `price_sources`: prices and day colours that the service fetches by itself
//! - `home_assistant`: corrected history, as statistics of Home Assistant
//! - `backups`: copies on a schedule
//! - `last_error`: the last logged error
//! - `tally`: counts of requests to devices and sources
//! - `notices`: conditions that need attention, found and sent
//! - `status`: the state of the service, and warnings
//! - `house`: the values of the dashboard
//! - `chart`: power and energy as pictures
//! - `admin`: requests of the commands to a store
//! - `config`: the settings, from file, environment and flags
//! - `export`: everything in the store, as files for other programs
//! - `http`: the web service
//! - `server`: builds, runs and stops all of it
//! - `cli`: the commands

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "who builds it reads the documentation with private items"
)]

mod admin;
mod backups;
mod chart;
mod cli;
mod config;
mod domain;
mod export;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzz;
mod home_assistant;
mod house;
mod http;
mod ingest;
pub mod last_error;
mod ledger;
mod locks;
mod mqtt;
mod notices;
mod poll;
mod price_sources;
mod query;
mod server;
mod status;
mod store;
mod tally;
mod texts;
mod trust;

pub use cli::run;

// Used by tests, benchmarks and examples. The compiler reports everything else that is unused.
pub use admin::Request;
pub use admin::socket::SOCKET;
pub use config::{
    Config, Flags, HttpConfig, StoreConfig, Supervisor, WebOrigin, load as load_config,
};
pub use domain::account::{Account, ApiId, ApiKey, Credential, Phases, Plan};
pub use domain::calendar::Zone;
pub use domain::clock::Moment;
pub use domain::decimal::Decimal;
pub use domain::interval::Interval;
pub use domain::meter::MeterKind;
pub use domain::password::Password;
pub use domain::reading::{Upload, UploadedReading, register_difference};
pub use domain::role::Role;
pub use domain::sensor::SensorId;
pub use domain::session::{Session, SessionOwner};
pub use domain::time::{MS_PER_DAY, Timestamp};
pub use domain::unit::{EnergyUnit, PowerUnit};
pub use domain::{
    AccountName, Between, Measures, Membership, Meter, MicroWh, Person, PersonName, Reading, Scope,
    Secret, Sensor, SentParts, SessionToken, Sign, TimeRange, WallName, WallTablet,
};
pub use house::{HouseEnergies, statement};
pub use ingest::devices::{MappedNumber, SensorTemplate, TimeForm, TopicMapping};
pub use ingest::emoncms::InputRule;
pub use ingest::influx::FieldRule;
pub use ingest::{DeviceAccount, DeviceClock, Quantity, Way};
pub use ledger::contract::{
    Announced, Contract, ContractChange, Contracts, FlatContract, FlatTerms, Label, Percent,
    PriceSeries, Pricer, SeriesPrice, WeekGrid,
};
pub use ledger::notice::{Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject};
pub use ledger::{Author, Correction, Corrections, Event, Fact, Facts, Flow, Made, kilowatthours};
pub use mqtt::intake::{PassedMessage, Recognizer, Subscription};
pub use notices::WebhookFormat;
pub use query::{Aggregate, LedgerEnergy, Point, Query, QueryError, ledger_events};
pub use server::{Clock, Server, ServerError, ServerHandle, system_clock};
pub use store::block::{decode, decode_measure, encode};
pub use store::{
    BackupError, Durability, Measure, OpenMode, PostgresSettings, Registry, Store, StoreError,
    StoreSettings, free_bytes, restore, restore_into_postgres, salvage, write_backup,
};
