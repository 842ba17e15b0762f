//! Finds what an id stands for: a section, a memory, a session, a document or an archived document.

use heirloom_core::fold::Standing;
use heirloom_core::recall::{DocumentPart, split_section_name};
use heirloom_core::record::Referent;
use heirloom_core::supersession::Supersession;
use heirloom_core::{Hint, path};
use heirloom_store::listings::Listings;
use heirloom_store::reference_documents;

use crate::indexing::stated_date;
use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, MemoryTarget};
use crate::ops::record::show::RecordDetails;
use crate::recall::{find_section, records_of_session};
use crate::workspace::archive::Archive;
use crate::workspace::catalog::{Catalog, CatalogEntry};
use crate::workspace::inherit;
use crate::{Error, Session};

/// The kind of a document that belongs to no level.
const DOCUMENT_KIND: &str = "document";

/// Returns what an id stands for in this workspace or, if nothing here has it, in the other registered ones, since
/// hits of these are shown as well.
pub(crate) fn expand(
    session: &Session,
    known: &MemorySlice,
    typed: &str,
) -> Result<Vec<RecordDetails>, Error> {
    let error = match expand_here(session, known, typed) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let is_ambiguous = known.find(typed).is_err_and(|error| !error.candidates.is_empty());
    let elsewhere = if is_ambiguous { vec![] } else { expand_elsewhere(session, typed) };
    if elsewhere.is_empty() { Err(error) } else { Ok(elsewhere) }
}

/// Returns what an id stands for in the other registered workspaces. A document is found there by its path only: the
/// names and numbers of documents are those of this workspace.
fn expand_elsewhere(session: &Session, typed: &str) -> Vec<RecordDetails> {
    let registered = session.registry().map(|registry| registry.list().0).unwrap_or_default();
    let others = registered.iter().filter(|entry| entry.folder != session.root().path());
    let found = others.filter_map(|entry| {
        let other = session.open_other(&entry.folder).ok()?;
        let known = MemoryQuery::new().ids(&[typed.to_owned()]).read(&other).ok()?;
        let found = match path::folder(typed) {
            "" => expand_memories(&other, &known, typed).ok()?,
            _ => expand_here(&other, &known, typed).ok()?,
        };
        let name = |details: RecordDetails| details.in_workspace(&entry.name);
        Some(found.into_iter().map(name).collect::<Vec<_>>())
    });
    found.flatten().collect()
}

/// Returns what an id stands for in a workspace.
fn expand_here(
    session: &Session,
    known: &MemorySlice,
    typed: &str,
) -> Result<Vec<RecordDetails>, Error> {
    let memories = expand_memories(session, known, typed)?;
    if !memories.is_empty() {
        return Ok(memories);
    }
    let catalog = Catalog::read(session)?;
    match catalog.find_all(typed)?.as_slice() {
        [] => {}
        [document] => return Ok(vec![expand_document(session, &catalog, document)?]),
        _ => return Err(catalog.find(typed).err().unwrap_or_else(|| unknown(typed))),
    }
    if let Some(document) = expand_reference(session, typed)? {
        return Ok(vec![document]);
    }
    if let Some(archived) = expand_archived(session, typed)? {
        return Ok(vec![archived]);
    }
    let not_found = catalog.find(typed).err().filter(|error| !error.candidates.is_empty());
    Err(not_found.unwrap_or_else(|| unknown(typed)))
}

fn unknown(typed: &str) -> Error {
    let message = format!("nothing has the id `{}`", typed.escape_default());
    let hint = Hint::default().operation("memory_recall").then(
        " shows ids of memories, of which the last 8 characters suffice; a document is named by its path or its name, and a commit by the beginning of its hash",
    );
    Error::not_found(message, vec![]).hint(hint)
}

/// Returns the section, the memory or the memories of the session that an id stands for; nothing if it stands for none.
fn expand_memories(
    session: &Session,
    known: &MemorySlice,
    typed: &str,
) -> Result<Vec<RecordDetails>, Error> {
    if let Some(section) = expand_section(session, typed)? {
        return Ok(vec![section]);
    }
    let not_found = match known.find(typed) {
        Ok(target) => return Ok(expand_memory(session, known, target).into_iter().collect()),
        Err(error) => error,
    };
    // An ambiguous id, or that of a purged record, is no document.
    if !not_found.candidates.is_empty() || known.is_purged(&typed.to_lowercase()) {
        return Err(not_found);
    }
    let of_session = records_of_session(session, typed)?;
    let known = MemoryQuery::new().referents(of_session.iter().cloned()).read(session)?;
    let records = of_session.iter().filter_map(Referent::record_id);
    let expand = |id| expand_memory(session, &known, MemoryTarget::Record(id));
    Ok(records.filter_map(expand).collect())
}

