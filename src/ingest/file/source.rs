//! The imported file or standard input, decompressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use flate2::bufread::MultiGzDecoder;
use indicatif::ProgressBar;
use lzma_rust2::XzReader;

use super::archive::{is_zip, no_workbook, unzip};
use super::encoding::{Utf8Reader, encoding_of};
use super::size_limits::SizeLimits;
use crate::ingest::table::TableBytes;

const BUFFER_BYTES: usize = 128 * 1024;
/// The number of bytes read to recognize the format.
const HEAD_BYTES: u64 = 16 * 1024;
/// The number of bytes that reveal the compression.
const MAGIC_BYTES: u64 = 6;
/// The longest line of JSON with many values.
const LINE_AT_MOST: u64 = 256 * MIB;
const MIB: u64 = 1024 * 1024;
/// The memory for decompression, in MiB: the file determines the size of the dictionary, up to 4
/// GiB. `xz -9` takes 65.
const UNPACKING_AT_MOST: u32 = 512;

/// An opened source.
pub(crate) struct ImportSource {
    /// Its first bytes, decompressed, without a byte order mark.
    pub(crate) head: Vec<u8>,
    /// The bytes after the head.
    pub(crate) rest: Box<dyn Read + Send>,
    /// Shows how much was read.
    pub(crate) progress: ProgressBar,
    pub(super) limits: SizeLimits,
    /// Sheets of the workbook that have times, too.
    pub(super) other_sheets: Vec<String>,
}

/// The source as text: its last line always ends with a newline, and a row that is too long is an
/// error.
pub(crate) struct RowBytes {
    source: io::Chain<io::Cursor<Vec<u8>>, Box<dyn Read + Send>>,
    last: u8,
    /// The number of bytes since the end of a row, and the maximum.
    since_row: u64,
    at_most: u64,
}

