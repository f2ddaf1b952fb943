//! Input of a command from the terminal or standard input: answers and secrets.

use std::fs::File;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Asks before an action that cannot be undone; any answer except yes is an error.
pub(super) fn confirm(question: &str) -> Result<()> {
    if !io::stdin().is_terminal() {
        bail!("{question} There is no terminal to ask: pass --yes to confirm");
    }
    let answer = answer(&format!("{question} [y/N]"))?.unwrap_or_default();
    if matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes") {
        Ok(())
    } else {
        bail!("nothing was changed")
    }
}

/// Asks for a line; `None` if there is no terminal.
pub(super) fn answer(question: &str) -> Result<Option<String>> {
    if !io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut stderr = io::stderr();
    write!(stderr, "{question} ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(Some(answer.trim().to_owned()))
}

/// The text of a file of at most `most` bytes; `-` is standard input.
pub(super) fn read_text(path: &Path, most: usize) -> Result<String> {
    let text = read_bytes(path, most)?;
    String::from_utf8(text).with_context(|| format!("reading {}", path.display()))
}

/// Reads a file; - is standard input.
///
/// # Errors
/// If it cannot be read, or is longer than `most` bytes.
pub(super) fn read_bytes(path: &Path, most: usize) -> Result<Vec<u8>> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    let mut text = Vec::new();
    let reading = || format!("reading {}", path.display());
    // One byte more, to notice that the file is too long.
    let read = if path == Path::new("-") {
        io::stdin()
            .lock()
            .take(limit.saturating_add(1))
            .read_to_end(&mut text)
    } else {
        let file = File::open(path).with_context(reading)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut text)
    };
    read.with_context(reading)?;
    if text.len() > most {
        bail!("{} is longer than {most} bytes", path.display());
    }
    Ok(text)
}

/// Reads the first line of standard input, without its end. For a line longer than `most` bytes, at
/// least one byte more is returned.
pub(super) fn first_line(most: usize) -> io::Result<Vec<u8>> {
    // The line end takes two bytes; one more reveals a line that is too long. Memory stays bounded
    // for any input.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(3);
    let mut line = Vec::new();
    let mut stdin = io::stdin().lock().take(limit);
    stdin.read_until(b'\n', &mut line)?;
    line.pop_if(|byte| *byte == b'\n');
    line.pop_if(|byte| *byte == b'\r');
    Ok(line)
}