/// Returns the section of a document that is named by its path and number: `docs/plan.md#2`.
fn expand_section(session: &Session, typed: &str) -> Result<Option<RecordDetails>, Error> {
    let Some((path, number)) = split_section_name(typed) else { return Ok(None) };
    match find_section(session, path, number)? {
        Some(found) => Ok(Some(RecordDetails::of_item(found))),
        None => {
            let message = format!("`{}` has no section {number}", path.escape_default());
            let hint = Hint::text("leave out the number to see all of a document");
            Err(Error::not_found(message, vec![]).hint(hint))
        }
    }
}

/// Returns a record or an entry with its history and relations; `None` for a record that is no memory.
fn expand_memory(
    session: &Session,
    known: &MemorySlice,
    target: MemoryTarget<'_>,
) -> Option<RecordDetails> {
    let item = match target {
        MemoryTarget::Record(id) => {
            let item = known.memory.item(id)?;
            let shown = MemoryItem::of_record(&known.memory, &item);
            MemoryItem { record: serde_json::to_value(item.record).ok(), ..shown }
        }
        MemoryTarget::Entry(document, entry) => {
            MemoryItem::of_entry(&known.memory, document, entry)
        }
    };
    Some(RecordDetails::new(session, known, item, session.today()))
}

/// Returns a whole document, with its relations.
fn expand_document(
    session: &Session,
    catalog: &Catalog,
    document: &CatalogEntry,
) -> Result<RecordDetails, Error> {
    let path = &document.document.path;
    let text = session.root().read(path)?.unwrap_or_default();
    let part = DocumentPart {
        id: document.id.clone(),
        kind: document.kind.as_str().to_owned(),
        text,
        date: stated_date(&document.document).or(document.assessment.updated),
        path: path.clone(),
        line: 1,
        tags: document.document.field_list("tags"),
        status: document.adr.as_ref().map(|adr| adr.status.as_str().to_owned()),
        standing: if document.is_replaced { Standing::Superseded } else { Standing::Active },
        ..DocumentPart::default()
    };
    let subject = Referent::Document(document.id.clone());
    let known = MemoryQuery::new().referents([subject.clone()]).read(session)?;
    let mut item = MemoryItem::of_part(&known.memory, &subject, &part);
    if document.is_replaced {
        let successors = successors(catalog, path);
        item.replaced_by.extend(successors.into_iter().map(Referent::Document));
    }
    Ok(RecordDetails::new(session, &known, item, session.today()))
}

/// Returns the ids of the decision records that replaced the one with a path.
fn successors(catalog: &Catalog, path: &str) -> Vec<String> {
    let Some(index) = catalog.adrs.iter().position(|adr| adr.path == path) else { return vec![] };
    let supersession = Supersession::new(&catalog.adrs);
    supersession.successors(index).map(|new| catalog.adrs[new].id.clone()).collect()
}

/// Returns a document that belongs to no level, by its path.
fn expand_reference(session: &Session, typed: &str) -> Result<Option<RecordDetails>, Error> {
    let root = session.root();
    if !reference_documents::contains(&Listings::new(root), session.config()?, typed) {
        return Ok(None);
    }
    let text = root.read(typed)?.unwrap_or_default();
    let subject = Referent::Document(typed.to_owned());
    let known = MemoryQuery::new().referents([subject.clone()]).read(session)?;
    let part = DocumentPart {
        id: typed.to_owned(),
        kind: DOCUMENT_KIND.to_owned(),
        path: typed.to_owned(),
        text,
        line: 1,
        ..DocumentPart::default()
    };
    let item = MemoryItem::of_part(&known.memory, &subject, &part);
    Ok(Some(RecordDetails::new(session, &known, item, session.today())))
}

/// Returns the latest version of an archived document that a name refers to, or the one whose path in the archive is
/// given.
fn expand_archived(session: &Session, typed: &str) -> Result<Option<RecordDetails>, Error> {
    let root = session.root();
    let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    let archive = Archive::new(root);
    let Some(archived) = archive.find_document(&hierarchy, typed)? else { return Ok(None) };
    let location = &archived.location;
    let text = root.read(location)?.unwrap_or_default();
    let subject = Referent::Document(location.clone());
    let known = MemoryQuery::new().referents([subject.clone()]).read(session)?;
    let part = DocumentPart {
        id: location.clone(),
        kind: DOCUMENT_KIND.to_owned(),
        path: location.clone(),
        standing: Standing::Archived,
        ..DocumentPart::default()
    };
    // What a document is, and its date, is known to the index by its first section.
    let first = find_section(session, location, "1")?;
    let shown = first.unwrap_or_else(|| MemoryItem::of_part(&known.memory, &subject, &part));
    let item = MemoryItem { referent: subject, id: part.id, text, line: 1, ..shown };
    let item = MemoryItem { source: format!("{location}:1"), ..item };
    Ok(Some(RecordDetails::new(session, &known, item, session.today())))
}