impl ImportSource {
    /// Opens the file at `path`, or standard input for `-`. Its first bytes reveal the compression,
    /// because standard input has no file extension. `sheet` names one of a workbook. `progress` is
    /// called with its length.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn open(
        path: &Path,
        sheet: Option<&str>,
        progress: impl FnOnce(Option<u64>) -> ProgressBar,
    ) -> Result<Self> {
        let (raw, length): (Box<dyn Read + Send>, Option<u64>) = if path.as_os_str() == "-" {
            (Box::new(io::stdin()), None)
        } else {
            let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                bail!("{} is a folder", path.display());
            }
            // A named pipe or /dev/stdin has a path, but no length.
            (Box::new(file), metadata.is_file().then_some(metadata.len()))
        };
        let progress = progress(length);
        let packed = BufReader::with_capacity(BUFFER_BYTES, progress.wrap_read(raw));
        Self::unpack(packed, sheet, progress, SizeLimits::COMMAND)
            .with_context(|| format!("reading {}", path.display()))
    }

    /// A source of these bytes.
    ///
    /// # Errors
    /// If they cannot be unpacked.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Result<Self> {
        let limits = SizeLimits::COMMAND;
        Self::unpack(io::Cursor::new(bytes), None, ProgressBar::hidden(), limits)
    }

    /// A source of these bytes; `sheet` names one of a workbook. Reading more than `most` bytes of text is an error.
    ///
    /// # Errors
    /// If they cannot be unpacked.
    pub(crate) fn of_small(bytes: Vec<u8>, sheet: Option<&str>, most: usize) -> Result<Self> {
        let limits = SizeLimits::of_text(u64::try_from(most).unwrap_or(u64::MAX));
        Self::unpack(io::Cursor::new(bytes), sheet, ProgressBar::hidden(), limits)
    }

    /// A source of a table that was converted from another format.
    pub(super) fn of_table(text: Vec<u8>, progress: ProgressBar, limits: SizeLimits) -> Self {
        let mut rest = io::Cursor::new(text);
        let mut head = Vec::new();
        // Reading from memory cannot fail.
        let _ = rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
        Self {
            head,
            rest: Box::new(rest),
            progress,
            limits,
            other_sheets: Vec::new(),
        }
    }

    fn unpack(
        mut packed: impl BufRead + Send + 'static,
        sheet: Option<&str>,
        progress: ProgressBar,
        limits: SizeLimits,
    ) -> Result<Self> {
        // Not `fill_buf`, because a pipe may deliver a single byte at first.
        let mut magic = Vec::new();
        packed.by_ref().take(MAGIC_BYTES).read_to_end(&mut magic)?;
        let packed = io::Cursor::new(magic.clone()).chain(packed);
        let mut other_sheets = Vec::new();
        let is_zip = is_zip(&magic);
        if let Some(sheet) = sheet.filter(|_| !is_zip) {
            bail!(no_workbook(sheet));
        }
        let mut rest: Box<dyn Read + Send> = if is_zip {
            let unzipped = unzip(packed, limits, sheet)?;
            other_sheets = unzipped.other_sheets;
            Box::new(io::Cursor::new(unzipped.content))
        } else if magic.starts_with(&[0x1f, 0x8b]) {
            // `cat a.gz b.gz` has several members; flate2's `GzDecoder` would stop after the first.
            Box::new(MultiGzDecoder::new(packed))
        } else if magic.starts_with(b"\xfd7zXZ\0") {
            // `true` for several streams, for the same reason.
            let kib = UNPACKING_AT_MOST * 1024;
            Box::new(XzReader::new_mem_limit(packed, true, kib))
        } else {
            Box::new(packed)
        };
        let mut head = Vec::new();
        let read = rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
        if matches!(&read, Err(error) if error.kind() == io::ErrorKind::OutOfMemory) {
            bail!(
                "decompressing it takes more than {UNPACKING_AT_MOST} MiB of memory: compress it with `xz -9` or less"
            );
        }
        read?;
        if head.starts_with(b"\xd0\xcf\x11\xe0") {
            bail!(
                "it is a sheet of an old Excel, or one with a password: save it as .xlsx without a password, or as CSV"
            );
        }
        if let Some(encoding) = encoding_of(&head) {
            let whole = io::Cursor::new(std::mem::take(&mut head)).chain(rest);
            rest = Box::new(Utf8Reader::new(whole, encoding));
            rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        }
        // Spreadsheets write this mark, which would become part of the first column's name.
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        if head.trim_ascii().is_empty() {
            bail!("the file is empty");
        }
        if let Some(most) = limits.text {
            let left = most.saturating_sub(u64::try_from(head.len()).unwrap_or(u64::MAX));
            rest = Box::new(SmallText { text: rest, left });
        }
        Ok(Self {
            head,
            rest,
            progress,
            limits,
            other_sheets,
        })
    }

    /// The source from its beginning.
    pub(crate) fn rows(self) -> RowBytes {
        let at_most = self.limits.row;
        self.rows_of(at_most)
    }

    /// The source from its beginning, for lines of JSON that have many values.
    pub(crate) fn lines(self) -> RowBytes {
        self.rows_of(LINE_AT_MOST)
    }

    fn rows_of(self, at_most: u64) -> RowBytes {
        RowBytes {
            source: io::Cursor::new(self.head).chain(self.rest),
            last: b'\n',
            since_row: 0,
            at_most,
        }
    }
}

/// A text with a maximum length.
struct SmallText {
    text: Box<dyn Read + Send>,
    left: u64,
}

impl Read for SmallText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        let read = u64::try_from(count).unwrap_or(u64::MAX);
        let Some(left) = self.left.checked_sub(read) else {
            return Err(io::Error::other(SizeLimits::TOO_LARGE_FOR_PAGE));
        };
        self.left = left;
        Ok(count)
    }
}

impl TableBytes for RowBytes {
    fn row_ended(&mut self) {
        self.since_row = 0;
    }
}

