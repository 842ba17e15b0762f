//! `adr renumber`: gives a decision record another number, with all that refers to it.

use std::collections::HashMap;

use heirloom_core::renumber::Name;
use heirloom_core::{adr, path};
use heirloom_store::adrs;
use heirloom_store::journal::Rename;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{WriteTransaction, lifecycle, move_relations};
use crate::ops::answers::Renumbered;
use crate::workspace::catalog::{self, Catalog, Filed};
use crate::{Effect, Error, Group, Operation, Session, Spec};

/// A record's number has at most five digits.
const NUMBER_MAX: u32 = 99_999;

pub(crate) struct AdrRenumber;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The record: its path, its file's name, or its id where only one has it.
    record: String,
    /// Its new number; the next free one of its folder unless you say.
    #[serde(default)]
    number: Option<u32>,
    /// Show what would be done and do nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for AdrRenumber {
    type Request = Request;
    type Response = Renumbered;
    const SPEC: Spec = Spec {
        name: "adr_renumber",
        usage: "adr renumber <record> [number]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Give a decision record another number: its file, its heading and what refers to it change together. What could mean another record with the old number is listed and left alone.",
    };

    fn run(session: &Session, request: Request) -> Result<Renumbered, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let catalog = Catalog::read(session)?;
        let (filed, old) = catalog.find_adr(&request.record)?;
        if let Some(problem) = filed.document.problems.first() {
            return Err(problem.clone().into());
        }
        filed.check_is_file(session.root())?;
        let name = Name::of_record(path::stem(&old.path)).ok_or_else(|| {
            Error::bad_input(format!("{} has no number in its file's name", old.path))
                .hint("rename the file, so that its name starts with a number")
        })?;
        let folder = path::folder(&old.path);
        let number = choose(session, folder, &name, request.number)?;
        let file = path::file_name(&old.path);
        let ending = &file[path::stem(file).len()..];
        let rename = Rename {
            from: old.path.clone(),
            to: format!("{folder}/{}{ending}", name.renumbered(number)),
        };
        let edits = catalog.renumber_record(filed, &name, number);
        let text = edits.iter().find(|edit| edit.filed.document.path == old.path);
        let new = adr::read(&rename.to, text.map_or(&filed.text, |edit| &edit.after));
        let names = [old.id.clone(), new.id.clone()];
        if request.dry_run {
            return Ok(Renumbered::prepare(names, vec![rename], edits, None));
        }
        let relations = remember(session, &mut transaction, filed, old, &new)?;
        let answer = Renumbered::prepare(names, vec![rename], edits, Some(&mut transaction));
        transaction.commit()?;
        Ok(answer.with_relations(relations))
    }
}

/// Returns the number to give: the one that was asked for if it is free, else the next free one.
fn choose(session: &Session, folder: &str, name: &Name, asked: Option<u32>) -> Result<u32, Error> {
    let next = adrs::next_number(session.root(), session.config()?, folder);
    let number = asked.unwrap_or(next);
    if number == 0 || number > NUMBER_MAX {
        return Err(Error::bad_input(format!("{number} cannot be the number of a record"))
            .hint(format!("{next} is free")));
    }
    if number == name.number() {
        return Err(Error::bad_input(format!("it has the number {number} already")));
    }
    if adrs::is_taken(session.root(), folder, number) {
        return Err(Error::bad_input(format!(
            "the number {number} is taken by a record of {folder}, or was before it was archived"
        ))
        .hint(format!("{next} is free")));
    }
    Ok(number)
}

/// Lets the fact that the record states, and its relations, follow it. Returns how many relations.
fn remember(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    filed: &Filed,
    old: &adr::Adr,
    new: &adr::Adr,
) -> Result<usize, Error> {
    let known = lifecycle::known_of(session, [old, new])?;
    lifecycle::renumber_adr(transaction, &known, old, new, &filed.document)?;
    let project = filed.selectors.get("project").map(String::as_str);
    let new_id = catalog::id_of_record(&new.id, project);
    move_relations(session, transaction, &HashMap::from([(filed.id.clone(), new_id)]))
}
