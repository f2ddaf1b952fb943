//! What may not be meant so, as questions of a page.

use super::contracts::day;
use crate::domain::{Account, Decimal, LocalDate};
use crate::http::pages::frame::{PageError, Visit, figures};
use crate::ledger::contract::{Contract, Label, MoneyContext, MoneyDoubt, Period};
use crate::price_sources::PriceSourceSettings;
use crate::texts::{Language, TextValue};

/// What an account has beside a contract.
pub(super) async fn context_of(
    visit: &Visit,
    account: &Account,
) -> Result<MoneyContext, PageError> {
    let name = account.name.clone();
    let series = visit.look(move |store| store.series(&name)).await??;
    let registry = visit.app.store.registry();
    let lists = registry.day_lists(&account.name);
    let mut context = MoneyContext {
        today: LocalDate::at(visit.app.counted_now(), &account.zone),
        series: series.into_iter().map(|one| one.name).collect(),
        day_lists: lists.map(|list| list.name().clone()).collect(),
    };
    for source in sources_of(visit, account) {
        if source.has_days() {
            context.day_lists.push(source.series);
        } else {
            context.series.push(source.series);
        }
    }
    Ok(context)
}

/// The price sources of an account.
pub(super) fn sources_of(visit: &Visit, account: &Account) -> Vec<PriceSourceSettings> {
    let all = visit.app.price_sources.list();
    let all = all.iter().map(|tally| tally.settings());
    let of = all.filter(|one| {
        one.account
            .as_ref()
            .is_none_or(|name| *name == account.name)
    });
    of.cloned().collect()
}

/// The questions about a contract that would be new or changed; none that were asked about the old
/// one before.
pub(super) async fn questions(
    visit: &Visit,
    account: &Account,
    (contract, old): (&Contract, Option<&Contract>),
) -> Result<Vec<String>, PageError> {
    let context = context_of(visit, account).await?;
    let asked = old.map_or_else(Vec::new, |old| old.doubts(&context));
    let doubts = contract.doubts(&context).into_iter();
    let doubts = doubts.filter(|doubt| !asked.contains(doubt));
    let currency = contract.currency().as_str();
    Ok(doubts
        .map(|doubt| question(&doubt, currency, visit.language()))
        .collect())
}

/// The questions about an offer: it may begin whenever it does.
pub(super) async fn offer_questions(
    visit: &Visit,
    account: &Account,
    (offer, old): (&Contract, Option<&Contract>),
) -> Result<Vec<String>, PageError> {
    let context = MoneyContext {
        today: offer.from(),
        ..context_of(visit, account).await?
    };
    let asked = old.map_or_else(Vec::new, |old| old.doubts(&context));
    let doubts = offer.doubts(&context).into_iter();
    let doubts = doubts.filter(|doubt| !asked.contains(doubt));
    let currency = offer.currency().as_str();
    Ok(doubts
        .map(|doubt| question(&doubt, currency, visit.language()))
        .collect())
}

/// A doubt as a question.
pub(super) fn question(doubt: &MoneyDoubt, currency: &str, language: &Language) -> String {
    let number = |number: Decimal| TextValue::from(language.number(&number.to_string()));
    let named = |name: &str| TextValue::from(component_name(name, language));
    let money = || TextValue::from(currency.to_owned());
    let label = |label: &Label| TextValue::from(label.to_string());
    match doubt {
        MoneyDoubt::InHundredths {
            name,
            price,
            hundredth,
        } => language.fill(
            "doubt-hundredths",
            [
                ("name", named(name)),
                ("price", number(*price)),
                ("hundredth", number(*hundredth)),
                ("currency", money()),
            ],
        ),
        MoneyDoubt::InMegawattHours {
            name,
            price,
            thousandth,
        } => language.fill(
            "doubt-megawatthours",
            [
                ("name", named(name)),
                ("price", number(*price)),
                ("thousandth", number(*thousandth)),
                ("currency", money()),
            ],
        ),
        MoneyDoubt::Negative { name, price } => language.fill(
            "doubt-negative",
            [
                ("name", named(name)),
                ("price", number(*price)),
                ("currency", money()),
            ],
        ),
        MoneyDoubt::SmallPercent {
            name,
            percent,
            hundredfold,
        } => {
            let percent = figures::exact_percent(*percent, language);
            language.fill(
                "doubt-small-percent",
                [
                    ("name", named(name)),
                    ("percent", percent.into()),
                    ("hundredfold", number(*hundredfold)),
                ],
            )
        }
        MoneyDoubt::LargePercent { name, percent } => {
            let percent = figures::exact_percent(*percent, language);
            language.fill(
                "doubt-large-percent",
                [("name", named(name)), ("percent", percent.into())],
            )
        }
        MoneyDoubt::LargeFee { name, price, per } => {
            let per = language.word("contract-per", Period::as_str(*per));
            language.fill(
                "doubt-fee",
                [
                    ("name", named(name)),
                    ("price", number(*price)),
                    ("currency", money()),
                    ("per", per.into()),
                ],
            )
        }
        MoneyDoubt::Unusual {
            name,
            typed,
            unit,
            usual: [least, most],
        } => language.fill(
            "doubt-unusual",
            [
                ("name", language.tariff(name).to_owned().into()),
                ("typed", language.number(typed).into()),
                ("unit", unit.as_str().to_owned().into()),
                ("least", number(*least)),
                ("most", number(*most)),
            ],
        ),
        MoneyDoubt::NoSeries {
            name,
            near: Some(near),
        } => language.fill(
            "doubt-series-near",
            [("name", label(name)), ("near", label(near))],
        ),
        MoneyDoubt::NoSeries { name, near: None } => {
            language.fill("doubt-series", [("name", label(name))])
        }
        MoneyDoubt::NoDayList {
            name,
            near: Some(near),
        } => language.fill(
            "doubt-days-near",
            [("name", label(name)), ("near", label(near))],
        ),
        MoneyDoubt::NoDayList { name, near: None } => {
            language.fill("doubt-days", [("name", label(name))])
        }
        MoneyDoubt::Future { from } => {
            let from = day(*from, language);
            language.fill("doubt-future", [("from", from.into())])
        }
    }
}

/// The name of a component; one without a name is called by its kind.
fn component_name(name: &str, language: &Language) -> String {
    match name {
        "energy" => language.say("statement-kind-energy"),
        "export" => language.say("statement-kind-export"),
        name => name.to_owned(),
    }
}
