//! The weekly message and the monthly statement, as messages: a text, and a page by itself. They have
//! no address and no token.

use askama::Template;

use super::bill_words::{AmountText, BillWords, LineText};
use super::week_report::week;
use super::written::{account_note, report};
use crate::chart::Wording;
use crate::domain::{Currency, Interval, ReportKind, SensorId, Timestamp};
use crate::house::{SensorStatement, SensorStatementError, statement};
use crate::http::pages::frame::figures;
use crate::ledger::AmountGap;
use crate::notices::{AskedReport, WrittenReport};
use crate::store::{Store, StoreError};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "reports/statement.html")]
struct StatementLetter {
    language: &'static Language,
    title: String,
    /// The account, the days, and until when.
    of: String,
    currency: String,
    /// The contracts, or the sources of a sub-meter: names and lines.
    parts: Vec<(String, Vec<LineText>)>,
    total: Option<AmountText>,
    gap: Option<String>,
    paid: Vec<(String, AmountText)>,
    facts: Vec<(String, String)>,
    /// What is to be known about it.
    notes: Vec<String>,
}

/// Writes a report; `None` if nothing is known of its period. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub(crate) fn write_report(
    store: &Store,
    asked: &AskedReport<'_>,
) -> Result<Option<WrittenReport>, StoreError> {
    match (asked.kind, asked.sensor) {
        (ReportKind::Weekly, _) => week(store, asked),
        (ReportKind::Monthly, None) => of_house(store, asked),
        (ReportKind::Monthly, Some(sensor)) => of_sensor(store, asked, sensor),
    }
}

/// The wording of a monthly statement.
struct MonthWords<'a> {
    asked: &'a AskedReport<'a>,
    words: BillWords<'a>,
}

impl MonthWords<'_> {
    fn title(&self, of: &str) -> String {
        let wording = Wording::new(&self.asked.account.zone, self.asked.language);
        let month = wording.bucket_name(self.asked.period.range.start, Interval::Month);
        let values = [("month", month.into()), ("of", of.into())];
        self.asked.language.fill("report-statement-title", values)
    }

    /// The account and the days.
    fn of(&self, end: Timestamp) -> String {
        let wording = Wording::new(&self.asked.account.zone, self.asked.language);
        let last = end.saturating_add_millis(-1);
        let [from, to] = [self.asked.period.range.start, last].map(|time| wording.date(time));
        let days = [("from", from.into()), ("to", to.into())];
        let days = self.asked.language.fill("contract-from-to", days);
        format!("{} · {days}", self.asked.account.name)
    }

    /// The statement in a sentence.
    fn sentence(&self, title: &str, total: Option<&AmountText>, gap: Option<&str>) -> String {
        let language = self.asked.language;
        let Some(total) = total else {
            let unknown = language.say("statement-unknown");
            return format!("{title}. {unknown}");
        };
        let total = match gap {
            Some(gap) => format!("{} {gap}", total.shown),
            None => total.shown.clone(),
        };
        let values = [("title", title.into()), ("total", total.into())];
        language.fill("report-statement", values)
    }

    fn written(&self, store: &Store, letter: &StatementLetter) -> Option<WrittenReport> {
        let (total, gap) = (letter.total.as_ref(), letter.gap.as_deref());
        let mut text = self.sentence(&letter.title, total, gap);
        let note = account_note(store, self.asked.account, self.asked.language);
        if let Some(more) = note {
            text = format!("{text} {more}");
        }
        report(letter.title.clone(), text, letter)
    }

    fn gap(&self, gap: Option<AmountGap>) -> Option<String> {
        gap.map(|gap| self.words.without(gap))
    }
}

/// The statement of the house.
fn of_house(store: &Store, asked: &AskedReport<'_>) -> Result<Option<WrittenReport>, StoreError> {
    let language = asked.language;
    let found = statement(store, asked.account, asked.period.range.clone(), asked.now)?;
    if found.energy.is_none() {
        return Ok(None);
    }
    let currency = found.currency.as_ref().map_or("", Currency::as_str);
    let words = BillWords { language, currency };
    let of = MonthWords {
        asked,
        words: BillWords { language, currency },
    };
    let mut notes = Vec::new();
    if found.currency.is_none() {
        notes.push(language.say("statement-no-contract"));
    } else if found.total().is_none() {
        notes.push(language.say("statement-unknown"));
    } else if !found.is_complete() {
        notes.push(language.say("statement-incomplete"));
    }
    notes.extend(words.other_currency(&found));
    notes.extend(words.converted(&found));
    let contracts = words.contracts(&found.bill.lines).into_iter();
    let letter = StatementLetter {
        language,
        title: of.title(&language.say("report-of-house")),
        of: of.of(found.range.end()),
        currency: figures::currency_sign(currency).to_owned(),
        parts: contracts.map(|it| (it.name, it.lines)).collect(),
        total: found.total().map(|total| words.amount(total)),
        gap: of.gap(found.gap()),
        paid: words.paid(&found),
        facts: words.facts(&found),
        notes,
    };
    Ok(of.written(store, &letter))
}

/// The statement of a sub-meter; none once it is no sub-meter.
fn of_sensor(
    store: &Store,
    asked: &AskedReport<'_>,
    sensor: &SensorId,
) -> Result<Option<WrittenReport>, StoreError> {
    let language = asked.language;
    let of = (sensor, asked.period.range.clone());
    let found = match SensorStatement::of(store, asked.account, of, asked.now) {
        Ok(found) => found,
        Err(SensorStatementError::Store(error)) => return Err(error),
        Err(other) => {
            log::warn!("cannot write the monthly statement: {other}");
            return Ok(None);
        }
    };
    if found.measured.flow.is_none() {
        return Ok(None);
    }
    let currency = found.currency.as_ref().map_or("", Currency::as_str);
    let words = BillWords { language, currency };
    let of = MonthWords {
        asked,
        words: BillWords { language, currency },
    };
    let lines = words.of_paper(&found).into_iter();
    let lines = lines.map(|(contract, line)| match contract.as_str() {
        "" => line,
        contract => LineText {
            what: format!("{} ({contract})", line.what),
            ..line
        },
    });
    let mut notes = Vec::new();
    if found.total().is_none() {
        notes.push(language.say("statement-unknown"));
    } else if !found.is_complete() {
        notes.push(language.say("statement-incomplete"));
    }
    notes.push(language.say("sensor-costs-assumes"));
    notes.push(language.say("sensor-costs-no-validity"));
    let letter = StatementLetter {
        language,
        title: of.title(&found.sensor.name),
        of: of.of(found.range.end()),
        currency: figures::currency_sign(currency).to_owned(),
        parts: vec![(found.sensor.name.clone(), lines.collect())],
        total: found.total().map(|total| words.amount(total)),
        gap: of.gap(found.gap()),
        paid: Vec::new(),
        facts: words.of_sensor(&found),
        notes,
    };
    Ok(of.written(store, &letter))
}
