//! `/costs/tariff`: a contract or an offer from a tariff of a country, by the values that a
//! household knows. The form is checked first: the page then says what the contract would have
//! cost, and asks what may not be meant so.

use actix_web::web::Data;
use askama::Template;

use super::contract::{change, check_beside, history_before, list};
use super::contracts::{contracts_of, layout};
use super::doubt_words::{context_of, question};
use super::offer::put_new;
use super::tariff_form::{
    TariffField, TariffInput, TariffLists, TypedTariff, fields_of, mistake, unit,
};
use super::tariff_preview::preview_of;
use super::tariff_sources::{add_sources, needs_key, try_sources};
use crate::domain::{Account, Currency};
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::service::Trials;
use crate::ledger::contract::{
    Contract, ContractTemplate, Label, MoneyContext, MoneyDoubt, TariffParam,
};

#[derive(Template)]
#[template(path = "money/tariff.html")]
struct TariffPage {
    layout: Layout,
    account: String,
    template: &'static ContractTemplate,
    is_offer: bool,
    fields: Vec<TariffField>,
    from: String,
    /// Whether it continues the contract before; `None` if there is none.
    continues: Option<bool>,
    /// The name of an offer.
    name: String,
    /// The fields about sources of its prices; `None` if the visitor may set up none.
    source: Option<SourceFieldsView>,
}

/// The fields about sources of prices.
struct SourceFieldsView {
    /// Whether one needs a key.
    has_key: bool,
    /// Lines that describe another address.
    mapping: String,
    /// Whether one did not answer, and may be set up all the same.
    is_silent: bool,
}

#[derive(Template)]
#[template(path = "money/tariff_check.html")]
struct TariffCheckPage {
    layout: Layout,
    account: String,
    template: &'static ContractTemplate,
    is_offer: bool,
    /// The fields of the form, to be sent again.
    typed: Vec<(String, String)>,
    /// The questions, and the value of the box that answers them; none if there are none, or they
    /// are answered.
    questions: Vec<String>,
    sure: Option<String>,
    /// The answers of the sources of its prices, and the cost of the last full month.
    told: Vec<String>,
}

/// The template of the form.
fn template_of(visit: &Visit) -> Result<&'static ContractTemplate, PageError> {
    ContractTemplate::with_id(&visit.param("template")?).ok_or(PageError::NotFound)
}

/// The currency of a contract from a template, as the account's contracts write it.
fn currency_of(visit: &Visit, account: &Account, template: &ContractTemplate) -> Currency {
    let own = template.contract().currency();
    let known = contracts_of(visit, &account.name);
    let known = known.currency().filter(|known| own.may_be(known));
    known.unwrap_or(own).clone()
}

/// `GET /costs/tariff?account=…&template=…`; with `as=offer` for an offer.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let layout = layout(&visit)?;
    shown(&visit, layout).await
}

/// The form in this layout, which may have what was typed.
async fn shown(visit: &Visit, layout: Layout) -> PageResult {
    let account = known_account(visit, &visit.param("account")?)?;
    let template = template_of(visit)?;
    let context = context_of(visit, &account).await?;
    let today = context.today.to_string();
    let lists = TariffLists::of(visit, &account, context);
    let currency = currency_of(visit, &account, template);
    let sources = || template.params().iter().flat_map(TariffParam::sources);
    let has_sources = lists.may_add && sources().next().is_some();
    let has_before = !contracts_of(visit, &account.name).all().is_empty();
    Ok(ok(&TariffPage {
        fields: fields_of(template, &lists, &currency, &layout),
        from: layout.typed("from", &today),
        continues: has_before.then(|| layout.typed("continues", "yes") != "no"),
        name: layout.typed("name", ""),
        source: has_sources.then(|| SourceFieldsView {
            has_key: sources().any(|source| needs_key(&source.source)),
            mapping: layout.typed("mapping", ""),
            is_silent: template
                .params()
                .iter()
                .any(|param| !param.sources().is_empty() && layout.at(param.name()).is_some()),
        }),
        is_offer: visit.param("as")? == "offer",
        account: account.name.to_string(),
        template,
        layout,
    }))
}

