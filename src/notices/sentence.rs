//! Notices as sentences in a reader's language, for pages and messages.

use crate::chart::{Wording, quantity, with_unit};
use crate::domain::{AccountName, MicroWh, SensorId, Zone};
use crate::ledger::notice::{DayUse, MisnamedField, Notice, NoticeKind, NoticeSubject};
use crate::query::Units;
use crate::store::Registry;
use crate::texts::{Language, TextValue};

/// A value of a text, by its name.
type TextPair<'a> = (&'a str, TextValue<'a>);

/// The zone of a notice's times: its account's. Notices of the service use the zone of the first
/// account.
pub(crate) fn zone_of(registry: &Registry, account: Option<&AccountName>) -> Zone {
    let account = account.and_then(|name| registry.account(name));
    let account = account.or_else(|| registry.accounts().next());
    account.map_or(Zone::UTC, |account| account.zone.clone())
}

/// The name of a notice's subject; empty for the house or the service.
pub(crate) fn name_of(registry: &Registry, notice: &Notice) -> String {
    match &notice.subject {
        NoticeSubject::Sensor(id)
        | NoticeSubject::Clock(id, _)
        | NoticeSubject::Field(id, _)
        | NoticeSubject::HouseMost(id) => name_of_sensor(registry, id),
        NoticeSubject::Twin(id, other) => {
            let [one, other] = [id, other].map(|id| name_of_sensor(registry, id));
            format!("{one}, {other}")
        }
        NoticeSubject::Series(series) => series.to_string(),
        NoticeSubject::House
        | NoticeSubject::Day(_)
        | NoticeSubject::Peak(_)
        | NoticeSubject::Service => String::new(),
    }
}

fn name_of_sensor(registry: &Registry, id: &SensorId) -> String {
    let sensor = registry.sensor(id);
    sensor.map_or_else(|| id.to_string(), |sensor| sensor.name.clone())
}

/// The advice, as a sentence.
pub(crate) fn advice(notice: &Notice, language: &Language) -> String {
    language.word("notice-advice", NoticeKind::as_str(notice.kind))
}

/// The account of a notice, as a sentence.
pub(crate) fn of_account(name: &str, language: &Language) -> String {
    language.fill("notice-of-account", [("name", name.into())])
}

/// The event, as a sentence.
pub(crate) fn happened(notice: &Notice, name: String, wording: Wording<'_>) -> String {
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
        NoticeKind::PriceSourceLate => language.fill("notice-price-source-late", name()),
        NoticeKind::PriceConflict => language.fill("notice-price-conflict", name()),
        NoticeKind::PeakAhead => new_peak(notice, wording),
        NoticeKind::BackupOverdue => language.say("notice-backup-overdue"),
        NoticeKind::DiskNearlyFull => language.say("notice-disk-nearly-full"),
        NoticeKind::WrongClock => language.say("notice-wrong-clock"),
        NoticeKind::StoreDamaged => language.say("notice-store-damaged"),
        NoticeKind::SensorClock => sensor_clock(notice, name(), language),
        NoticeKind::UnknownField => unknown_field(notice, name(), language),
        NoticeKind::RegisterInKwh => language.fill("notice-register-in-kwh", name()),
        NoticeKind::PowerInKw => language.fill("notice-power-in-kw", name()),
        NoticeKind::SameMeter => language.fill("notice-same-meter", name()),
        NoticeKind::GridSwapped => language.say("notice-grid-swapped"),
        NoticeKind::PartsExceedHouse => language.say("notice-parts-exceed-house"),
    }
}

/// The error of a device's clock.
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

/// The consumption of the house on a day, beside the usual range.
fn unusual_day(notice: &Notice, wording: Wording<'_>) -> String {
    let (date, language) = (wording.date(notice.since), wording.language);
    let NoticeSubject::Day(DayUse { used, likely }) = &notice.subject else {
        return notice.happened.clone();
    };
    let energy = |energy: &MicroWh| quantity(energy.watthours(), Units::Watthours, language);
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

/// The likely end of the running span, and what it costs.
fn new_peak(notice: &Notice, wording: Wording<'_>) -> String {
    let language = wording.language;
    let NoticeSubject::Peak(ahead) = &notice.subject else {
        return notice.happened.clone();
    };
    let power = |power: MicroWh| quantity(power.watthours(), Units::Watts, language);
    let cost = with_unit(ahead.rise.to_f64(), 2, ahead.currency.as_str(), language);
    let values = [
        ("time", wording.clock(ahead.until).into()),
        ("likely", power(ahead.likely).into()),
        ("level", power(ahead.level).into()),
        ("cost", cost.into()),
    ];
    language.fill("notice-peak-ahead", values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Timestamp;
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
