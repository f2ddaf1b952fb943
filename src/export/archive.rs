//! A ZIP archive, written from its start to its end: the format is that of PKWARE's APPNOTE.TXT 6.3.

use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;

use anyhow::Result;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::files::ExportTarget;

/// An archive under way. One that is dropped before its end gets none: nobody takes a part for the whole.
pub(crate) struct ExportArchive<W: Write> {
    // Dropped before the next one, which writes the end of an archive when it is dropped.
    _shut: ShutOnDrop,
    zip: ZipWriter<StreamWriter<Gate<W>>>,
    /// The folder in the archive that has all files.
    folder: String,
}

/// A writer that drops everything once it is shut.
struct Gate<W> {
    out: W,
    is_shut: Rc<Cell<bool>>,
}

/// Shuts the gate.
struct ShutOnDrop(Rc<Cell<bool>>);

impl Drop for ShutOnDrop {
    fn drop(&mut self) {
        self.0.set(true);
    }
}

impl<W: Write> Write for Gate<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_shut.get() {
            return Ok(bytes.len());
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> ExportArchive<W> {
    pub(crate) fn new(folder: String, out: W) -> Self {
        let is_shut = Rc::<Cell<bool>>::default();
        let gate = Gate {
            out,
            is_shut: Rc::clone(&is_shut),
        };
        Self {
            _shut: ShutOnDrop(is_shut),
            zip: ZipWriter::new_stream(gate),
            folder,
        }
    }

    /// Writes the end of the archive, without which nobody takes it for whole.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn finish(self) -> Result<()> {
        self.zip.finish()?.into_inner().flush()?;
        Ok(())
    }
}

impl<W: Write> ExportTarget for ExportArchive<W> {
    fn begin(&mut self, path: &str) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(0o600)
            // Nobody knows yet how long it becomes.
            .large_file(true);
        self.zip
            .start_file(format!("{}/{path}", self.folder), options)?;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.zip.write_all(bytes)
    }

    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use zip::ZipArchive;

    use super::*;

    #[test]
    fn it_holds_all_files() {
        let mut bytes = Vec::new();
        let mut archive = ExportArchive::new("all".to_owned(), &mut bytes);
        let long = "time,watts,watthours\n".repeat(100_000);
        for (path, text) in [("readings/house.csv", &*long), ("keys.json", "[]\n")] {
            archive.begin(path).unwrap();
            archive.write(text.as_bytes()).unwrap();
            archive.end().unwrap();
        }
        archive.finish().unwrap();
        assert!(bytes.len() < long.len() / 50);
        let mut found = ZipArchive::new(Cursor::new(bytes)).unwrap();
        assert_eq!(found.len(), 2);
        let mut text = String::new();
        let mut house = found.by_name("all/readings/house.csv").unwrap();
        house.read_to_string(&mut text).unwrap();
        assert!(text == long);
    }

    #[test]
    fn a_part_is_no_archive() {
        let mut bytes = Vec::new();
        let mut archive = ExportArchive::new("all".to_owned(), &mut bytes);
        archive.begin("keys.json").unwrap();
        archive.write(b"[").unwrap();
        drop(archive);
        assert!(bytes.starts_with(b"PK"));
        ZipArchive::new(Cursor::new(bytes)).unwrap_err();
    }
}