/// `POST /costs/tariff`: checks the form and, with `step=save`, saves the contract.
pub(crate) async fn save(visit: Visit, trials: Data<Trials>) -> PageResult {
    if visit.field("step")? == "change" {
        let again = Some(visit.request.clone());
        let layout = Layout {
            again,
            ..layout(&visit)?
        };
        return shown(&visit, layout).await;
    }
    let account = known_account(&visit, &visit.field("account")?)?;
    let template = template_of(&visit)?;
    let is_offer = visit.field("as")? == "offer";
    let context = context_of(&visit, &account).await?;
    let lists = TariffLists::of(&visit, &account, context.clone());
    let numbers = visit.numbers();
    let mut typed = TypedTariff::read(&visit, template, (&lists, &numbers))?;
    let currency = currency_of(&visit, &account, template);
    begin(&visit, &account, (&mut typed, is_offer), &currency)?;
    let filled = template.fill(&typed.start, &typed.values);
    let contract =
        filled.map_err(|error| mistake(template, &error, (&currency, visit.language())))?;
    if !is_offer {
        let known = contracts_of(&visit, &account.name);
        check_beside(&visit, (&known, ""), &contract)?;
    }
    let mut questions = numbers.questions();
    questions.extend(doubts(&visit, &typed, (&contract, is_offer), &context));
    if !is_offer {
        let known = contracts_of(&visit, &account.name);
        let before = history_before(&visit, &account.name, (&known, ""), &contract);
        questions.extend(before.await?);
    }
    if visit.field("step")? != "save" {
        let tried = try_sources(&visit, &account, (&typed, &trials)).await?;
        let mut told = tried.answers.clone();
        let preview = preview_of(&visit, &account, (&contract, tried), &trials);
        told.extend(preview.await?);
        return check(&visit, &account, (&typed, is_offer), (questions, told));
    }
    visit.ask(&questions)?;
    add_sources(&visit, &account, &typed).await?;
    if is_offer {
        return put_new(&visit, &account.name, contract).await;
    }
    change(&visit, &account.name, contract.to_string()).await?;
    Ok(list(&account.name, "saved"))
}

/// Fills in the beginning of the contract.
fn begin(
    visit: &Visit,
    account: &Account,
    (typed, is_offer): (&mut TypedTariff, bool),
    currency: &Currency,
) -> Result<(), PageError> {
    typed.start.account_currency = Some(currency.clone());
    if is_offer {
        if typed.start.name.is_none() {
            return Err(PageError::mistake("contract-wrong-name", "name"));
        }
        return Ok(());
    }
    let has_before = !contracts_of(visit, &account.name).all().is_empty();
    if has_before {
        typed.start.continues = Some(visit.field("continues")? != "no");
    }
    Ok(())
}

/// The doubts, in the order of the form.
fn doubts(
    visit: &Visit,
    typed: &TypedTariff,
    (contract, is_offer): (&Contract, bool),
    context: &MoneyContext,
) -> Vec<String> {
    let mut context = context.clone();
    if is_offer {
        context.today = contract.from();
    }
    // A source that is set up with the contract fills its series.
    let new = typed.new_sources.iter().map(|one| one.source.series());
    let mut new: Vec<_> = new.filter_map(|name| Label::new(&name).ok()).collect();
    context.series.extend(new.clone());
    context.day_lists.append(&mut new);
    let unusual = typed.template.unusual(&typed.values).into_iter();
    let worded = |(param, doubt): (&TariffParam, MoneyDoubt)| match doubt {
        MoneyDoubt::Unusual {
            name, typed, usual, ..
        } => MoneyDoubt::Unusual {
            name,
            typed,
            unit: unit(param, contract.currency(), visit.language()),
            usual,
        },
        other => other,
    };
    let unusual: Vec<_> = unusual.map(worded).collect();
    // A number that is unusual for its tariff needs no second question.
    let general = contract.doubts(&context).into_iter();
    let general = general.filter(|doubt| unusual.is_empty() || !doubt.is_number());
    let all = unusual.iter().cloned().chain(general);
    let (currency, language) = (contract.currency().as_str(), visit.language());
    all.map(|doubt| question(&doubt, currency, language))
        .collect()
}

/// The page of a form without mistakes, before it is saved.
fn check(
    visit: &Visit,
    account: &Account,
    (typed, is_offer): (&TypedTariff, bool),
    (questions, told): (Vec<String>, Vec<String>),
) -> PageResult {
    let sure = visit.box_for(&questions);
    let is_answered = sure.is_none();
    let kept =
        |name: &str| !["csrf", "step", "key"].contains(&name) && (is_answered || name != "sure");
    let typed_fields = visit.all_fields();
    let typed_fields = typed_fields.into_iter().filter(|(name, _)| kept(name));
    Ok(ok(&TariffCheckPage {
        typed: typed_fields.collect(),
        questions: if is_answered { Vec::new() } else { questions },
        sure,
        told,
        is_offer,
        account: account.name.to_string(),
        template: typed.template,
        layout: layout(visit)?,
    }))
}
