//! Why a request fails.

use std::borrow::Cow;
use std::fmt::Display;

use thiserror::Error;

use crate::domain::EntryKind;
use crate::house::{CompareError, SavingsError};
use crate::ledger::contract::ContractError;
use crate::ledger::{FactError, NoteError};
use crate::store::{BackupError, StoreError};

/// Why a request was not carried out. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AdminError {
    /// A field has an invalid value.
    #[error("{}{}", self.called(), self.problem())]
    Field {
        /// Its name in the API and in the forms of pages.
        field: Cow<'static, str>,
        /// The fault, and the expected value.
        problem: String,
        /// A valid example.
        example: Option<&'static str>,
    },
    /// The request as a whole is refused: the reason, and the remedy.
    #[error("{0}")]
    Refused(String),
    /// It conflicts with the contents of the store: something does not exist, or there are too
    /// many.
    #[error("{0}")]
    Unfit(StoreError),
    /// The store failed.
    #[error("{0}")]
    Store(StoreError),
}

impl AdminError {
    /// The field at fault; empty if there is none.
    #[must_use]
    pub fn at(&self) -> &str {
        match self {
            Self::Field { field, .. } => field,
            Self::Unfit(StoreError::UnknownAccount(_)) => "account",
            Self::Unfit(StoreError::NotInEffect(..)) => "revoke",
            Self::Unfit(StoreError::UnknownEntry { kind, .. }) => match kind {
                EntryKind::Bill => "remove",
                _ => "name",
            },
            Self::Unfit(StoreError::TooManySeries(_) | StoreError::TooManyPrices(_)) => "series",
            Self::Unfit(
                StoreError::TooManyDayLists(_)
                | StoreError::TooManyDays(_)
                | StoreError::TooManyDayTypes(_)
                | StoreError::UnknownDayList(_),
            ) => "list",
            _ => "",
        }
    }

    /// The name that commands use for the field, before the fault.
    fn called(&self) -> Cow<'static, str> {
        let Self::Field { field, .. } = self else {
            return Cow::default();
        };
        match field {
            Cow::Borrowed("account") => "account name: ".into(),
            Cow::Borrowed("id") => "sensor id: ".into(),
            Cow::Borrowed("key") => "api_id: ".into(),
            Cow::Borrowed("part_of") => "part of: ".into(),
            // The value follows.
            Cow::Borrowed("tz") => "time zone ".into(),
            // Also a place within a typed text, under any name.
            other => format!("{other}: ").into(),
        }
    }

    /// The fault, for callers that name the field themselves.
    #[must_use]
    pub fn problem(&self) -> String {
        match self {
            Self::Field {
                problem,
                example: Some(example),
                ..
            } => format!("{problem}, such as {example}"),
            Self::Field { problem, .. } => problem.clone(),
            other => other.to_string(),
        }
    }
}

/// A fault of this field, and a valid example.
pub(super) fn wrong(
    field: impl Into<Cow<'static, str>>,
    problem: impl Display,
    example: impl Into<Option<&'static str>>,
) -> AdminError {
    AdminError::Field {
        field: field.into(),
        problem: problem.to_string(),
        example: example.into(),
    }
}

impl From<StoreError> for AdminError {
    fn from(error: StoreError) -> Self {
        use StoreError as E;
        match error {
            E::Contract(error) => error.into(),
            E::UnknownWhole(_) | E::PartOfItself(_) => wrong("part_of", error, None),
            E::TooManyNotes(_) => wrong("note", error, None),
            E::TooManyCalibrations => wrong("factor", error, None),
            E::NoSubMeter(_) => wrong("sensor", error, None),
            E::OfferCurrency { .. } | E::SeriesCurrency { .. } => wrong("currency", error, None),
            E::AdministratorExists
            | E::PasswordChanged
            | E::UnknownPerson(_)
            | E::TooManyPeople
            | E::UnknownTablet(_)
            | E::TooManyTablets
            | E::UnknownLinkedUser(_)
            | E::TooManyLinkedUsers
            | E::TooManyHomeAssistants
            | E::UnknownAccount(_)
            | E::UnknownCredential(_)
            | E::UnknownSensor(_)
            | E::TextTooLong { .. }
            | E::AccountHasSensors(_)
            | E::TooManyEntries { .. }
            | E::UnknownEntry { .. }
            | E::AccountHasPrices(_)
            | E::TooManySeries(_)
            | E::TooManyPrices(_)
            | E::UnknownSeries(_)
            | E::TooManyDayLists(_)
            | E::TooManyDays(_)
            | E::TooManyDayTypes(_)
            | E::UnknownDayList(_)
            | E::TooManyCorrections(_)
            | E::UnknownNotice(_)
            | E::NotInEffect(..)
            | E::TenancyCollides { .. }
            | E::SensorTaken(_) => Self::Unfit(error),
            failed => Self::Store(failed),
        }
    }
}

