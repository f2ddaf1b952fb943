//! `wattkeeper password`: sets the administrator's password.

use std::io::{self, IsTerminal as _};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use super::args::Global;
use super::input::first_line;
use crate::admin::{Request, random};
use crate::domain::{Password, PasswordError};

pub(super) fn run(global: &Global) -> Result<()> {
    let hash = hashed(&typed("New password of the administrator: ")?)?;
    let () = global.ask(Request::SetPassword { hash })?;
    global.print(
        &json!({"password_set": true}),
        "set the administrator's password; all of their browsers are signed out",
    )
}

/// The hash of a password. It is made here, so that the password itself never leaves this process.
pub(super) fn hashed(password: &Password) -> Result<String> {
    let hash = password.hash(random().context("making a salt")?)?;
    Ok(hash.as_str().to_owned())
}

/// Reads a new password, typed twice after `prompt` on a terminal, or else from the first line of
/// standard input.
pub(super) fn typed(prompt: &str) -> Result<Password> {
    if io::stdin().is_terminal() {
        ask_twice(prompt)
    } else {
        read_line()
    }
}

fn ask_twice(prompt: &str) -> Result<Password> {
    let asking = "reading the password from the terminal";
    let first = rpassword::prompt_password(prompt);
    // Checked before the second prompt, so that nobody types a bad password twice.
    let password = Password::new(&first.context(asking)?)?;
    let again = rpassword::prompt_password("Repeat password: ").context(asking)?;
    if !password.is(&again) {
        bail!("the passwords differ: nothing was changed");
    }
    Ok(password)
}

/// The password on the first line of standard input.
fn read_line() -> Result<Password> {
    let line =
        first_line(Password::MAX_BYTES).context("reading the password from standard input")?;
    if line.is_empty() {
        bail!("the password is read from standard input, which is empty");
    }
    // Checked before it is decoded, because it may be cut off within a character.
    if line.len() > Password::MAX_BYTES {
        bail!(PasswordError::TooLong);
    }
    let text = String::from_utf8(line).context("the password on standard input is not UTF-8")?;
    Ok(Password::new(&text)?)
}
