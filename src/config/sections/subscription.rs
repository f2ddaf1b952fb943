//! A section `[[mqtt.subscriptions]]`: a preset, or a description of the messages.

use super::section::{ListedSection, UNIT};
use crate::config::error::ConfigError;
use crate::config::values::span_within;
use crate::ingest::devices::{
    MappedNumber, Preset, PresetUnits, SensorTemplate, Sum, TimeForm, TopicFilter, TopicMapping,
};
use crate::ingest::{DeviceClock, Quantity, Way};
use crate::mqtt::intake::{Subscription, can_ask};

const NUMBER: &str = "a JSON pointer such as \"/ENERGY/Power\", \"\" for a message that is only a number, or a sum such as \"/in_1 + /in_2\"; and none with a preset";
const POINTER: &str = "a JSON pointer such as \"/time\"; and none with a preset";
const SENSOR_TEMPLATE: &str = "a sensor's id, where {1} is the level at the first + of the topic, {2} at the second, and {/id} that field of the message; it is needed if the topic has no +";
/// A hundred years, in seconds.
const LONGEST_BEHIND: i64 = 100 * 365 * 86_400;
const SPAN: &str = "a span of time such as 30m or 48h; 0s to ignore the times of its devices";
const TOPIC: &str = "a topic such as \"tele/+/SENSOR\", where + matches one level, and a # at the end all that follow; with most presets, the beginning of a device's topics";
const PORTAL: &str = "N/ and the portal's id, or \"N/+\", optionally after other levels";

/// The numbers in messages: setting, direction of the flow, and the setting of the unit.
const NUMBERS: [(&str, &str, Way); 4] = [
    ("watts", "watts", Way::Forth),
    ("watthours", "watthours", Way::Forth),
    ("export_watts", "watts", Way::Back),
    ("export_watthours", "watthours", Way::Back),
];
const FIELDS: [&str; 13] = [
    "preset",
    "topic",
    "clock_within",
    "account",
    "sensor",
    "add_sensors",
    "watts",
    "watts_unit",
    "watthours",
    "watthours_unit",
    "export_watts",
    "export_watthours",
    "time",
];

pub(super) fn read(section: &ListedSection<'_>) -> Result<Subscription, ConfigError> {
    section.check_fields(&FIELDS)?;
    let known = |id: &str| Preset::with_id(id).ok_or(());
    let preset = section.optional("preset", &presets(), known)?;
    let topic = topic(section, preset)?;
    let sensor = match section.text("sensor", SENSOR_TEMPLATE)? {
        None | Some("") => preset.map_or("{1}", |preset| &*preset.terms.sensor),
        Some(template) => template,
    };
    let sensor = sensor.parse::<SensorTemplate>();
    let sensor = sensor.map_err(|_| section.invalid("sensor", SENSOR_TEMPLATE))?;
    let mappings = match preset {
        Some(preset) => of_preset(section, preset, topic.as_ref(), &sensor)?,
        None => vec![described(section, topic.as_ref(), sensor.clone())?],
    };
    // Without its wildcard, the id would have a gap. With a preset, only the wildcards of the topic
    // itself count.
    let own = topic.as_ref().filter(|_| preset.is_some());
    let filters = mappings.iter().flat_map(TopicMapping::filters);
    let wildcards = own.map(TopicFilter::wildcards);
    let wildcards = wildcards.or_else(|| filters.map(TopicFilter::wildcards).min());
    if sensor.highest() > wildcards.unwrap_or(0) {
        return Err(section.invalid("sensor", SENSOR_TEMPLATE));
    }
    Ok(Subscription {
        account: section.device_account()?,
        preset,
        topic,
        sensor,
        mappings,
        clock: clock(section, preset)?,
    })
}

/// The values of the setting `preset`.
fn presets() -> String {
    let ids = Preset::ids();
    format!("one of {ids}; or watts, watthours or both instead")
}

/// The trusted times of the devices.
fn clock(
    section: &ListedSection<'_>,
    preset: Option<&'static Preset>,
) -> Result<DeviceClock, ConfigError> {
    let within = section.optional("clock_within", SPAN, |text| {
        span_within(text, 0, LONGEST_BEHIND).ok_or(())
    })?;
    let usual = preset.map_or(DeviceClock::OF_HISTORY, |it| it.terms.usual_clock());
    Ok(within.map_or(usual, DeviceClock::within))
}

