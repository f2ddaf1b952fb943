//! The form of a tariff: a field for each value that a household knows, with its text.

use std::collections::BTreeMap;

use super::doubt_words::sources_of;
use crate::domain::{Account, Currency, LocalDate};
use crate::http::pages::frame::typed_number::{Numbers, field_text};
use crate::http::pages::frame::{Layout, PageError, Visit};
use crate::ledger::contract::{
    ContractTemplate, Label, MoneyContext, ParamKind, ParamSource, Period, TariffError,
    TariffFault, TariffParam, TariffStart,
};
use crate::price_sources::{KnownSource, PriceSourceSettings};
use crate::texts::Language;

/// A field of the form.
pub(super) struct TariffField {
    pub(super) id: &'static str,
    pub(super) label: String,
    pub(super) hint: String,
    pub(super) input: TariffInput,
    pub(super) value: String,
    pub(super) is_needed: bool,
}

/// The way to fill in a field.
pub(super) enum TariffInput {
    Number,
    Text,
    Date,
    /// The values and their texts.
    Select(Vec<(String, String)>),
}

/// The lists that values are chosen from.
pub(super) struct TariffLists {
    pub(super) context: MoneyContext,
    /// The id and the name of each sensor.
    pub(super) sensors: Vec<(String, String)>,
    pub(super) sources: Vec<PriceSourceSettings>,
    /// Whether the visitor may set up a source.
    pub(super) may_add: bool,
}

impl TariffLists {
    pub(super) fn of(visit: &Visit, account: &Account, context: MoneyContext) -> Self {
        let registry = visit.app.store.registry();
        let sensors = registry.sensors().filter(|one| one.account == account.name);
        let named = sensors.map(|one| {
            let (id, name) = (one.id.to_string(), one.name.clone());
            let text = if name.is_empty() { id.clone() } else { name };
            (id, text)
        });
        Self {
            context,
            sensors: named.collect(),
            sources: sources_of(visit, account),
            may_add: visit.visitor.offered().everything,
        }
    }

    /// The source that is set up already, if it is.
    fn set_up(&self, source: &ParamSource) -> Option<&PriceSourceSettings> {
        self.sources.iter().find(|one| is_set_up(one, source))
    }

    /// The values of a series or a day list: sources that are set up, those that can be, and what is
    /// stored besides.
    fn series_options(&self, param: &TariffParam) -> Vec<(String, String)> {
        let sources = param.sources().iter();
        let offered = sources.filter(|one| self.may_add || self.set_up(one).is_some());
        let mut options: Vec<(String, String)> =
            offered.map(|one| (one.word(), source_name(one))).collect();
        let taken: Vec<&Label> = param
            .sources()
            .iter()
            .filter_map(|one| self.set_up(one).map(|known| &known.series))
            .collect();
        let known = match param.kind() {
            ParamKind::Days => &self.context.day_lists,
            _ => &self.context.series,
        };
        for name in known
            .iter()
            .filter(|name| !taken.iter().any(|one| one.is_same(name)))
        {
            let name = name.to_string();
            if !options.iter().any(|(value, _)| *value == name) {
                options.push((name.clone(), name));
            }
        }
        options
    }
}

fn is_set_up(settings: &PriceSourceSettings, source: &ParamSource) -> bool {
    let id = settings.source.map(KnownSource::id);
    id == Some(&*source.source) && settings.zone == source.zone
}

/// A source for people: its name and its zone.
pub(super) fn source_name(source: &ParamSource) -> String {
    let known = KnownSource::with_id(&source.source);
    let name = known.map_or(&*source.source, KnownSource::name);
    if source.zone.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {}", source.zone)
    }
}

/// The fields of a template, with the typed texts if the form is shown again.
pub(super) fn fields_of(
    template: &'static ContractTemplate,
    lists: &TariffLists,
    currency: &Currency,
    layout: &Layout,
) -> Vec<TariffField> {
    let language = layout.language;
    let field = |param: &'static TariffParam| {
        let initial = template.initial(param).unwrap_or_default();
        let initial = if param.is_number() {
            field_text(&initial, language)
        } else {
            initial
        };
        let input = input_of(param, lists, language);
        let label = language.tariff(param.label());
        let unit = unit(param, currency, language);
        TariffField {
            id: param.name(),
            label: if unit.is_empty() {
                label.to_owned()
            } else {
                format!("{label} ({unit})")
            },
            hint: hint(template, param, &input, language),
            input,
            value: layout.typed(param.name(), &initial),
            is_needed: !param.is_optional(),
        }
    };
    template.params().iter().map(field).collect()
}

fn input_of(param: &TariffParam, lists: &TariffLists, language: &Language) -> TariffInput {
    match param.kind() {
        ParamKind::Date => TariffInput::Date,
        ParamKind::Choice => {
            let options = param.options().iter();
            let options =
                options.map(|one| (one.value.clone(), language.tariff(&one.label).to_owned()));
            TariffInput::Select(options.collect())
        }
        ParamKind::Sensor if !lists.sensors.is_empty() => {
            TariffInput::Select(lists.sensors.clone())
        }
        ParamKind::Series | ParamKind::Days => match lists.series_options(param) {
            options if options.is_empty() => TariffInput::Text,
            options => TariffInput::Select(options),
        },
        _ if param.is_number() => TariffInput::Number,
        _ => TariffInput::Text,
    }
}

