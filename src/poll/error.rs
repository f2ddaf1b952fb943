//! Why a poll failed.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// Why a poll failed. Contains no text of the device, and no password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum PollError {
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it did not answer within {} s", .0.as_secs())]
    NoAnswer(Duration),
    #[error("it answered with status {0}: {1}")]
    Status(u16, &'static str),
    #[error("it refuses the password; check user and password_file")]
    WrongPassword,
    #[error("it asks for a password in an unknown way")]
    UnknownLogin,
    #[error("cannot read the password in {}: {cause}", .path.display())]
    PasswordFile { path: PathBuf, cause: String },
    #[error("the variable {0} is not set, or empty: set it to the password")]
    PasswordVariable(String),
    #[error("its answer is not valid HTTP; check preset and address")]
    NotHttp,
    #[error("its answer is longer than {0} bytes; check preset and address")]
    TooLong(u64),
    #[error("its answer is not JSON; check preset and address")]
    NotJson,
    #[error("its answer has neither power nor a register; check the preset")]
    NoNumbers,
    #[error("its Solar API answers with code {0} instead of 0")]
    SolarApi(i64),
    #[error("its answer is not valid Modbus TCP; check preset, address and unit")]
    NotModbus,
    #[error("it answers with the Modbus exception {}: {}", .0, exception(*.0))]
    Exception(u8),
    #[error(
        "it has no SunSpec registers; check address and unit, and switch on Modbus with SunSpec"
    )]
    NoSunspec,
    #[error("none of its SunSpec models belongs to this preset; check preset and unit")]
    NoModel,
    #[error("polling it failed; the log has the reason")]
    Panic,
}

/// The meaning of a Modbus exception (MODBUS Application Protocol, 7).
const fn exception(code: u8) -> &'static str {
    match code {
        1 => "it does not know the function",
        2 => "it has no such registers",
        3 => "it refuses the number of registers",
        4 => "it failed",
        5 | 6 => "it is busy",
        10 | 11 => "no device has this unit; check unit",
        _ => "unknown",
    }
}

impl PollError {
    /// Whether the device is probably off or away.
    pub(super) const fn is_absence(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::NoAnswer(_))
    }
}
