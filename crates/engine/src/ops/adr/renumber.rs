//! `adr renumber`: changes the number of a decision record and the references to it.

use std::collections::HashMap;

use heirloom_core::renumber::NumberedName;
use heirloom_core::{adr, path};
use heirloom_store::adrs;
use heirloom_store::journal::Rename;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{WriteTransaction, lifecycle, move_relations};
use crate::ops::answers::RenumberReport;
use crate::workspace::catalog::{self, Catalog, CatalogEntry};
use crate::{Effect, Error, Group, Operation, Session, Spec};

/// Largest record number: five digits.
const MAX_RECORD_NUMBER: u32 = 99_999;

pub(crate) struct AdrRenumber;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Decision record, by path or file name, or by id if it is unique.
    record: String,
    /// New number; default: the next free one of its folder.
    #[serde(default)]
    number: Option<u32>,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for AdrRenumber {
    type Request = Request;
    type Response = RenumberReport;
    const SPEC: Spec = Spec {
        name: "adr_renumber",
        usage: "adr renumber <record> [number]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Change the number of a decision record. Its file, its heading and references to it change together. References that may mean another record with the old number are listed, not changed.",
    };

    fn run(session: &Session, request: Request) -> Result<RenumberReport, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let catalog = Catalog::read(session)?;
        let (catalog_entry, old) = catalog.find_adr(&request.record)?;
        if let Some(problem) = catalog_entry.document.problems.first() {
            return Err(problem.clone().into());
        }
        catalog_entry.check_is_file(session.root())?;
        let name = NumberedName::of_adr(path::stem(&old.path)).ok_or_else(|| {
            Error::bad_input(format!("the file name {} has no number", old.path))
                .hint("rename the file, so that its name starts with a number")
        })?;
        let folder = path::folder(&old.path);
        let number = choose_number(session, folder, &name, request.number)?;
        let file = path::file_name(&old.path);
        let extension = &file[path::stem(file).len()..];
        let rename = Rename {
            from: old.path.clone(),
            to: format!("{folder}/{}{extension}", name.with_number(number)),
        };
        let edits = catalog.renumber_adr_document(catalog_entry, &name, number);
        let text = edits.iter().find(|edit| edit.catalog_entry.document.path == old.path);
        let new = adr::read(&rename.to, text.map_or(&catalog_entry.text, |edit| &edit.after));
        let names = [old.id.clone(), new.id.clone()];
        if request.dry_run {
            return Ok(RenumberReport::prepare(names, vec![rename], edits, None));
        }
        let relations = renumber_in_log(session, &mut transaction, catalog_entry, old, &new)?;
        let answer = RenumberReport::prepare(names, vec![rename], edits, Some(&mut transaction));
        transaction.commit()?;
        Ok(answer.with_relations(relations))
    }
}

/// Returns the requested number if it is free, or the next free one if none is requested.
fn choose_number(
    session: &Session,
    folder: &str,
    name: &NumberedName,
    requested: Option<u32>,
) -> Result<u32, Error> {
    let next = adrs::next_number(session.root(), session.config()?, folder);
    let number = requested.unwrap_or(next);
    if number == 0 || number > MAX_RECORD_NUMBER {
        return Err(Error::bad_input(format!("{number} is not a valid record number"))
            .hint(format!("{next} is free")));
    }
    if number == name.number() {
        return Err(Error::bad_input(format!("the record already has the number {number}")));
    }
    if adrs::is_taken(session.root(), folder, number) {
        return Err(Error::bad_input(format!(
            "the number {number} is already used by a record of {folder}, perhaps an archived one"
        ))
        .hint(format!("{next} is free")));
    }
    Ok(number)
}

/// Moves the fact and the relations of the record to its new id. Returns the number of relations.
fn renumber_in_log(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    catalog_entry: &CatalogEntry,
    old: &adr::Adr,
    new: &adr::Adr,
) -> Result<usize, Error> {
    let known = lifecycle::read_ingested(session, [old, new])?;
    lifecycle::renumber_adr(transaction, &known, old, new, &catalog_entry.document)?;
    let project = catalog_entry.selectors.get("project").map(String::as_str);
    let new_id = catalog::id_of_adr(&new.id, project);
    move_relations(session, transaction, &HashMap::from([(catalog_entry.id.clone(), new_id)]))
}
