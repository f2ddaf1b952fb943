//! Why a poll failed.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// Why a poll failed. Contains no text of the device, and no password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PollError {
    /// Nothing listens there, for this reason of the system.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// No answer within this time.
    #[error("it did not answer within {} s", .0.as_secs())]
    NoAnswer(Duration),
    /// Another status of HTTP than 200, and advice.
    #[error("it answered with status {0}: {1}")]
    Status(u16, &'static str),
    /// It refuses the login.
    #[error("it refuses the password; check user and password_file")]
    WrongPassword,
    /// It wants a login of an unknown kind.
    #[error("it asks for a password in an unknown way")]
    UnknownLogin,
    /// The file with the password cannot be read.
    #[error("cannot read the password in {}: {cause}", .path.display())]
    PasswordFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: String,
    },
    /// The variable with the password is not set.
    #[error("the variable {0} is not set, or empty: set it to the password")]
    PasswordVariable(String),
    /// The answer is not HTTP.
    #[error("its answer is not valid HTTP; check preset and address")]
    NotHttp,
    /// The answer is longer than this, in bytes.
    #[error("its answer is longer than {0} bytes; check preset and address")]
    TooLong(u64),
    /// The answer is not JSON.
    #[error("its answer is not JSON; check preset and address")]
    NotJson,
    /// The answer has no value of its kind.
    #[error("its answer has neither power nor a register; check the preset")]
    NoNumbers,
    /// The status of Fronius' Solar API.
    #[error("its Solar API answers with code {0} instead of 0")]
    SolarApi(i64),
    /// The answer is not Modbus TCP.
    #[error("its answer is not valid Modbus TCP; check preset, address and unit")]
    NotModbus,
    /// An exception of Modbus.
    #[error("it answers with the Modbus exception {}: {}", .0, exception(*.0))]
    Exception(u8),
    /// The device has no SunSpec registers.
    #[error(
        "it has no SunSpec registers; check address and unit, and switch on Modbus with SunSpec"
    )]
    NoSunspec,
    /// The device has no SunSpec model of the preset.
    #[error("none of its SunSpec models belongs to this preset; check preset and unit")]
    NoModel,
    /// A fault of wattkeeper.
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
    #[must_use]
    pub const fn is_absence(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::NoAnswer(_))
    }
}
