//! The next report to send: due, chosen, not sent yet, and about something known.

use std::collections::BTreeMap;
use std::time::Duration;

use super::due;
use super::{
    AskedReport, MonthlyStatement, ReportChoices, ReportPeriod, ReportWriter, WrittenReport,
};
use crate::domain::{Account, AccountName, LocalDate, Moment, ReportKind, SensorId};
use crate::ledger::notice::NoticeKind;
use crate::store::{Registry, Store};
use crate::texts::Language;

/// The interval at which due reports are looked for.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// The time after which one that cannot be written is tried again: its readings may come yet.
const TRY_AGAIN: Duration = Duration::from_hours(1);

/// The report of a period of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::notices) struct DueReport {
    pub(in crate::notices) account: AccountName,
    pub(in crate::notices) kind: ReportKind,
    pub(in crate::notices) period: ReportPeriod,
}

/// Finds the reports to send, one after another.
pub(in crate::notices) struct PendingReports {
    choices: ReportChoices,
    write: ReportWriter,
    language: &'static Language,
    /// By the monotonic clock: when to look for the next ones, and for a period that was not written.
    next_look: Duration,
    next_tries: BTreeMap<(AccountName, ReportKind), (LocalDate, Duration)>,
    /// After a failure: the end of the wait, by the monotonic clock, and its length.
    waiting: Option<(Duration, Duration)>,
}

impl PendingReports {
    pub(in crate::notices) const fn new(
        choices: ReportChoices,
        write: ReportWriter,
        language: &'static Language,
    ) -> Self {
        Self {
            choices,
            write,
            language,
            next_look: Duration::ZERO,
            next_tries: BTreeMap::new(),
            waiting: None,
        }
    }

    /// The wait after a report that was not accepted.
    pub(in crate::notices) const fn waiting(&mut self) -> &mut Option<(Duration, Duration)> {
        &mut self.waiting
    }

    /// The next report at `now`, written. None while the clock seems to be wrong: nobody knows what
    /// week it is. May block on disk reads.
    pub(in crate::notices) fn next(
        &mut self,
        store: &Store,
        now: Moment,
    ) -> Option<(DueReport, WrittenReport)> {
        let waits = self.waiting.is_some_and(|(until, _)| now.elapsed < until);
        let is_off = self.choices == ReportChoices::default();
        if is_off || waits || now.elapsed < self.next_look {
            return None;
        }
        let next = self.found(store, now);
        if next.is_none() {
            self.next_look = now.elapsed.saturating_add(LOOK_EVERY);
        }
        next
    }

    fn found(&mut self, store: &Store, now: Moment) -> Option<(DueReport, WrittenReport)> {
        let registry = store.registry();
        let mut open = registry.notices().filter(|(_, known)| known.is_open());
        if open.any(|(_, known)| known.notice.kind == NoticeKind::WrongClock) {
            return None;
        }
        let is_there = |of: &AccountName| registry.account(of).is_some();
        self.next_tries.retain(|(of, _), _| is_there(of));
        let sent = registry.sent_reports();
        for account in registry.accounts() {
            let today = LocalDate::at(now.time, &account.zone);
            for kind in ReportKind::ALL {
                let due = self.due(&registry, (account, kind), now);
                let is_new = |(period, _): &(ReportPeriod, _)| {
                    sent.allows(&account.name, (kind, period.first), today)
                };
                let Some((period, sensor)) = due.filter(is_new) else {
                    continue;
                };
                let asked = AskedReport {
                    account,
                    kind,
                    sensor: sensor.as_ref(),
                    period: &period,
                    now: now.time,
                    language: self.language,
                };
                let written = self.written(store, &asked, now);
                if let Some(written) = written {
                    let account = account.name.clone();
                    let due = DueReport {
                        account,
                        kind,
                        period,
                    };
                    return Some((due, written));
                }
            }
        }
        None
    }

    /// The period whose report is due, and the sub-meter that it is of.
    fn due(
        &self,
        registry: &Registry,
        (account, kind): (&Account, ReportKind),
        now: Moment,
    ) -> Option<(ReportPeriod, Option<SensorId>)> {
        let tried = self.next_tries.get(&(account.name.clone(), kind));
        let waits = |period: &ReportPeriod| {
            tried.is_some_and(|(first, next)| *first == period.first && now.elapsed < *next)
        };
        let zone = &account.zone;
        let (period, sensor) = match (kind, &self.choices.statement) {
            (ReportKind::Weekly, _) => (due::week(self.choices.weekly, zone, now.time)?, None),
            (ReportKind::Monthly, MonthlyStatement::Off) => return None,
            (ReportKind::Monthly, MonthlyStatement::House) => (due::month(zone, now.time)?, None),
            (ReportKind::Monthly, MonthlyStatement::Sensor(id)) => {
                let sensor = registry.sensor(id)?;
                (sensor.account == account.name).then_some(())?;
                (due::month(zone, now.time)?, Some(id.clone()))
            }
        };
        (!waits(&period)).then_some((period, sensor))
    }

