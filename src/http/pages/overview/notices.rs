//! Notices on the dashboard and on the status page: the event, its start, and the remedy.

use std::sync::Arc;

use crate::admin::{AdminError, dismiss_notice};
use crate::chart::Wording;
use crate::domain::{Account, AccountName, LocalDate, MicroWh, Timestamp, Zone};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::see_other;
use crate::http::pages::frame::{PageError, PageResult, Visit, figures};
use crate::http::wire::body::in_background;
use crate::ledger::notice::{
    DayUse, KnownNotice, MisnamedField, Notice, NoticeKey, NoticeKind, NoticeSubject,
};
use crate::store::{Registry, StoreError};
use crate::texts::{Language, TextValue};

/// A value of a text, by its name.
type TextPair<'a> = (&'a str, TextValue<'a>);

/// A notice.
pub(super) struct NoticeView {
    /// The account that it concerns; empty for the service.
    pub(super) account: String,
    pub(super) id: String,
    pub(super) is_bad: bool,
    /// A sentence.
    pub(super) happened: String,
    /// A sentence.
    pub(super) advice: String,
    /// `None` for a past event.
    pub(super) since: Option<String>,
    /// The page with details: its address and its title.
    pub(super) link: Option<(String, String)>,
}

/// The newest notices that the visitor sees and nobody dismissed; and the number of those beyond
/// `most`.
pub(super) fn shown_notices(
    visit: &Visit,
    registry: &Registry,
    now: Timestamp,
    most: usize,
) -> (Vec<NoticeView>, usize) {
    let language = visit.language();
    let shown = registry
        .notices()
        .filter(|(key, known)| known.is_shown() && visit.is_shown(key.account.as_ref()));
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|(_, known)| std::cmp::Reverse(known.opened));
    let more = shown.len().saturating_sub(most);
    let views = shown.into_iter().take(most).map(|(key, known)| {
        let account = key.account.as_ref().and_then(|name| registry.account(name));
        // Notices of the service use the zone of the first account.
        let zone = account.or_else(|| registry.accounts().next());
        let zone = zone.map_or(Zone::UTC, |account: &Account| account.zone.clone());
        let wording = Wording::new(&zone, language);
        NoticeView::of(registry, (key, known), wording, now)
    });
    (views.collect(), more)
}

impl NoticeView {
    fn of(
        registry: &Registry,
        (key, known): (&NoticeKey, &KnownNotice),
        wording: Wording<'_>,
        now: Timestamp,
    ) -> Self {
        let language = wording.language;
        let notice = &known.notice;
        let kind = notice.kind;
        let name = match &notice.subject {
            NoticeSubject::Sensor(id)
            | NoticeSubject::Clock(id, _)
            | NoticeSubject::Field(id, _)
            | NoticeSubject::HouseMost(id) => {
                let sensor = registry.sensor(id);
                sensor.map_or_else(|| id.to_string(), |sensor| sensor.name.clone())
            }
            NoticeSubject::Series(series) => series.to_string(),
            NoticeSubject::House | NoticeSubject::Day(_) | NoticeSubject::Service => String::new(),
        };
        let account = key.account.as_ref().map(ToString::to_string);
        let page = |path, query: &[(&str, &str)], words: String| {
            let own = [("account", account.as_deref()?)];
            let query = [&own[..], query].concat();
            Some((address(path, &query), words))
        };
        let day = LocalDate::at(notice.since, wording.zone).to_string();
        Self {
            id: key.id.clone(),
            is_bad: matches!(
                kind,
                NoticeKind::DiskNearlyFull | NoticeKind::BackupOverdue | NoticeKind::StoreDamaged
            ),
            happened: happened(notice, name, wording),
            advice: language.word("notice-advice", NoticeKind::as_str(kind)),
            link: match kind {
                NoticeKind::EventOpen => page("events", &[], language.say("events-decide")),
                NoticeKind::UnusualDay => {
                    let query = [("range", "day"), ("at", day.as_str())];
                    page("energy", &query, language.say("notice-see-day"))
                }
                _ => None,
            },
            // A day in the past does not last.
            since: (kind != NoticeKind::UnusualDay).then(|| {
                let since = wording.when(notice.since, now);
                language.fill("notice-since", [("time", since.into())])
            }),
            account: account.unwrap_or_default(),
        }
    }
}

/// The event, as a sentence.
fn happened(notice: &Notice, name: String, wording: Wording<'_>) -> String {
    let language = wording.language;
    let name = || [("name", name.into())];
    match notice.kind {
        NoticeKind::SensorSilent => language.fill("notice-sensor-silent", name()),
        NoticeKind::EventOpen => language.fill("notice-event-open", name()),
        NoticeKind::ImplausiblePower => language.fill("notice-implausible-power", name()),
        NoticeKind::PowerDrift => language.fill("notice-power-drift", name()),
        NoticeKind::InvertedSign => language.fill("notice-inverted-sign", name()),
        NoticeKind::UnusualDay => unusual_day(notice, wording),
        NoticeKind::BaseLoadRose => match notice.subject {
            NoticeSubject::HouseMost(_) => language.fill("notice-base-load-rose-most", name()),
            _ => language.say("notice-base-load-rose"),
        },
        NoticeKind::PricesMissing => language.fill("notice-prices-missing", name()),
        NoticeKind::BackupOverdue => language.say("notice-backup-overdue"),
        NoticeKind::DiskNearlyFull => language.say("notice-disk-nearly-full"),
        NoticeKind::WrongClock => language.say("notice-wrong-clock"),
        NoticeKind::StoreDamaged => language.say("notice-store-damaged"),
        NoticeKind::SensorClock => sensor_clock(notice, name(), language),
        NoticeKind::UnknownField => unknown_field(notice, name(), language),
    }
}

