//! Changes of corrections: adding and revoking, and removing with their sensor.

use std::sync::Arc;

use super::correction_records::{correction_key, encode_correction, encode_revocation};
use super::edit::RegistryEdit;
use crate::domain::{AccountName, SensorId};
use crate::ledger::{Correction, Corrections, Fact, Made};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

impl RegistryEdit<'_> {
    /// Adds a correction with the next number of the account. A reading of the utility's meter that
    /// is in effect already is not added again.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the account does not have the sensor;
    /// [`StoreError::TooManyCorrections`], [`StoreError::TooManyCalibrations`],
    /// [`StoreError::TooManyNotes`].
    pub fn add_correction(
        &mut self,
        account: &AccountName,
        correction: Correction,
    ) -> Result<Correction, StoreError> {
        let all = self.registry.corrections(account);
        if let Some(known) = all.and_then(|all| all.same_reading(&correction)) {
            return Ok(known.clone());
        }
        let is_calibration = matches!(correction.fact(), Fact::Calibrate(..));
        let calibrations = all.map_or(0, |all| all.count_calibrations(correction.sensor()));
        if is_calibration && calibrations >= Corrections::MOST_CALIBRATIONS {
            return Err(StoreError::TooManyCalibrations);
        }
        if !all.is_none_or(|all| all.has_room_for(correction.made().note())) {
            return Err(StoreError::TooManyNotes(account.to_string()));
        }
        let correction = correction.numbered(all.map_or(1, Corrections::next_number));
        self.put_correction(account, correction.clone())?;
        Ok(correction)
    }

    /// Adds a correction with its own number.
    pub(crate) fn put_correction(
        &mut self,
        account: &AccountName,
        correction: Correction,
    ) -> Result<(), StoreError> {
        let sensor = self.registry.sensor(correction.sensor());
        if sensor.is_none_or(|sensor| sensor.account != *account) {
            return Err(StoreError::UnknownSensor(correction.sensor().to_string()));
        }
        let all = self.registry.corrections.entry(account.clone());
        let all = Arc::make_mut(all.or_default());
        if all.count() >= Corrections::MOST {
            return Err(StoreError::TooManyCorrections(account.to_string()));
        }
        let records = self.changes.of(RecordKind::Corrections);
        let number = correction.number();
        records.insert(
            correction_key(account, number, false),
            encode_correction(&correction)?,
        );
        if let Some(by) = correction.revoked() {
            records.insert(
                correction_key(account, number, true),
                encode_revocation(by)?,
            );
        }
        all.put(correction);
        Ok(())
    }

    /// Revokes a correction that is in effect.
    pub(crate) fn revoke_correction(
        &mut self,
        account: &AccountName,
        number: u32,
        by: Made,
    ) -> Result<Correction, StoreError> {
        let record = encode_revocation(&by)?;
        let unknown = || StoreError::NotInEffect(number, account.to_string());
        let all = self.registry.corrections.get_mut(account);
        let all = Arc::make_mut(all.ok_or_else(unknown)?);
        if !all.has_room_for(by.note()) {
            return Err(StoreError::TooManyNotes(account.to_string()));
        }
        let revoked = all.revoke(number, by).cloned().ok_or_else(unknown)?;
        let records = self.changes.of(RecordKind::Corrections);
        records.insert(correction_key(account, number, true), record);
        Ok(revoked)
    }

    /// Removes the corrections of a sensor.
    pub(super) fn remove_corrections(&mut self, account: &AccountName, sensor: &SensorId) {
        let Some(all) = self.registry.corrections.get_mut(account) else {
            return;
        };
        let records = self.changes.of(RecordKind::Corrections);
        for number in Arc::make_mut(all).forget(sensor) {
            for is_revocation in [false, true] {
                records.remove(correction_key(account, number, is_revocation));
            }
        }
        if all.count() == 0 {
            self.registry.corrections.remove(account);
        }
    }
}
