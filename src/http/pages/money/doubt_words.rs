//! Doubts about amounts of money, as questions of a page.

use super::contracts::day;
use crate::domain::{Account, Decimal, LocalDate};
use crate::http::pages::frame::{PageError, Visit, figures};
use crate::ledger::contract::{Contract, Label, MoneyContext, MoneyDoubt, Period};
use crate::price_sources::PriceSourceSettings;
use crate::texts::{Language, TextValue};

/// The things of an account beside a contract.
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
    let words = DoubtWords { currency, language };
    words
        .of_price(doubt)
        .or_else(|| words.of_list(doubt))
        .unwrap_or_else(|| words.of_rest(doubt))
}

/// The wording of doubts in a currency.
struct DoubtWords<'a> {
    currency: &'a str,
    language: &'a Language,
}

impl<'a> DoubtWords<'a> {
    fn number(&self, number: Decimal) -> TextValue<'a> {
        self.language.number(&number.to_string()).into()
    }

    fn named(&self, name: &str) -> TextValue<'a> {
        component_name(name, self.language).into()
    }

    fn money(&self) -> TextValue<'a> {
        self.currency.into()
    }

    fn of_price(&self, doubt: &MoneyDoubt) -> Option<String> {
        let language = self.language;
        let values = |name: &str, price: Decimal| {
            [
                ("name", self.named(name)),
                ("price", self.number(price)),
                ("currency", self.money()),
            ]
        };
        Some(match doubt {
            MoneyDoubt::InHundredths {
                name,
                price,
                hundredth,
            } => {
                let [name, price, currency] = values(name, *price);
                let hundredth = ("hundredth", self.number(*hundredth));
                let values = [name, price, currency, hundredth];
                language.fill("doubt-hundredths", values)
            }
            MoneyDoubt::InMegawattHours {
                name,
                price,
                thousandth,
            } => {
                let [name, price, currency] = values(name, *price);
                let thousandth = ("thousandth", self.number(*thousandth));
                let values = [name, price, currency, thousandth];
                language.fill("doubt-megawatthours", values)
            }
            MoneyDoubt::Negative { name, price } => {
                let values = values(name, *price);
                language.fill("doubt-negative", values)
            }
            MoneyDoubt::LargeFee { name, price, per } => {
                let per = language.word("contract-per", Period::as_str(*per));
                let [name, price, currency] = values(name, *price);
                let values = [name, price, currency, ("per", per.into())];
                language.fill("doubt-fee", values)
            }
            _ => return None,
        })
    }

    fn of_list(&self, doubt: &MoneyDoubt) -> Option<String> {
        let language = self.language;
        let name = |label: &Label| ("name", label.to_string().into());
        let near = |label: &Label| ("near", label.to_string().into());
        Some(match doubt {
            MoneyDoubt::NoSeries {
                name: series,
                near: Some(other),
            } => {
                let values = [name(series), near(other)];
                language.fill("doubt-series-near", values)
            }
            MoneyDoubt::NoSeries { name: series, .. } => {
                let values = [name(series)];
                language.fill("doubt-series", values)
            }
            MoneyDoubt::NoDayList {
                name: list,
                near: Some(other),
            } => {
                let values = [name(list), near(other)];
                language.fill("doubt-days-near", values)
            }
            MoneyDoubt::NoDayList { name: list, .. } => {
                let values = [name(list)];
                language.fill("doubt-days", values)
            }
            _ => return None,
        })
    }

    fn of_rest(&self, doubt: &MoneyDoubt) -> String {
        let language = self.language;
        match doubt {
            MoneyDoubt::SmallPercent {
                name,
                percent,
                hundredfold,
            } => {
                let percent = figures::exact_percent(*percent, language);
                let values = [
                    ("name", self.named(name)),
                    ("percent", percent.into()),
                    ("hundredfold", self.number(*hundredfold)),
                ];
                language.fill("doubt-small-percent", values)
            }
            MoneyDoubt::LargePercent { name, percent } => {
                let percent = figures::exact_percent(*percent, language);
                let values = [("name", self.named(name)), ("percent", percent.into())];
                language.fill("doubt-large-percent", values)
            }
            MoneyDoubt::Unusual {
                name,
                typed,
                unit,
                usual: [least, most],
            } => {
                let values = [
                    ("name", language.tariff(name).to_owned().into()),
                    ("typed", language.number(typed).into()),
                    ("unit", unit.as_str().into()),
                    ("least", self.number(*least)),
                    ("most", self.number(*most)),
                ];
                language.fill("doubt-unusual", values)
            }
            MoneyDoubt::Future { from } => {
                let from = day(*from, language);
                language.fill("doubt-future", [("from", from.into())])
            }
            // Worded before.
            other => other.to_string(),
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
