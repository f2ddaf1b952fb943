//! The cost of a contract in the last full month, in words, before it is saved.

use actix_web::web::Data;

use super::summary::month_name;
use super::tariff_sources::{TriedSources, past_of};
use crate::domain::{Account, TimeRange};
use crate::house::{ContractPreview, ExtraPrices, preview, preview_month};
use crate::http::pages::frame::{PageError, Visit, figures};
use crate::http::pages::service::Trials;
use crate::ledger::contract::Contract;
use crate::ledger::{CostStatement, Flow};
use crate::store::StoreError;
use crate::texts::Language;

/// The sentences about a month by a contract, and by the one in force. Prices that are not stored
/// are asked for once.
pub(super) async fn preview_of(
    visit: &Visit,
    account: &Account,
    (contract, tried): (&Contract, TriedSources),
    trials: &Data<Trials>,
) -> Result<Vec<String>, PageError> {
    let now = visit.app.counted_now();
    let (of, terms) = (account.clone(), contract.clone());
    let found = visit.report(&account.name, move |store| {
        let month = preview_month(store, &of, (&terms, now))?;
        let shown = preview(
            store,
            &of,
            (&terms, &ExtraPrices::default()),
            (month.clone(), now),
        )?;
        Ok::<_, StoreError>((month, shown))
    });
    let (month, mut shown) = found.await??;
    let is_unpriced = shown.new.bill.unpriced != Flow::default();
    if is_unpriced
        && !tried.asked.is_empty()
        && let Some(range) = TimeRange::new(month.0.start, month.0.end)
    {
        let extra = past_of(trials, tried.asked, range).await?;
        let (of, terms) = (account.clone(), contract.clone());
        let again = visit.report(&account.name, move |store| {
            preview(store, &of, (&terms, &extra), (month, now))
        });
        shown = again.await??;
    }
    Ok(sentences(
        &shown,
        contract.currency().as_str(),
        visit.language(),
    ))
}

fn sentences(shown: &ContractPreview, currency: &str, language: &Language) -> Vec<String> {
    let month = format!(
        "{} {}",
        month_name(shown.month.month(), language),
        shown.month.year()
    );
    let mut all = Vec::new();
    let words = |statement: &CostStatement| {
        let total = statement.total();
        let total = total.map(|total| figures::money(total.to_f64(), currency, language));
        let energy = statement
            .energy
            .map_or(0.0, |flow| flow.imported.watthours());
        let energy = figures::energy(energy, language);
        let (unit, size) = figures::minor_unit(currency, language);
        let mean = statement.mean_price();
        let mean = mean.map(|mean| {
            let unit = figures::per_kwh(unit);
            figures::rounded_price(mean.to_f64() * size, (size, &unit), language)
        });
        (total, energy, mean)
    };
    let values = |total: &str, energy: &str, mean: &str| {
        [
            ("month", month.clone().into()),
            ("total", total.to_owned().into()),
            ("energy", energy.to_owned().into()),
            ("mean", mean.to_owned().into()),
        ]
    };
    all.push(match words(&shown.new) {
        (Some(total), energy, Some(mean)) if shown.is_demo => {
            language.fill("tariff-preview-demo", values(&total, &energy, &mean))
        }
        (Some(total), energy, Some(mean)) => {
            language.fill("tariff-preview", values(&total, &energy, &mean))
        }
        (_, energy, _) => language.fill("tariff-preview-unpriced", values("", &energy, "")),
    });
    let present = shown.present.as_ref().map(words);
    if let Some((Some(total), energy, Some(mean))) = present {
        all.push(language.fill("tariff-preview-present", values(&total, &energy, &mean)));
    }
    all
}
