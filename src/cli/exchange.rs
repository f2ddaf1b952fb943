//! One HTTP request and its answer, over any stream: all that commands and the demo need from a
//! client.

use std::io::{Read, Write};

use anyhow::{Result, bail};

/// The longest answer, in bytes. The first page of a backup contains all sensors, about 300 bytes
/// each.
const ANSWER_AT_MOST: u64 = 512 * 1024 * 1024;

/// Posts `body` to `path`; returns the answer's status and body. The stream is useless afterwards.
///
/// # Errors
/// Those of the stream, and for an answer that is not HTTP. They are not of type `io::Error`: a
/// broken pipe here must not be mistaken for a closed stdout, which is not a failure.
pub(super) fn post(
    mut stream: impl Read + Write,
    host: &str,
    path: &str,
    body: &[u8],
) -> Result<(u16, Vec<u8>)> {
    // The server closes the connection after the answer, so finding its end needs no parsing.
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    // A server may answer and close before it has read the body; then writing fails, or reading
    // after the answer.
    let written = stream.write_all(&[head.as_bytes(), body].concat());
    let mut answer = Vec::new();
    let read = stream.take(ANSWER_AT_MOST).read_to_end(&mut answer);
    match (parse(&answer), written.and(read)) {
        (Some(answer), _) => Ok(answer),
        (None, Err(error)) => bail!("{error}"),
        (None, Ok(_)) => bail!("the answer is not HTTP, or incomplete"),
    }
}

/// Status and body of an answer that states its length.
fn parse(answer: &[u8]) -> Option<(u16, Vec<u8>)> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, body) = (answer.get(..end)?, answer.get(end + 4..)?);
    let mut lines = str::from_utf8(head).ok()?.lines();
    let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?;
    let length = lines
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?
        .1;
    // A stopping server may cut off its answer, and half of one must not be decoded.
    let is_complete = length.parse() == Ok(body.len());
    is_complete.then_some((status.parse().ok()?, body.to_vec()))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// A stream that the server closed after `answer`.
    struct ClosedStream {
        answer: &'static [u8],
    }

    impl Read for ClosedStream {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.answer.read(buffer)
        }
    }

    impl Write for ClosedStream {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_answer_of_a_server_that_closes_early_counts() {
        let answer = b"HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\n\r\n";
        let answered = post(ClosedStream { answer }, "x", "/", b"body");
        assert_eq!(answered.unwrap(), (413, vec![]));
        let error = post(ClosedStream { answer: b"" }, "x", "/", b"body").unwrap_err();
        assert!(error.downcast_ref::<io::Error>().is_none(), "{error:?}");
    }

    #[test]
    fn an_answer_is_whole_or_an_error() {
        let answer = b"HTTP/1.1 404 Not Found\r\nx: y\r\nContent-Length: 5\r\n\r\n0.1.0";
        assert_eq!(parse(answer), Some((404, b"0.1.0".to_vec())));
        for end in 0..answer.len() {
            assert_eq!(parse(&answer[..end]), None, "{end}");
        }
        assert_eq!(parse(b"SSH-2.0-x\r\n\r\n"), None);
    }
}