    fn written(
        &mut self,
        store: &Store,
        asked: &AskedReport<'_>,
        now: Moment,
    ) -> Option<WrittenReport> {
        let key = (asked.account.name.clone(), asked.kind);
        let first = asked.period.first;
        // Before it is written: a panic would come again each second.
        let next = now.elapsed.saturating_add(TRY_AGAIN);
        self.next_tries.insert(key.clone(), (first, next));
        let written = (self.write)(store, asked).unwrap_or_else(|error| {
            let kind = asked.kind.as_str();
            log::warn!(
                "cannot write the {kind} report of account {}: {error}; trying again in an hour",
                asked.account.name
            );
            None
        })?;
        // Until it is sent, it is written anew for each try.
        self.next_tries.remove(&key);
        Some(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::domain::{MeterKind, Role};
    use crate::house::tests::open;
    use crate::notices::reports::WeeklyReport;
    use crate::store::StoreError;

    #[expect(clippy::unnecessary_wraps, reason = "a writer")]
    fn writes(_: &Store, asked: &AskedReport<'_>) -> Result<Option<WrittenReport>, StoreError> {
        let title = format!("{} {:?}", asked.period.first, asked.sensor);
        Ok(Some(WrittenReport {
            title,
            text: String::new(),
            html: String::new(),
        }))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a writer")]
    fn knows_nothing(_: &Store, _: &AskedReport<'_>) -> Result<Option<WrittenReport>, StoreError> {
        Ok(None)
    }

    fn panics(_: &Store, _: &AskedReport<'_>) -> Result<Option<WrittenReport>, StoreError> {
        panic!("a mistake")
    }

    fn moment(time: &str, elapsed: u64) -> Moment {
        Moment {
            time: at(time),
            elapsed: Duration::from_secs(elapsed),
        }
    }

    fn pending(weekly: WeeklyReport, statement: &str, write: ReportWriter) -> PendingReports {
        let choices = ReportChoices {
            weekly,
            statement: statement.parse().unwrap(),
        };
        PendingReports::new(choices, write, Language::english())
    }

    const SUNDAY: &str = "2026-11-29T19:30:00";
    const FIRST: &str = "2026-12-01T07:00:00";

    #[test]
    fn each_report_goes_out_once() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &[("car", Role::SubMeter, MeterKind::Counter)]);
        // Nothing is chosen.
        let mut off = pending(WeeklyReport::Off, "off", writes);
        assert_eq!(off.next(&store, moment(SUNDAY, 0)), None);
        let mut reports = pending(WeeklyReport::Sunday, "sensor:car", writes);
        let send = |reports: &mut PendingReports, now: Moment| {
            let (due, written) = reports.next(&store, now)?;
            let DueReport {
                account,
                kind,
                period,
            } = due;
            let first = period.first;
            store
                .edit(move |edit| edit.note_report(&account, (kind, first)))
                .unwrap();
            Some(written.title)
        };
        assert_eq!(
            send(&mut reports, moment(SUNDAY, 0)),
            Some("2026-11-23 None".into())
        );
        assert_eq!(send(&mut reports, moment(SUNDAY, 60)), None);
        let earlier = LocalDate::parse("2026-11-16").unwrap();
        let name = account.name.clone();
        store
            .edit(move |edit| edit.note_report(&name, (ReportKind::Weekly, earlier)))
            .unwrap();
        // After a restart, of this service or of the leader; and on the other day.
        for weekly in [WeeklyReport::Sunday, WeeklyReport::Monday] {
            let mut restarted = pending(weekly, "off", writes);
            assert_eq!(send(&mut restarted, moment("2026-11-30T08:00:00", 0)), None);
            // The clock is set back by a week.
            assert_eq!(
                send(&mut restarted, moment("2026-11-22T20:00:00", 60)),
                None
            );
        }
        let statement = send(&mut reports, moment(FIRST, 120));
        assert_eq!(statement, Some("2026-11-01 Some(\"car\")".into()));
        assert_eq!(send(&mut reports, moment(FIRST, 180)), None);
        // A sub-meter of nobody has none.
        let mut gone = pending(WeeklyReport::Off, "sensor:gone", writes);
        assert_eq!(send(&mut gone, moment("2027-01-01T07:00:00", 0)), None);
    }

    #[test]
    fn one_that_cannot_be_written_is_tried_each_hour() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = open(dir.path(), &[]);
        let mut empty = pending(WeeklyReport::Sunday, "house", knows_nothing);
        assert_eq!(empty.next(&store, moment(SUNDAY, 0)), None);
        // The next week is none of that.
        empty.write = writes;
        assert_eq!(empty.next(&store, moment(SUNDAY, 61)), None);
        let next = empty.next(&store, moment("2026-12-06T19:30:00", 122));
        assert_eq!(next.unwrap().1.title, "2026-11-30 None");
        let mut wrong = pending(WeeklyReport::Sunday, "off", panics);
        let mut tried = |elapsed| {
            let next = std::panic::AssertUnwindSafe(|| wrong.next(&store, moment(SUNDAY, elapsed)));
            std::panic::catch_unwind(next).is_err()
        };
        assert!(tried(0));
        assert!(!tried(1) && !tried(3_599));
        assert!(tried(3_700));
    }
}
