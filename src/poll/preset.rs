//! The known devices: their ports, the requests to them, and how often they may be polled.
//!
//! Sources: Shelly, shelly-api-docs.shelly.cloud (gen2: RPC channels, common errors,
//! authentication; gen1: `/status`); HomeWizard, api-documentation.homewizard.com (v1); Fronius
//! Solar API v1, operating instructions 42,0410,2012. Ports and units of SMA and Kostal are those
//! of their documents about Modbus with SunSpec.

use std::time::Duration;

use super::answer::{self, AnswerReader};
use super::sunspec::SunspecPart;
use crate::domain::words::words;

/// The known devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollPreset {
    /// Shellys of the second and later generations: all channels, by `Shelly.GetStatus`.
    Shelly,
    /// Shellys of the first generation: all channels, by `/status`.
    ShellyGen1,
    /// A 3EM of the first generation as one meter.
    ShellyGen1ThreePhases,
    /// A P1 meter, kWh meter or socket of HomeWizard, by its API v1.
    Homewizard,
    /// The meters at an inverter of Fronius, by its Solar API.
    FroniusMeter,
    /// An inverter of Fronius, by its Solar API.
    FroniusInverter,
    /// An inverter of SMA, by Modbus TCP with SunSpec.
    Sma,
    /// An inverter of Kostal, in the same way.
    Kostal,
    /// Any other inverter with SunSpec.
    SunspecInverter,
    /// The meters of a device with SunSpec.
    SunspecMeter,
}

words! {
    PollPreset: Shelly "shelly", ShellyGen1 "shelly-gen1", ShellyGen1ThreePhases "shelly-gen1-3em", Homewizard "homewizard",
        FroniusMeter "fronius-meter", FroniusInverter "fronius-inverter", Sma "sma", Kostal "kostal",
        SunspecInverter "sunspec-inverter", SunspecMeter "sunspec-meter";
    "shelly, shelly-gen1, shelly-gen1-3em, homewizard, fronius-meter, fronius-inverter, sma, kostal, sunspec-inverter or sunspec-meter"
}

/// The scheme in which a device expects a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginKind {
    /// HTTP Basic, RFC 7617.
    Basic,
    /// HTTP Digest with SHA-256, RFC 7616.
    Digest,
}

/// A request to a device.
pub(super) enum Question {
    /// This path and query over HTTP, and the reader of the answer.
    Get(String, AnswerReader),
    /// Registers, by Modbus TCP.
    Registers(SunspecPart),
}

/// The usual terms of a preset's devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsualTerms {
    /// The port.
    pub port: u16,
    /// The usual time between two polls.
    pub every: Duration,
    /// The shortest time that these devices tolerate.
    pub least: Duration,
    /// The scheme for passwords; `None` if these devices have no passwords.
    pub login: Option<LoginKind>,
    /// The number of the device behind its address; `None` if there is only one.
    pub unit: Option<u8>,
}

impl PollPreset {
    /// The usual terms of these devices.
    #[must_use]
    pub const fn usual(self) -> UsualTerms {
        let (port, every, least, login, unit) = match self {
            Self::Shelly => (80, 10, 2, Some(LoginKind::Digest), None),
            // Their memory is small: some stop answering if they are polled more often.
            Self::ShellyGen1 | Self::ShellyGen1ThreePhases => {
                (80, 15, 5, Some(LoginKind::Basic), None)
            }
            // A meter shows new power every second at best.
            Self::Homewizard => (80, 10, 1, None, None),
            // Some inverters restart if they are polled every 10 s and by others at the same time.
            Self::FroniusMeter => (80, 30, 10, None, None),
            Self::FroniusInverter => (80, 60, 10, None, Some(1)),
            // For SMA: the device's own unit, 3, and 123.
            Self::Sma => (502, 30, 5, None, Some(126)),
            Self::Kostal => (1_502, 30, 5, None, Some(71)),
            Self::SunspecInverter => (502, 30, 5, None, Some(1)),
            Self::SunspecMeter => (502, 10, 5, None, Some(1)),
        };
        UsualTerms {
            port,
            every: Duration::from_secs(every),
            least: Duration::from_secs(least),
            login,
            unit,
        }
    }

    /// The time between the end of a request and the next one to the same address, for any purpose.
    pub(super) const fn pause(self) -> Duration {
        match self {
            // Solar API, 2.6: 4 s between two requests.
            Self::FroniusMeter | Self::FroniusInverter => Duration::from_secs(4),
            _ => Duration::from_millis(100),
        }
    }

    /// The request to the device with this unit.
    pub(super) fn question(self, unit: u8) -> Question {
        let (path, read): (_, AnswerReader) = match self {
            Self::Shelly => ("/rpc/Shelly.GetStatus".into(), answer::shelly),
            Self::ShellyGen1 => ("/status".into(), answer::shelly_gen1),
            Self::ShellyGen1ThreePhases => ("/status".into(), answer::shelly_gen1_3em),
            Self::Homewizard => ("/api/v1/data".into(), answer::homewizard),
            Self::FroniusMeter => (
                "/solar_api/v1/GetMeterRealtimeData.cgi?Scope=System".into(),
                answer::fronius_meters,
            ),
            Self::FroniusInverter => (
                format!(
                    "/solar_api/v1/GetInverterRealtimeData.cgi?Scope=Device&DeviceId={unit}&DataCollection=CommonInverterData"
                ),
                answer::fronius_inverter,
            ),
            Self::Sma | Self::Kostal | Self::SunspecInverter => {
                return Question::Registers(SunspecPart::Inverter);
            }
            Self::SunspecMeter => return Question::Registers(SunspecPart::Meters),
        };
        Question::Get(path, read)
    }

    /// Whether the device may be off for hours every day.
    #[must_use]
    pub const fn sleeps(self) -> bool {
        matches!(
            self,
            Self::FroniusInverter | Self::Sma | Self::Kostal | Self::SunspecInverter
        )
    }

    /// Advice on an answer with this status.
    pub(super) const fn advice(self, status: u16) -> &'static str {
        match (self, status) {
            (_, 300..=399) => "it redirects elsewhere, which is not followed; check the address",
            (Self::Homewizard, 403) => {
                "its local API is off; switch it on in the HomeWizard app, in the settings of the device"
            }
            (Self::FroniusMeter | Self::FroniusInverter, 404) => {
                "its Solar API is off; switch it on in the inverter's own pages, under Communication"
            }
            (Self::Shelly | Self::ShellyGen1 | Self::ShellyGen1ThreePhases, 401) => {
                "set password_file, and user if it is not admin"
            }
            (_, 429) => "it is polled too often; set a longer interval",
            (_, 404) => "it is another device; check preset and address",
            _ => "check preset and address",
        }
    }
}
