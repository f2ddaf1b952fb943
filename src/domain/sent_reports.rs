//! Which weekly messages and monthly statements went out, so that each does once. The store keeps it
//! as one setting of the service; no person sets it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::words::words;
use super::{AccountName, LocalDate};

/// A kind of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportKind {
    /// The message about a week.
    Weekly,
    /// The statement of a month.
    Monthly,
}

words! { ReportKind: Weekly "weekly", Monthly "monthly"; "weekly or monthly" }

/// The reports that were sent, by account: the first days of their periods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentReports(BTreeMap<AccountName, SentPeriods>);

/// Of an account, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SentPeriods {
    weekly: Vec<KeptDate>,
    monthly: Vec<KeptDate>,
}

/// A date, as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct KeptDate(LocalDate);

impl TryFrom<String> for KeptDate {
    type Error = super::time::TimeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        LocalDate::parse(&text).map(Self)
    }
}

impl From<KeptDate> for String {
    fn from(KeptDate(date): KeptDate) -> Self {
        date.to_string()
    }
}

impl SentReports {
    /// The most accounts that get reports: their periods fit into one setting.
    pub const MOST_ACCOUNTS: usize = 60;
    /// The last periods that are remembered: a clock that was ahead, or is set back, does not hide
    /// those before.
    const REMEMBERED: usize = 3;

    /// Reads the text of the setting; an empty one has none. `None` if it is another text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        serde_json::from_str(text).ok().map(Self)
    }

    /// The text of the setting.
    pub(crate) fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        // Texts alone, and writing to memory does not fail.
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// Whether the report of the period that begins on `first` may go out on `today`: neither it nor
    /// a later one did. One of a period that has not begun was sent by a clock that was ahead, and
    /// does not count.
    #[must_use]
    pub fn allows(
        &self,
        account: &AccountName,
        (kind, first): (ReportKind, LocalDate),
        today: LocalDate,
    ) -> bool {
        let Some(sent) = self.0.get(account) else {
            return self.0.len() < Self::MOST_ACCOUNTS;
        };
        let sent = match kind {
            ReportKind::Weekly => &sent.weekly,
            ReportKind::Monthly => &sent.monthly,
        };
        let begun = sent.iter().map(|it| it.0).filter(|it| *it <= today);
        begun.max().is_none_or(|last| last < first)
    }

    /// Notes that a report went out.
    pub(crate) fn add(&mut self, account: &AccountName, kind: ReportKind, first: LocalDate) {
        let sent = self.0.entry(account.clone()).or_default();
        let sent = match kind {
            ReportKind::Weekly => &mut sent.weekly,
            ReportKind::Monthly => &mut sent.monthly,
        };
        sent.push(KeptDate(first));
        sent.sort_unstable();
        sent.dedup();
        let before = sent.len().saturating_sub(Self::REMEMBERED);
        sent.drain(..before);
    }

    /// Forgets an account; returns whether anything was known of it.
    pub(crate) fn forget(&mut self, account: &AccountName) -> bool {
        self.0.remove(account).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ServiceSetting;

    const WEEKLY: ReportKind = ReportKind::Weekly;

    fn date(text: &str) -> LocalDate {
        LocalDate::parse(text).unwrap()
    }

    fn home() -> AccountName {
        AccountName::new("home").unwrap()
    }

    fn sent(weeks: &[&str]) -> SentReports {
        let mut sent = SentReports::default();
        for week in weeks {
            sent.add(&home(), WEEKLY, date(week));
        }
        SentReports::read(&sent.text()).unwrap()
    }

    #[test]
    fn a_period_goes_out_once_and_no_older_one_follows() {
        let allows = |weeks: &[&str], first, today| {
            sent(weeks).allows(&home(), (WEEKLY, date(first)), date(today))
        };
        assert!(allows(&[], "2026-11-23", "2026-11-29"));
        assert!(!allows(&["2026-11-23"], "2026-11-23", "2026-11-30"));
        assert!(allows(&["2026-11-23"], "2026-11-30", "2026-12-06"));
        // The clock was set back by one week, by two, and by three.
        let three = ["2026-11-09", "2026-11-16", "2026-11-23"];
        for (first, today) in [
            ("2026-11-16", "2026-11-23"),
            ("2026-11-16", "2026-11-22"),
            ("2026-11-09", "2026-11-16"),
            ("2026-11-02", "2026-11-09"),
        ] {
            assert!(!allows(&three, first, today), "{first}");
        }
        // The clock was ahead, and is right again.
        let ahead = ["2026-11-16", "2031-01-06"];
        assert!(allows(&ahead, "2026-11-23", "2026-11-29"));
        assert!(!allows(&ahead, "2026-11-16", "2026-11-22"));
        // The other kind has its own periods.
        let sent = sent(&["2026-11-23"]);
        let monthly = (ReportKind::Monthly, date("2026-10-01"));
        assert!(sent.allows(&home(), monthly, date("2026-11-30")));
    }

    #[test]
    fn the_longest_text_fits_into_the_setting() {
        let mut sent = SentReports::default();
        assert_eq!(sent.text(), "");
        for number in 0..SentReports::MOST_ACCOUNTS {
            let name = format!("{}{number:02}", "\"".repeat(62));
            for month in 1..=9 {
                for kind in ReportKind::ALL {
                    let first = LocalDate::new(2026, month, 1).unwrap();
                    sent.add(&AccountName::new(&name).unwrap(), kind, first);
                }
            }
        }
        assert!(sent.text().len() <= ServiceSetting::NoticesReported.max_bytes());
        assert_eq!(SentReports::read(&sent.text()), Some(sent.clone()));
        let first = (WEEKLY, date("2026-11-23"));
        assert!(!sent.allows(&home(), first, date("2026-11-30")));
        let known = AccountName::new(&format!("{}00", "\"".repeat(62))).unwrap();
        assert!(sent.allows(&known, first, date("2026-11-30")));
        assert!(sent.forget(&known) && !sent.forget(&known));
        assert!(sent.allows(&home(), first, date("2026-11-30")));
        for wrong in ["{", "[]", r#"{"home":{"weekly":["x"]}}"#] {
            assert_eq!(SentReports::read(wrong), None, "{wrong}");
        }
    }
}
