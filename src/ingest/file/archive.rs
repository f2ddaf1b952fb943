//! Zips: the only file in one, or a sheet of a workbook, which is a zip, too. Nothing that they
//! state is trusted: files are counted, and unpacked only up to a limit.

use std::io::{Cursor, Read};

use anyhow::{Context as _, Result, bail};
use zip::ZipArchive;

use super::size_limits::SizeLimits;
use super::workbook::Workbook;
use crate::ingest::table::begins_like_table;

/// The maximum size of an archive, and the maximum number of files in it.
const PACKED: u64 = 64 * 1024 * 1024;
const FILES: usize = 1_000;
/// The maximum number of sheets that are looked at.
const SHEETS: usize = 50;

/// Whether a file that begins with `magic` is a zip.
pub(super) fn is_zip(magic: &[u8]) -> bool {
    magic.starts_with(b"PK\x03\x04") || magic.starts_with(b"PK\x05\x06")
}

/// The content of a zip.
#[derive(Debug, Default)]
pub(super) struct Unzipped {
    /// Its only file, or a sheet as CSV.
    pub(super) content: Vec<u8>,
    /// The other sheets with times.
    pub(super) other_sheets: Vec<String>,
}

/// The only file in a zip, or the sheet of a workbook as CSV: the one of that name, otherwise the only
/// one with times.
///
/// # Errors
/// If it has several files or sheets, is too large, or damaged.
pub(super) fn unzip(packed: impl Read, most: SizeLimits, name: Option<&str>) -> Result<Unzipped> {
    let mut bytes = Vec::new();
    packed.take(PACKED + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > PACKED {
        bail!(
            "it is a zip of more than {} MiB: unpack it, and name the file",
            PACKED >> 20
        );
    }
    let (mut archive, names) = open(&bytes)?;
    if is_workbook(&names)? {
        return sheet(archive, most, name);
    }
    let is_content = |name: &&String| {
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_other = [".pdf", ".png", ".jpg", ".html"]
            .iter()
            .any(|end| last.to_lowercase().ends_with(end));
        !last.is_empty() && !last.starts_with('.') && !name.starts_with("__MACOSX") && !is_other
    };
    let files: Vec<_> = names.iter().filter(is_content).collect();
    let [file_name] = files.as_slice() else {
        let some: Vec<_> = files.iter().take(10).map(|name| name.as_str()).collect();
        bail!(
            "it is a zip with {} files: unpack it, and name one: {}",
            files.len(),
            some.join(", ")
        );
    };
    let mut content = Vec::new();
    let file = archive
        .by_name(file_name)
        .context("it is a damaged zip, or has a password")?;
    file.take(most.content + 1)
        .read_to_end(&mut content)
        .context("it is a damaged zip")?;
    if u64::try_from(content.len()).unwrap_or(u64::MAX) > most.content {
        bail!(
            "{file_name} has more than {} MiB: unpack it, and name the file",
            most.content >> 20
        );
    }
    if content.starts_with(b"PK\x03\x04") {
        let (archive, names) = open(&content)?;
        if !is_workbook(&names)? {
            bail!("it is a zip in a zip: unpack it, and name the file");
        }
        return sheet(archive, most, name);
    }
    if let Some(name) = name {
        bail!(no_workbook(name));
    }
    Ok(Unzipped {
        content,
        other_sheets: Vec::new(),
    })
}

/// A zip, with the names of its files that can be read.
type NamedZip<'a> = (ZipArchive<Cursor<&'a [u8]>>, Vec<String>);

fn open(bytes: &[u8]) -> Result<NamedZip<'_>> {
    let too_many = || format!("it has more than {FILES} files: unpack it, and name one");
    if states_too_many(bytes) {
        bail!(too_many());
    }
    let archive = ZipArchive::new(Cursor::new(bytes)).context("it is a damaged zip")?;
    if archive.len() > FILES {
        bail!(too_many());
    }
    let names = archive.file_names().filter_map(std::result::Result::ok);
    let names = names.map(std::borrow::Cow::into_owned).collect();
    Ok((archive, names))
}

/// Whether a record at the end of a large zip says that there are more files. The reader would
/// reserve memory for as many before it looks at the first one.
fn states_too_many(bytes: &[u8]) -> bool {
    const RECORD: &[u8] = b"PK\x06\x06";
    let states = |record: &[u8]| {
        let count = record.get(32..40)?.try_into().ok()?;
        let is_record = record.starts_with(RECORD) && record.get(8..12)? == [0; 4];
        Some(is_record && u64::from_le_bytes(count) > FILES as u64)
    };
    bytes.windows(40).any(|at| states(at) == Some(true))
}

/// Whether a zip with these files is a workbook that can be read.
fn is_workbook(names: &[String]) -> Result<bool> {
    let has = |name: &str| names.iter().any(|it| it == name);
    if has("mimetype") && has("content.xml") {
        bail!("it is a sheet in the form of OpenDocument: save it as .xlsx, or as CSV");
    }
    if has("xl/workbook.bin") {
        bail!("it is a workbook in the form of .xlsb: save it as .xlsx, or as CSV");
    }
    Ok(names.iter().any(|name| name.starts_with("xl/")))
}

/// Why a file that is no workbook has no sheet `name`.
pub(super) fn no_workbook(name: &str) -> String {
    format!("it is no workbook, so it has no sheet {name:?}: leave out --sheet")
}

