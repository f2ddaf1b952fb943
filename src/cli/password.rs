//! `wattkeeper password`: sets the administrator's password.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use super::args::Global;
use crate::admin::Request;
use crate::domain::{Password, PasswordError};

pub(super) fn run(global: &Global) -> Result<()> {
    let password = if io::stdin().is_terminal() {
        ask_twice()?
    } else {
        read_line()?
    };
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).context("making a salt")?;
    let hash = password.hash(salt)?.as_str().to_owned();
    let request = Request::SetPassword { hash };
    let () = global.ask(request)?;
    global.print(
        &json!({"password_set": true}),
        "set the administrator's password; all browsers are signed out",
    )
}

fn ask_twice() -> Result<Password> {
    let asking = "reading the password from the terminal";
    let first = rpassword::prompt_password("New password of the administrator: ");
    // Checked before the second prompt: nobody should type a bad password twice.
    let password = Password::new(&first.context(asking)?)?;
    let again = rpassword::prompt_password("Repeat password: ").context(asking)?;
    if !password.is(&again) {
        bail!("the passwords differ: nothing was changed");
    }
    Ok(password)
}

/// The password on the first line of standard input.
fn read_line() -> Result<Password> {
    // With the line's end, and one byte more to detect a line that is too long.
    let longest = u64::try_from(Password::MAX_BYTES).unwrap_or(u64::MAX) + 3;
    let mut line = Vec::new();
    io::stdin()
        .lock()
        .take(longest)
        .read_until(b'\n', &mut line)
        .context("reading the password from standard input")?;
    let line = line.strip_suffix(b"\n").unwrap_or(&line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        bail!("the password is read from standard input, which is empty");
    }
    // Checked before it is decoded: it may be cut off within a character.
    if line.len() > Password::MAX_BYTES {
        bail!(PasswordError::TooLong);
    }
    let text = std::str::from_utf8(line).context("the password on standard input is not UTF-8")?;
    Ok(Password::new(text)?)
}
