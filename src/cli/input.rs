//! What a command reads from standard input: answers and secrets.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use anyhow::{Result, bail};

/// Asks before something that cannot be undone; any answer but yes is an error.
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

/// The first line of standard input, without its end. Of a line longer than `most` bytes, at least one byte more comes back.
pub(super) fn first_line(most: usize) -> io::Result<Vec<u8>> {
    // The line's end takes two bytes; one more shows that a line is too long. Memory stays bounded, whatever is piped in.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(3);
    let mut line = Vec::new();
    let mut stdin = io::stdin().lock().take(limit);
    stdin.read_until(b'\n', &mut line)?;
    line.pop_if(|byte| *byte == b'\n');
    line.pop_if(|byte| *byte == b'\r');
    Ok(line)
}
