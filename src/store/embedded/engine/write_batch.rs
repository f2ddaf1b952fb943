//! Changes of several trees that become visible and durable together.

use std::collections::BTreeMap;

use sled::Transactional as _;
use sled::transaction::TransactionError;

use crate::store::error::StoreError;

/// Changes to be applied in one transaction, by the names of their trees.
#[derive(Default)]
pub(crate) struct WriteBatch(BTreeMap<sled::IVec, (sled::Tree, sled::Batch)>);

impl WriteBatch {
    /// The changes of `tree`, to be added to.
    pub(crate) fn of(&mut self, tree: &sled::Tree) -> &mut sled::Batch {
        let changes = self.0.entry(tree.name());
        &mut changes
            .or_insert_with(|| (tree.clone(), sled::Batch::default()))
            .1
    }

    /// Whether no tree is changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes the changes: after a crash there are all of them, or none.
    pub(crate) fn apply(&self) -> Result<(), StoreError> {
        // sled panics on a transaction over no tree at all.
        if self.is_empty() {
            return Ok(());
        }
        let trees: Vec<&sled::Tree> = self.0.values().map(|(tree, _)| tree).collect();
        // Both iterators follow the map, so each tree meets its own changes. sled runs the closure again after a
        // conflict, so it only borrows them.
        let outcome = trees.as_slice().transaction(|trees| {
            for (tree, (_, batch)) in trees.iter().zip(self.0.values()) {
                tree.apply_batch(batch)?;
            }
            Ok(())
        });
        outcome.map_err(|error: TransactionError<StoreError>| match error {
            TransactionError::Storage(error) => error.into(),
            TransactionError::Abort(error) => error,
        })
    }
}