impl From<BackupError> for AdminError {
    fn from(error: BackupError) -> Self {
        match error {
            BackupError::Store(error) => error.into(),
            other => Self::Refused(other.to_string()),
        }
    }
}

impl From<CompareError> for AdminError {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::NoContract(_) | CompareError::TooMany => wrong("to", error, None),
            CompareError::Store(error) => error.into(),
        }
    }
}

impl From<SavingsError> for AdminError {
    fn from(error: SavingsError) -> Self {
        match error {
            SavingsError::NoContract(_) | SavingsError::TooMany => wrong("to", error, None),
            SavingsError::NoPart(Some(_)) => wrong("without", error, None),
            SavingsError::NoPart(None) => Self::Refused(error.to_string()),
            SavingsError::Store(error) => error.into(),
        }
    }
}

impl From<ContractError> for AdminError {
    fn from(ContractError { place, problem }: ContractError) -> Self {
        wrong(place, problem, None)
    }
}

impl From<FactError> for AdminError {
    fn from(error: FactError) -> Self {
        wrong(error.field(), error, None)
    }
}

impl From<NoteError> for AdminError {
    fn from(error: NoteError) -> Self {
        wrong("note", error, "\"read off the meter\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::contract::ContractChange;

    #[test]
    fn a_problem_is_told_with_its_field() {
        for (field, problem, example, text) in [
            ("name", "too long", None, "name: too long"),
            (
                "name",
                "too long",
                Some("Anna"),
                "name: too long, such as Anna",
            ),
            ("account", "too long", None, "account name: too long"),
            (
                "tz",
                "\"Mars\": unknown",
                None,
                "time zone \"Mars\": unknown",
            ),
        ] {
            let error = wrong(field, problem, example);
            assert_eq!((error.at(), error.to_string().as_str()), (field, text));
        }
        let wrong = wrong("name", "too long", "Anna");
        assert_eq!(wrong.problem(), "too long, such as Anna");
    }

    #[test]
    fn a_member_of_a_contract_keeps_its_name() {
        let error = ContractChange::parse("{\"id\": 1}").unwrap_err();
        assert_eq!(
            AdminError::from(error.clone()).to_string(),
            error.to_string()
        );
        assert!(error.to_string().starts_with("id: "), "{error}");
    }

    #[test]
    fn a_store_that_fails_is_not_the_fault_of_the_request() {
        for (error, field) in [
            (StoreError::UnknownAccount("x".into()), "account"),
            (StoreError::UnknownSensor("x".into()), ""),
            (StoreError::UnknownWhole("x".into()), "part_of"),
            (StoreError::TooManySeries("x".into()), "series"),
            (StoreError::TooManyDays("x".into()), "list"),
        ] {
            let refused = AdminError::from(error);
            assert!(!matches!(refused, AdminError::Store(_)), "{refused:?}");
            assert_eq!(refused.at(), field);
        }
        for error in [
            StoreError::Closed,
            StoreError::Poisoned("a disk".into()),
            StoreError::NotForNow("a disk".into()),
            StoreError::Damaged("a block".into()),
        ] {
            let failed = AdminError::from(error.clone());
            assert_eq!((failed.at(), &failed), ("", &AdminError::Store(error)));
        }
    }
}
