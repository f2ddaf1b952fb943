//! Asks before something that cannot be undone.

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::{Result, bail};

/// Asks on the terminal; any answer but yes is an error.
pub(super) fn confirm(question: &str) -> Result<()> {
    if !io::stdin().is_terminal() {
        bail!("{question} There is no terminal to ask on: pass --yes to confirm");
    }
    let mut stderr = io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    if matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        Ok(())
    } else {
        bail!("nothing was changed")
    }
}
