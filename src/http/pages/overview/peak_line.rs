//! The line about the running span, where a contract prices the demand.

use crate::chart::{Wording, quantity};
use crate::domain::{Account, MicroWh, Timestamp};
use crate::house::{PeakGuard, PeakNow};
use crate::http::pages::frame::figures;
use crate::query::Units;
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// Its parts, each a few words.
pub(super) struct PeakLine(pub(super) Vec<String>);

impl PeakLine {
    /// The line of an account; `None` if nothing prices its demand. May block on disk reads.
    pub(super) fn at(
        guard: &PeakGuard,
        (store, account): (&Store, &Account),
        language: &'static Language,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let found = guard.look(store, account, now)?;
        let shown = found
            .as_ref()
            .and_then(|found| Some((found, found.shown()?)));
        Ok(shown.map(|(found, it)| {
            let wording = Wording::new(&account.zone, language);
            let mut parts = running(it, wording);
            parts.extend(it.demand.peak().map(|peak| {
                language.fill("peak-so-far", [("peak", power(peak, language).into())])
            }));
            let cost = figures::money(it.kilowatt.to_f64(), found.currency.as_str(), language);
            parts.push(language.fill("peak-kilowatt", [("cost", cost.into())]));
            Self(parts)
        }))
    }
}

/// The running span, and what is left of it.
fn running(it: &PeakNow, wording: Wording<'_>) -> Vec<String> {
    let language = wording.language;
    let until = wording.clock(it.demand.span().end);
    if !it.demand.counts() {
        return vec![language.fill("peak-not-now", [("time", until.into())])];
    }
    let known = it.demand.energy().zip(it.likely()).zip(it.left());
    let Some(((energy, likely), left)) = known else {
        return vec![language.say("peak-unknown")];
    };
    let energy = quantity(energy.watthours(), Units::Watthours, language);
    let level = power(it.demand.level().power(), language);
    vec![
        language.fill(
            "peak-running",
            [
                ("time", until.into()),
                ("energy", energy.into()),
                ("likely", power(likely, language).into()),
            ],
        ),
        language.fill(
            "peak-left",
            [
                ("left", power(left, language).into()),
                ("level", level.into()),
            ],
        ),
    ]
}

fn power(power: MicroWh, language: &Language) -> String {
    quantity(power.watthours(), Units::Watts, language)
}
