//! Requests of commands about the Home Assistants of accounts: the settings of the service say which
//! certificates they trust, and its readers how far they are. A command that has the store open
//! itself asks here, too.

use crate::admin::{
    AdminError, HomeAssistantRequest, Response, SensorWishes, change_contracts, flat_contract,
    home_assistant_rows, known_home_assistant, put_home_assistant, put_house,
    remove_home_assistant, set_sending, typed_home_assistant,
};
use crate::domain::{AccountName, HomeAssistantEntry, Secret, Timestamp};
use crate::home_assistant::{GridPrices, HomeAssistantError, LinkSettings, who_answers};
use crate::http::gate::HomeAssistantsOf;
use crate::ledger::contract::ContractChange;

/// Carries out a request. Blocks, for a question to Home Assistant for minutes.
///
/// # Errors
/// An [`AdminError`] with the fault and the remedy.
pub(crate) fn run(
    of: &HomeAssistantsOf<'_>,
    request: HomeAssistantRequest,
    now: Timestamp,
) -> Result<Response, AdminError> {
    let registry = of.store.registry();
    let (none, terms) = (Secret::default(), of.terms());
    match request {
        HomeAssistantRequest::Show { account } => {
            let rows = home_assistant_rows(&registry, account.as_deref(), &terms)?;
            let rows = rows.into_iter().map(|row| of.with_progress(row));
            Ok(Response::HomeAssistants(rows.collect()))
        }
        HomeAssistantRequest::Test { account } => {
            let known = known_home_assistant(&registry, account.as_deref(), &terms)?;
            let link = of.link(&known.account, &known.home_assistant, &none);
            let house = of.propose(&known.account, &link, now)?;
            Ok(Response::House(Box::new(house)))
        }
        HomeAssistantRequest::Add {
            account,
            address,
            token_file,
            sensors,
        } => {
            let place = (account.as_deref(), address.as_deref());
            let typed = (token_file, &none);
            let (account, home) = typed_home_assistant(&registry, place, typed, &terms)?;
            match sensors {
                None => put_home_assistant(of.store, &account, home, none)?,
                Some(wishes) => take_house(of, (&account, home), &wishes, now)?,
            }
            let rows = home_assistant_rows(&of.store.registry(), Some(account.as_str()), &terms)?;
            Ok(Response::HomeAssistants(rows))
        }
        HomeAssistantRequest::Send { account, send } => {
            let known = known_home_assistant(&registry, account.as_deref(), &terms)?;
            if send {
                let link = of.link(&known.account, &known.home_assistant, &none);
                may_send(&link).map_err(|error| {
                    AdminError::Refused(format!("Home Assistant at {}: {error}", link.address))
                })?;
            }
            set_sending(of.store, &known.account, send, &of.wishes())?;
            let account = Some(known.account.as_str());
            let rows = home_assistant_rows(&of.store.registry(), account, &terms)?;
            Ok(Response::HomeAssistants(rows))
        }
        HomeAssistantRequest::Compare(form) => {
            let compared = of.compare(&form, now)?;
            let compared = compared.map_err(|error| {
                AdminError::Refused(format!("Home Assistant cannot be compared: {error}"))
            });
            Ok(Response::Counted(Box::new(compared?)))
        }
        HomeAssistantRequest::Remove { account } => {
            let known = known_home_assistant(&registry, account.as_deref(), &terms)?;
            remove_home_assistant(of.store, &known.account)?;
            Ok(Response::Done)
        }
    }
}

/// Adds the sensors of a house as its Home Assistant proposes it and, if that is wished, the prices. Blocks.
fn take_house(
    of: &HomeAssistantsOf<'_>,
    (account, home): (&AccountName, HomeAssistantEntry),
    wishes: &SensorWishes,
    now: Timestamp,
) -> Result<(), AdminError> {
    let none = Secret::default();
    let house = of.propose(account, &of.link(account, &home, &none), now)?;
    let prices = house.prices.clone().filter(|_| wishes.with_prices);
    let registry = of.store.registry();
    let flat = prices.as_ref();
    let flat = flat.map(|it| flat_contract(&registry, account, it));
    let flat = flat.transpose()?.flatten();
    let chosen = wishes.choose(house)?;
    let at_grid = wishes.at_grid;
    let home = home.with_prices(prices.iter().flat_map(GridPrices::entities));
    put_house(of.store, account, (home, none), (&chosen, at_grid), now)?;
    if let Some(flat) = flat {
        let change = ContractChange::parse(&flat.contract().to_string())?;
        change_contracts(of.store, account, change)?;
    }
    Ok(())
}

/// Asks whether a token may send history. Blocks.
///
/// # Errors
/// [`HomeAssistantError::NotAdministrator`]; the reason why it does not answer.
pub(crate) fn may_send(link: &LinkSettings) -> Result<(), HomeAssistantError> {
    let who = who_answers(link)?;
    let may = who.is_administrator.then_some(());
    may.ok_or(HomeAssistantError::NotAdministrator)
}
