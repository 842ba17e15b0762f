//! What may be said of any record when it is written.

use heirloom_core::day;
use heirloom_core::record::{Record, Visibility};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{MemorySlice, WriteTransaction};
use crate::Error;

/// What may be said of any record.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Particulars {
    /// Words to find it by.
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// How sure you are, 0 to 1.
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
    /// The first day on which it is true no more.
    #[serde(default)]
    pub(crate) valid_to: Option<String>,
    /// Keep it on this machine, out of git.
    #[serde(default)]
    pub(crate) private: bool,
    /// It in a sentence.
    #[serde(default)]
    pub(crate) summary: Option<String>,
    /// It in a few words.
    #[serde(default)]
    pub(crate) compressed: Option<String>,
    /// It in a word.
    #[serde(default)]
    pub(crate) index: Option<String>,
    /// What it replaces, by id.
    #[serde(default)]
    pub(crate) supersedes: Vec<String>,
    /// Store it though it looks like a secret.
    #[serde(default)]
    pub(crate) allow_secret: bool,
}

const ARTIFACTS: [&str; 4] = ["commit", "pr", "adr", "file"];

impl Particulars {
    /// Says it of a record. What is not given stays as it is.
    pub(crate) fn fill(
        &self,
        record: &mut Record,
        transaction: &mut WriteTransaction<'_>,
        known: &MemorySlice,
    ) -> Result<(), Error> {
        if let Some(confidence) = self.confidence {
            if !(0.0..=1.0).contains(&confidence) {
                return Err(Error::bad_input(format!(
                    "confidence {confidence} is not from 0 to 1"
                )));
            }
            record.confidence = Some(confidence);
        }
        for artifact in &self.artifacts {
            let kind = artifact.split_once(':').filter(|(_, what)| !what.trim().is_empty());
            if !kind.is_some_and(|(kind, _)| ARTIFACTS.contains(&kind)) {
                return Err(Error::bad_input(format!("`{artifact}` is no artifact"))
                    .hint("write commit:abc123, pr:42, adr:ADR-0010 or file:src/main.rs"));
            }
        }
        set_list(&mut record.tags, &self.tags);
        set_list(&mut record.artifacts, &self.artifacts);
        let texts = [
            (&self.source, &mut record.source),
            (&self.summary, &mut record.levels.summary),
            (&self.compressed, &mut record.levels.compressed),
            (&self.index, &mut record.levels.index),
        ];
        for (given, own) in texts {
            if given.is_some() {
                own.clone_from(given);
            }
        }
        for (given, own) in
            [(&self.valid_from, &mut record.valid_from), (&self.valid_to, &mut record.valid_to)]
        {
            if let Some(text) = given {
                let date = day::parse(text).ok_or_else(|| {
                    Error::bad_input(format!("`{text}` is not a date"))
                        .hint("write it as 2026-02-22")
                })?;
                *own = Some(date);
            }
        }
        if let (Some(from), Some(to)) = (record.valid_from, record.valid_to)
            && from >= to
        {
            return Err(Error::bad_input(format!(
                "it would be true from {from} until {to}, which is never"
            )));
        }
        if self.private {
            record.visibility = Visibility::Private;
        }
        for old in &self.supersedes {
            let target = known.find(old)?;
            let names = transaction.names(known, target)?;
            if !record.is_private() && names.iter().any(|name| known.is_local(name)) {
                return Err(Error::bad_input(format!(
                    "`{old}` is private, and what replaces it would be too"
                ))
                .hint("say --private, or store the new one without --supersedes"));
            }
            record.supersedes.extend(names);
        }
        Ok(())
    }
}

fn set_list(own: &mut Vec<String>, given: &[String]) {
    if !given.is_empty() {
        *own = given.iter().map(|item| item.trim().to_owned()).collect();
    }
}