impl Read for RowBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut count = self.source.read(buffer)?;
        // At the end, a newline is added to a last line without one, because the count of lines
        // relies on it.
        if count == 0
            && self.last != b'\n'
            && let Some(first) = buffer.first_mut()
        {
            *first = b'\n';
            count = 1;
        }
        if let Some(last) = buffer.get(..count).and_then(<[u8]>::last) {
            self.last = *last;
        }
        self.since_row += u64::try_from(count).unwrap_or_default();
        if self.since_row > self.at_most {
            let at_most = self.at_most / 1024;
            return Err(io::Error::other(format!(
                "a row is longer than {at_most} KiB: is a quote missing?"
            )));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(_: Option<u64>) -> ProgressBar {
        ProgressBar::hidden()
    }

    fn open(bytes: &[u8]) -> Result<ImportSource> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("readings");
        std::fs::write(&path, bytes).unwrap();
        ImportSource::open(&path, None, hidden)
    }

    fn text(bytes: &[u8]) -> String {
        let mut text = String::new();
        let mut rows = open(bytes).unwrap().rows();
        rows.read_to_string(&mut text).unwrap();
        text
    }

    /// Delivers one byte at a time, as a slow pipe does.
    struct SlowPipe(io::Cursor<Vec<u8>>);

    impl Read for SlowPipe {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let end = buffer.len().min(1);
            self.0.read(&mut buffer[..end])
        }
    }

    #[test]
    fn a_slow_pipe_may_be_packed() {
        let plain = b"time,watts\n2026-01-05T10:00:00,1\n";
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        io::Write::write_all(&mut gz, plain).unwrap();
        for bytes in [plain.to_vec(), gz.finish().unwrap(), b"7".to_vec()] {
            let pipe = BufReader::new(SlowPipe(io::Cursor::new(bytes.clone())));
            let source =
                ImportSource::unpack(pipe, None, ProgressBar::hidden(), SizeLimits::COMMAND)
                    .unwrap();
            let expected = if bytes.len() > 1 { &plain[..] } else { b"7" };
            assert_eq!(source.head, expected);
        }
    }

    #[test]
    fn packed_or_not() {
        let plain = b"time,watts\n2026-01-05T10:00:00,1\n";
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        io::Write::write_all(&mut gz, plain).unwrap();
        let gz = gz.finish().unwrap();
        let twice = [&plain[..], &plain[..]].concat();
        assert_eq!(text(plain).as_bytes(), plain);
        assert_eq!(text(&gz).as_bytes(), plain);
        assert_eq!(text(&[&gz[..], &gz[..]].concat()).as_bytes(), twice);
        assert!(open(&gz[..gz.len() - 9]).is_err());
    }

    #[test]
    fn unpacking_takes_bounded_memory() {
        // The dictionary has 4 MiB in one, and 1 GiB in the other; the content is the same.
        for (header, is_refused) in [
            (b"\x0c\0\0\0\x8f\x98\x41\x9c", false),
            (b"\x24\0\0\0\x5e\x1f\xc7\xf9", true),
        ] {
            let xz = [
                &b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46\x02\0\x21\x01"[..],
                header,
                b"\x01\0\x0etime,watts\n1,2\n\0\0\xac\xf8\x89\x8f\x04\x67\xcb\x32\0\x01",
                b"\x27\x0f\xdf\x1a\xfc\x6a\x1f\xb6\xf3\x7d\x01\0\0\0\0\x04\x59\x5a",
            ]
            .concat();
            match open(&xz) {
                Ok(source) => assert!(!is_refused && source.head == b"time,watts\n1,2\n"),
                Err(error) => {
                    assert!(
                        is_refused && format!("{error:#}").contains("512 MiB"),
                        "{error:#}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(text(b"\xef\xbb\xbftime"), "time\n");
        assert_eq!(text(b"\xff\xfet\0i\0"), "ti\n");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let error = ImportSource::open(Path::new("/nowhere/x.csv"), None, hidden)
            .err()
            .unwrap();
        assert!(format!("{error:#}").contains("/nowhere/x.csv"), "{error:#}");
        assert!(ImportSource::open(Path::new("/"), None, hidden).is_err());
        assert!(open(b" \n\n").is_err());
    }

    #[test]
    fn a_row_without_end_is_an_error() {
        let endless = [b"\"".to_vec(), vec![b'x'; 5 * 1024 * 1024]].concat();
        let mut rows = open(&endless).unwrap().rows();
        assert!(io::copy(&mut rows, &mut io::sink()).is_err());
        let mut rows = open(&endless).unwrap().rows();
        let mut buffer = [0; 4096];
        while rows.read(&mut buffer).unwrap() > 0 {
            rows.row_ended();
        }
    }
}