fn hint(
    template: &ContractTemplate,
    param: &TariffParam,
    input: &TariffInput,
    language: &Language,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !param.help().is_empty() {
        parts.push(language.tariff(param.help()).to_owned());
    }
    let is_typed = matches!(input, TariffInput::Number | TariffInput::Text);
    let is_list = matches!(param.kind(), ParamKind::Series | ParamKind::Days);
    if is_typed && is_list {
        parts.push(language.say("tariff-list-hint"));
    } else if is_typed && (param.is_own() || param.is_optional()) {
        let example = template.example(param).unwrap_or_default();
        let example = shown(param, &example, language);
        parts.push(language.fill("tariff-example", [("example", example.into())]));
    }
    parts.join(" ")
}

/// A plain value as people write it.
pub(super) fn shown(param: &TariffParam, plain: &str, language: &Language) -> String {
    if param.is_number() {
        field_text(plain, language)
    } else {
        plain.to_owned()
    }
}

/// The unit of a number in the language of the page: `ct/kWh`, `EUR per month`.
pub(super) fn unit(param: &TariffParam, currency: &Currency, language: &Language) -> String {
    let money = match param.hundredths() {
        "" => currency.as_str(),
        hundredths => hundredths,
    };
    let per = param
        .per()
        .map(|per| language.word("contract-per", Period::as_str(per)));
    let per = per.map_or_else(String::new, |per| format!(" {per}"));
    match param.kind() {
        ParamKind::EnergyPrice => format!("{money}/kWh"),
        ParamKind::Fee => format!("{money}{per}"),
        ParamKind::PowerPrice => format!("{money}/kW{per}"),
        ParamKind::Percent => "%".to_owned(),
        ParamKind::Power => "kW".to_owned(),
        ParamKind::Energy => format!("kWh{per}"),
        _ => String::new(),
    }
}

/// A source that is chosen in a field.
pub(super) struct TypedSource {
    pub(super) field: &'static str,
    pub(super) source: &'static ParamSource,
}

/// The typed form.
pub(super) struct TypedTariff {
    pub(super) template: &'static ContractTemplate,
    /// With a decimal point, by the names of the params.
    pub(super) values: BTreeMap<String, String>,
    pub(super) start: TariffStart,
    /// The sources that are chosen but not set up yet.
    pub(super) new_sources: Vec<TypedSource>,
    /// Those that are chosen and set up.
    pub(super) old_sources: Vec<PriceSourceSettings>,
}

impl TypedTariff {
    /// Reads the posted form.
    ///
    /// # Errors
    /// [`PageError::Form`] for a date or a name that is none; as [`Visit::field`].
    pub(super) fn read(
        visit: &Visit,
        template: &'static ContractTemplate,
        (lists, numbers): (&TariffLists, &Numbers),
    ) -> Result<Self, PageError> {
        let from = LocalDate::typed(&visit.trimmed("from")?);
        let from = from.map_err(|_| PageError::mistake("contract-wrong-from", "from"))?;
        let name = match visit.trimmed("name")? {
            name if name.is_empty() => None,
            name => Some(
                Label::new(&name).map_err(|_| PageError::mistake("contract-wrong-name", "name"))?,
            ),
        };
        let mut typed = Self {
            template,
            values: BTreeMap::new(),
            start: TariffStart {
                first_day: from,
                name,
                account_currency: None,
                continues: None,
            },
            new_sources: Vec::new(),
            old_sources: Vec::new(),
        };
        for param in template.params() {
            let text = visit.trimmed(param.name())?;
            let value = match param.kind() {
                _ if text.is_empty() => text,
                ParamKind::Date => LocalDate::typed(&text).map_or(text, |date| date.to_string()),
                ParamKind::Series | ParamKind::Days => typed.list(param, text, lists),
                _ if param.is_number() => numbers.plain(&text),
                _ => text,
            };
            typed.values.insert(param.name().to_owned(), value);
        }
        Ok(typed)
    }

    /// The name of a series or a day list for a choice; notes down its source.
    fn list(&mut self, param: &'static TariffParam, text: String, lists: &TariffLists) -> String {
        let Some(source) = param.source(&text) else {
            return text;
        };
        if let Some(known) = lists.set_up(source) {
            self.old_sources.push(known.clone());
            return known.series.to_string();
        }
        self.new_sources.push(TypedSource {
            field: param.name(),
            source,
        });
        text
    }
}

/// A wrong value as a mistake at its field.
pub(super) fn mistake(
    template: &'static ContractTemplate,
    error: &TariffError,
    (currency, language): (&Currency, &Language),
) -> PageError {
    let Some(param) = template.param(&error.name) else {
        let values = [("problem", error.fault.to_string().into())];
        return PageError::form("main", language.fill("contract-wrong-other", values));
    };
    let example = template.example(param).unwrap_or_default();
    let unit = unit(param, currency, language);
    let example = match &*unit {
        "" => shown(param, &example, language),
        unit => format!("{} ({unit})", shown(param, &example, language)),
    };
    let values = [("example", example.into())];
    let is_missing = matches!(error.fault, TariffFault::Missing(_));
    let text = match param.kind() {
        _ if is_missing => language.fill("tariff-missing", values),
        ParamKind::EnergyPrice | ParamKind::Fee | ParamKind::PowerPrice => {
            language.fill("tariff-wrong-price", values)
        }
        ParamKind::Percent | ParamKind::Power | ParamKind::Energy => {
            language.fill("tariff-wrong-number", values)
        }
        ParamKind::Hours => language.fill("tariff-wrong-hours", values),
        ParamKind::Date => language.say("contract-wrong-from"),
        _ => language.say("tariff-wrong-choice"),
    };
    PageError::form(param.name(), text)
}