/// The error of a sensor's device clock.
fn sensor_clock(notice: &Notice, [name]: [TextPair<'_>; 1], language: &Language) -> String {
    let NoticeSubject::Clock(_, fault) = &notice.subject else {
        return notice.happened.clone();
    };
    let (count, unit) = fault.amount();
    let values = [name, ("count", count.into()), ("unit", unit.into())];
    if fault.is_ahead() {
        language.fill("notice-sensor-clock-ahead", values)
    } else {
        language.fill("notice-sensor-clock-behind", values)
    }
}

/// The field with the wrong name.
fn unknown_field(notice: &Notice, [name]: [TextPair<'_>; 1], language: &Language) -> String {
    let NoticeSubject::Field(_, MisnamedField { sent, meant }) = &notice.subject else {
        return notice.happened.clone();
    };
    let values = [
        name,
        ("sent", sent.as_str().into()),
        ("meant", meant.as_str().into()),
    ];
    language.fill("notice-unknown-field", values)
}

/// The use of a house on a day, compared with the expected use.
fn unusual_day(notice: &Notice, wording: Wording<'_>) -> String {
    let (date, language) = (wording.date(notice.since), wording.language);
    let NoticeSubject::Day(DayUse { used, likely }) = &notice.subject else {
        return notice.happened.clone();
    };
    let energy = |energy: &MicroWh| figures::energy(energy.watthours(), language);
    let [least, most] = likely;
    let values = [
        ("date", date.into()),
        ("used", energy(used).into()),
        ("least", energy(least).into()),
        ("most", energy(most).into()),
    ];
    if used < least {
        language.fill("notice-unusual-day-less", values)
    } else {
        language.fill("notice-unusual-day-more", values)
    }
}

/// `POST /notices/dismiss`: hides a notice until it ends.
pub(crate) async fn dismiss(visit: Visit) -> PageResult {
    let account = visit.field("account")?;
    let account = match account.as_str() {
        // The guard has only checked the account of a sensor, if the request names one.
        "" if !visit.is_shown(None) => return Err(PageError::NotFound),
        "" => None,
        name => Some(AccountName::new(name).map_err(|_| PageError::NotFound)?),
    };
    let key = NoticeKey {
        account,
        id: visit.field("id")?,
    };
    let (store, now) = (Arc::clone(&visit.app.store), visit.app.counted_now());
    let by = visit.author();
    let dismissing = move || dismiss_notice(&store, &key, by, now);
    match in_background(dismissing).await? {
        // The notice may have ended meanwhile, which has the same result.
        Ok(_) | Err(AdminError::Unfit(StoreError::UnknownNotice(_))) => {
            Ok(see_other("./?done=dismissed"))
        }
        Err(error) => Err(PageError::of_admin(error, |_| "main")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SensorId;
    use crate::ledger::notice::{ClockFault, sensor_clock, unknown_field};

    #[test]
    fn what_is_odd_about_uploads_is_told_in_each_language() {
        let (house, since) = (SensorId::new("h").unwrap(), Timestamp::MIN);
        let told = |notice: &Notice, tag| {
            let language = Language::of_tag(tag).unwrap();
            let told = happened(notice, "Haus".into(), Wording::new(&Zone::UTC, language));
            // The invisible marks around values.
            told.replace(['\u{2068}', '\u{2069}'], "")
        };
        let clock = |ahead_ms| sensor_clock(&house, ClockFault::ahead(ahead_ms), since);
        let (hour, year) = (clock(3_600_000), clock(-365 * 86_400_000));
        assert_eq!(told(&hour, "en"), "The clock of Haus is 1 h ahead.");
        assert_eq!(told(&hour, "de"), "Die Uhr von Haus geht 1 h vor.");
        assert_eq!(told(&year, "en"), "The clock of Haus is 365 days behind.");
        assert_eq!(told(&year, "de"), "Die Uhr von Haus geht 365 Tage nach.");
        let field = MisnamedField {
            sent: "ts".into(),
            meant: "time".into(),
        };
        let field = unknown_field(&house, &field, since);
        assert_eq!(
            told(&field, "en"),
            "Uploads of Haus have a field “ts”, which is left out: its name should be time."
        );
        assert!(told(&field, "de").ends_with("Es müsste time heißen."));
    }

    #[test]
    fn an_unusual_day_tells_which_way_and_how_much() {
        let day = |kilowatthours: i64| Notice {
            kind: NoticeKind::UnusualDay,
            subject: NoticeSubject::Day(DayUse {
                used: MicroWh::new(kilowatthours * 1_000_000_000),
                likely: [24, 36].map(|it| MicroWh::new(it * 1_000_000_000)),
            }),
            since: Timestamp::parse("2026-03-16T23:00:00").unwrap(),
            happened: String::new(),
        };
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let told = |kilowatthours, language| {
            let told = happened(
                &day(kilowatthours),
                String::new(),
                Wording::new(&berlin, language),
            );
            told.replace('\u{202F}', " ")
        };
        let (english, german) = (Language::english(), Language::of_tag("de").unwrap());
        assert_eq!(
            told(21, english),
            "On 17 Mar 2026 the house used 21.0 kWh, less than the 24.0 kWh to 36.0 kWh that are usual on that weekday."
        );
        assert_eq!(
            told(40, english),
            "On 17 Mar 2026 the house used 40.0 kWh, more than the 24.0 kWh to 36.0 kWh that are usual on that weekday."
        );
        assert!(told(21, german).contains("21,0 kWh verbraucht, weniger als die"));
    }
}
