//! wattkeeper keeps a household's energy readings: one binary, no database server.
//!
//! The modules, in reading order; each imports only from those above it (docs/ARCHITECTURE.md):
//!
//! - `domain`: times, readings, sensors, accounts as values that cannot be wrong
//! - `locks`: locks, whatever happened to an earlier holder
//! - `trust`: whom connections by TLS trust
//! - `texts`: what pages say, by language
//! - `ledger`: energy from registers, and amounts from contracts
//! - `store`: what is on disk
//! - `query`: the four kinds of result, each from a handful of keys or one pass
//! - `ingest`: the one door for readings, whatever protocol brought them
//! - `mqtt`: readings from a broker's messages, and sensors for Home Assistant
//! - `poll`: readings of devices that only answer when they are asked
//! - `backups`: copies on a schedule
//! - `last_error`: the last error that was logged
//! - `notices`: what people should know, found and sent
//! - `status`: how the service is, and what to look after
//! - `house`: what the dashboard says
//! - `chart`: power and energy as pictures
//! - `admin`: what the commands ask of a store
//! - `config`: the settings, from file, environment and flags
//! - `http`: the web service
//! - `server`: start, run and stop of it all
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
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzz;
mod house;
mod http;
mod ingest;
pub mod last_error;
mod ledger;
mod locks;
mod mqtt;
mod notices;
mod poll;
mod query;
mod server;
mod status;
mod store;
mod texts;
mod trust;

pub use cli::run;

// What tests, benchmarks and examples use. All else the compiler reports once nothing needs it.
pub use admin::Request;
pub use admin::socket::SOCKET;
pub use config::{
    Config, Flags, HttpConfig, StoreConfig, Supervisor, WebOrigin, load as load_config,
};
pub use domain::account::{Account, ApiId, ApiKey, Credential, Plan};
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
pub use ingest::emoncms::InputRule;
pub use ingest::influx::FieldRule;
pub use ingest::{DeviceAccount, DeviceClock, Quantity, Way};
pub use ledger::contract::{
    Contract, ContractChange, Contracts, FlatContract, FlatTerms, Label, PriceSeries, Pricer,
    SeriesPrice, WeekGrid,
};
pub use ledger::notice::{Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject};
pub use ledger::{Author, Correction, Corrections, Event, Fact, Facts, Flow, Made, kilowatthours};
pub use mqtt::intake::{
    MappedNumber, PassedMessage, Recognizer, SensorTemplate, Subscription, TimeForm, TopicMapping,
};
pub use notices::WebhookFormat;
pub use query::{Aggregate, LedgerEnergy, Point, Query, QueryError, ledger_events};
pub use server::{Clock, Server, ServerError, ServerHandle, system_clock};
pub use store::block::{decode, decode_measure, encode};
pub use store::{
    BackupError, Durability, Measure, OpenMode, PostgresSettings, Registry, Store, StoreError,
    StoreSettings, free_bytes, restore, restore_into_postgres, salvage, write_backup,
};