/// The topic; `None` if there is none, which is allowed only if all numbers have their own topics.
fn topic(
    section: &ListedSection<'_>,
    preset: Option<&'static Preset>,
) -> Result<Option<TopicFilter>, ConfigError> {
    let text = match section.text("topic", TOPIC)?.unwrap_or_default() {
        "" => preset.map_or("", |preset| preset.terms.usual_topic()),
        topic => topic,
    };
    if text.is_empty() && preset.is_none() {
        return Ok(None);
    }
    let topic: Result<TopicFilter, _> = text.parse();
    let topic = topic.map_err(|_| section.invalid("topic", TOPIC))?;
    if preset.is_some_and(|preset| preset.terms.asks) && !can_ask(&topic) {
        return Err(section.invalid("topic", PORTAL));
    }
    Ok(Some(topic))
}

/// The mappings of a preset. Its messages need no description.
fn of_preset(
    section: &ListedSection<'_>,
    preset: &'static Preset,
    topic: Option<&TopicFilter>,
    sensor: &SensorTemplate,
) -> Result<Vec<TopicMapping>, ConfigError> {
    let has = |field: &&str| section.table.contains_key(*field);
    let numbers = NUMBERS.iter().map(|(field, _, _)| *field);
    if let Some(field) = numbers.chain(["time"]).find(has) {
        return Err(section.invalid(field, NUMBER));
    }
    let fields = ["watts_unit", "watthours_unit"];
    if let Some(field) = fields
        .into_iter()
        .find(|field| has(field) && !preset.terms.takes_units)
    {
        let expected = "no unit: messages of this preset have a known one";
        return Err(section.invalid(field, expected));
    }
    let units = PresetUnits {
        watts: section.optional("watts_unit", UNIT, str::parse)?,
        watthours: section.optional("watthours_unit", UNIT, str::parse)?,
    };
    let mappings = topic.map(|topic| preset.terms.mappings(topic, sensor, units));
    match mappings {
        Some(Ok(mappings)) => Ok(mappings),
        _ => Err(section.invalid("topic", TOPIC)),
    }
}

/// The mapping described by the section itself.
fn described(
    section: &ListedSection<'_>,
    topic: Option<&TopicFilter>,
    sensor: SensorTemplate,
) -> Result<TopicMapping, ConfigError> {
    let has = |field: &str| section.table.contains_key(field);
    let mut numbers = Vec::new();
    for (field, measure, way) in NUMBERS {
        let Some(text) = section.text(field, NUMBER)? else {
            continue;
        };
        let sum: Sum = text.parse().map_err(|_| section.invalid(field, NUMBER))?;
        let unit_field = format!("{measure}_unit");
        let unit = section.text(&unit_field, UNIT)?;
        let quantity = Quantity::new(measure, unit.filter(|unit| !unit.is_empty()));
        let quantity = quantity.ok_or_else(|| section.invalid(&unit_field, UNIT))?;
        // Power in both directions belongs to both registers.
        let is_split = field == "watts" && has("export_watthours") && !has("export_watts");
        let way = if is_split { Way::Both } else { way };
        numbers.push(MappedNumber::plain(way, quantity, sum));
    }
    // A unit without a number is probably misplaced.
    for measure in ["watts", "watthours"] {
        let unit = format!("{measure}_unit");
        let export = format!("export_{measure}");
        let is_set = section
            .text(&unit, UNIT)?
            .is_some_and(|unit| !unit.is_empty());
        if is_set && !has(measure) && !has(&export) {
            return Err(section.invalid(&unit, UNIT));
        }
    }
    if numbers.is_empty() {
        // Without a topic there is no subscription.
        let field = if topic.is_some() { "preset" } else { "topic" };
        let expected = topic.map_or_else(|| TOPIC.to_owned(), |_| presets());
        return Err(section.invalid(field, &expected));
    }
    let time = section.text("time", POINTER)?;
    let time = time.map(|text| text.parse().map_err(|_| section.invalid("time", POINTER)));
    let mapping = TopicMapping::new(topic, sensor, numbers, |part| Ok(part.clone()));
    let mut mapping = mapping.map_err(|_| section.invalid("topic", TOPIC))?;
    mapping.time = time.transpose()?.map(|pointer| (pointer, TimeForm::Utc));
    Ok(mapping)
}