/// The named sheet of a workbook; otherwise the only one that contains times, or else the first one.
fn sheet(
    archive: ZipArchive<Cursor<&[u8]>>,
    most: SizeLimits,
    wanted: Option<&str>,
) -> Result<Unzipped> {
    const UNREADABLE: &str = "the workbook cannot be read: save it again, or as CSV";
    let mut book = Workbook::open(archive, most.workbook).context(UNREADABLE)?;
    let names: Vec<_> = book.names().take(SHEETS).map(str::to_owned).collect();
    let quoted = |names: &[String]| {
        let quoted = names.iter().map(|name| format!("{name:?}"));
        quoted.collect::<Vec<_>>().join(", ")
    };
    let asked = match wanted {
        None => None,
        Some(wanted) => {
            let is_it = |name: &String| name.trim().to_lowercase() == wanted.trim().to_lowercase();
            let Some(index) = names.iter().position(is_it) else {
                bail!(
                    "it has no sheet {wanted:?}, as --sheet says: its sheets are {}",
                    quoted(&names)
                );
            };
            // Before the others, which may take the room that all sheets have.
            Some((index, book.csv(index, most.content).context(UNREADABLE)?))
        }
    };
    let (mut with_times, mut texts, mut first) = (Vec::new(), None, None);
    for (index, name) in names.iter().enumerate() {
        if asked.as_ref().is_some_and(|(own, _)| *own == index) {
            continue;
        }
        let text = match (book.csv(index, most.content), &asked) {
            (Ok(text), _) => text,
            // It is not the one that was asked for.
            (Err(_), Some(_)) => continue,
            (Err(error), None) => return Err(error).context(UNREADABLE),
        };
        if begins_like_table(&text) {
            with_times.push(name.clone());
            // Only one is kept.
            texts = texts.or(Some(text));
        } else if first.is_none() && !text.is_empty() {
            first = Some(text);
        }
    }
    if let Some((_, content)) = asked {
        return Ok(Unzipped {
            content,
            other_sheets: with_times,
        });
    }
    if with_times.len() > 1 {
        bail!(
            "it has several sheets with times: choose one with --sheet NAME: they are {}",
            quoted(&with_times)
        );
    }
    let content = texts
        .or(first)
        .context("the workbook has no sheet with cells")?;
    Ok(Unzipped {
        content,
        other_sheets: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn error(bytes: &[u8]) -> String {
        format!("{:#}", unzip(bytes, SizeLimits::COMMAND, None).unwrap_err())
    }

    #[test]
    fn the_only_file_is_read() {
        let text = b"time,watts\n2026-01-05T10:00:00Z,5\n";
        let files = zipped(&[
            ("a/", b""),
            ("a/x.csv", text),
            ("__MACOSX/._x", b"?"),
            ("readme.pdf", b"%"),
        ]);
        let only = unzip(files.as_slice(), SizeLimits::COMMAND, None).unwrap();
        assert_eq!(only.content, text);
        let named = unzip(files.as_slice(), SizeLimits::COMMAND, Some("x")).unwrap_err();
        assert!(named.to_string().contains("leave out --sheet"), "{named}");
        assert!(
            error(&zipped(&[("a.csv", b"1"), ("b.csv", b"2")]))
                .contains("2 files: unpack it, and name one: a.csv, b.csv")
        );
        assert!(error(b"PK\x03\x04nothing").contains("damaged zip"));
        let inside = zipped(&[("x.zip", &files)]);
        assert!(error(&inside).contains("a zip in a zip"));
        let open = zipped(&[("mimetype", b"x"), ("content.xml", b"<a/>")]);
        assert!(error(&open).contains("OpenDocument: save it as .xlsx, or as CSV"));
        let binary = zipped(&[("xl/workbook.bin", b"x")]);
        assert!(error(&binary).contains(".xlsb: save it as .xlsx, or as CSV"));
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![b'0'; usize::try_from(SizeLimits::COMMAND.content).unwrap() + 1];
        let bomb = zipped(&[("x.csv", &zeros)]);
        assert!(bomb.len() < 1_000_000 && error(&bomb).contains("has more than 256 MiB"));
        let many: Vec<_> = (0..=FILES).map(|n| n.to_string()).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert!(error(&zipped(&many)).contains("more than 1000 files"));
    }

    /// The end of a zip says that it has as many files as bytes before it.
    #[test]
    fn stated_numbers_of_files_reserve_no_memory() {
        let whole = zipped(&[("x.csv", b"time,watts\n")]);
        let end = whole.len() - 22;
        let mut zip = vec![0; 2 * 1024 * 1024];
        zip[..4].copy_from_slice(b"PK\x03\x04");
        let directory = zip.len() as u64;
        zip.extend_from_slice(
            &whole[usize::try_from(u32::from_le_bytes(
                whole[end + 16..end + 20].try_into().unwrap(),
            ))
            .unwrap()..end],
        );
        let record = zip.len() as u64;
        let words = |words: &[u64]| {
            words
                .iter()
                .flat_map(|it| it.to_le_bytes())
                .collect::<Vec<_>>()
        };
        zip.extend_from_slice(b"PK\x06\x06");
        zip.extend(words(&[
            44,
            0x2d | 0x2d << 16,
            directory,
            directory,
            directory * 46,
            directory,
        ]));
        zip.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        zip.extend(words(&[record]));
        zip.extend_from_slice(b"\x01\0\0\0PK\x05\x06\0\0\0\0");
        zip.extend([0xff; 12]);
        zip.extend([0; 2]);
        let counted = allocation_counter::measure(|| {
            assert!(
                error(&zip).contains("more than 1000 files"),
                "{}",
                error(&zip)
            );
        });
        assert!(counted.bytes_max < 16 * 1024 * 1024, "{counted:?}");
    }
}
