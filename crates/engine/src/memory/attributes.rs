//! The attributes that every kind of record may have.

use heirloom_core::Hint;
use heirloom_core::day;
use heirloom_core::record::{Record, Visibility};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{MemorySlice, WriteTransaction};
use crate::Error;

/// The attributes that every kind of record may have, as a request gives them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct RecordAttributes {
    /// Tags to find it by.
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// How sure you are, from 0 to 1.
    #[serde(default)]
    pub(crate) confidence: Option<f64>,
    /// Where you learnt it.
    #[serde(default)]
    pub(crate) source: Option<String>,
    /// What it is about: commit:…, pr:…, adr:… or file:….
    #[serde(default)]
    pub(crate) artifacts: Vec<String>,
    /// The first day on which it is true.
    #[serde(default)]
    pub(crate) valid_from: Option<String>,
    /// The first day on which it is no longer true.
    #[serde(default)]
    pub(crate) valid_to: Option<String>,
    /// Keep it on this machine and out of git.
    #[serde(default)]
    pub(crate) private: bool,
    /// A summary in one sentence.
    #[serde(default)]
    pub(crate) summary: Option<String>,
    /// A summary in a few words.
    #[serde(default)]
    pub(crate) compressed: Option<String>,
    /// A summary in one word.
    #[serde(default)]
    pub(crate) index: Option<String>,
    /// The ids of the memories that it replaces.
    #[serde(default)]
    pub(crate) supersedes: Vec<String>,
    /// Store it even if it looks like a secret.
    #[serde(default)]
    pub(crate) allow_secret: bool,
}

/// Prefixes of artifacts.
const ARTIFACT_KINDS: [&str; 4] = ["commit", "pr", "adr", "file"];

impl RecordAttributes {
    /// Sets the given attributes of a record; the others stay as they are.
    pub(crate) fn apply_to(
        &self,
        record: &mut Record,
        transaction: &mut WriteTransaction<'_>,
        known: &MemorySlice,
    ) -> Result<(), Error> {
        if let Some(confidence) = self.confidence {
            check_confidence(confidence)?;
            record.confidence = Some(confidence);
        }
        self.artifacts.iter().try_for_each(|artifact| check_artifact(artifact))?;
        set_list(&mut record.tags, &self.tags);
        set_list(&mut record.artifacts, &self.artifacts);
        let texts = [
            (&self.source, &mut record.source),
            (&self.summary, &mut record.levels.summary),
            (&self.compressed, &mut record.levels.compressed),
            (&self.index, &mut record.levels.index),
        ];
        for (given, current) in texts {
            if given.is_some() {
                current.clone_from(given);
            }
        }
        self.set_validity(record)?;
        if self.private {
            record.visibility = Visibility::Private;
        }
        self.add_superseded(record, transaction, known)
    }

    fn set_validity(&self, record: &mut Record) -> Result<(), Error> {
        for (given, current) in
            [(&self.valid_from, &mut record.valid_from), (&self.valid_to, &mut record.valid_to)]
        {
            if let Some(text) = given {
                let date = day::parse(text).ok_or_else(|| {
                    Error::bad_input(format!("`{text}` is not a date"))
                        .hint("write it as 2026-02-22")
                })?;
                *current = Some(date);
            }
        }
        match (record.valid_from, record.valid_to) {
            (Some(from), Some(to)) if from >= to => Err(Error::bad_input(format!(
                "it would be true from {from} until before {to}, which is never"
            ))
            .hint("the end must be later than the start")),
            _ => Ok(()),
        }
    }

    fn add_superseded(
        &self,
        record: &mut Record,
        transaction: &mut WriteTransaction<'_>,
        known: &MemorySlice,
    ) -> Result<(), Error> {
        for typed in &self.supersedes {
            let target = known.find(typed)?;
            let names = transaction.referents_of(known, target)?;
            if !record.is_private() && names.iter().any(|name| known.is_local(name)) {
                return Err(Error::bad_input(format!(
                    "`{typed}` is private, so its replacement must be private, too"
                ))
                .hint(
                    Hint::text("set ")
                        .field("private")
                        .then(", or store the new one without ")
                        .field("supersedes"),
                ));
            }
            record.supersedes.extend(names);
        }
        Ok(())
    }
}

fn check_confidence(confidence: f64) -> Result<(), Error> {
    match (0.0..=1.0).contains(&confidence) {
        true => Ok(()),
        false => Err(Error::bad_input(format!("confidence {confidence} is not between 0 and 1"))),
    }
}

fn check_artifact(artifact: &str) -> Result<(), Error> {
    let kind = artifact.split_once(':').filter(|(_, name)| !name.trim().is_empty());
    match kind.is_some_and(|(kind, _)| ARTIFACT_KINDS.contains(&kind)) {
        true => Ok(()),
        false => Err(Error::bad_input(format!("`{artifact}` is not an artifact"))
            .hint("write commit:abc123, pr:42, adr:ADR-0010 or file:src/main.rs")),
    }
}

fn set_list(current: &mut Vec<String>, given: &[String]) {
    if !given.is_empty() {
        *current = given.iter().map(|item| item.trim().to_owned()).collect();
    }
}
