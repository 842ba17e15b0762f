//! `show`: shows all of anything that has an id.

use heirloom_core::fold::Standing;
use heirloom_core::recall::{DocumentPart, split_section_name, strip_section_prefix};
use heirloom_core::record::Referent;
use heirloom_core::supersession::Supersession;
use heirloom_core::{Hint, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::indexing::stated_date;
use crate::memory::{
    MemoryItem, MemoryQuery, MemorySlice, MemoryTarget, item_details, short_memory_id,
};
use crate::ops::record::show::{RecordDetails, show_additions};
use crate::recall::{find_section, records_of_session};
use crate::view::{Role, View, present, span};
use crate::workspace::catalog::{Catalog, CatalogEntry};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryExpand;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids of memories or their ends, sections (docs/plan.md#2), documents by name or path, sessions.
    ids: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Expanded {
    /// What the ids stand for, in their order; for a session, all its memories.
    items: Vec<RecordDetails>,
}

impl Operation for MemoryExpand {
    type Request = Request;
    type Response = Expanded;
    const SPEC: Spec = Spec {
        name: "memory_expand",
        usage: "show <ids>...",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show all of a memory, a section, a document or a session, by its id: the whole text, its history and its relations.",
    };

    fn run(session: &Session, request: Request) -> Result<Expanded, Error> {
        if request.ids.is_empty() {
            return Err(Error::bad_input("no id is given"));
        }
        let known = MemoryQuery::new().ids(&request.ids).read(session)?;
        let mut items = Vec::new();
        for typed in &request.ids {
            items.extend(expand(session, &known, typed.trim())?);
        }
        Ok(Expanded { items })
    }
}

/// Returns what an id stands for.
fn expand(
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
    if !of_session.is_empty() {
        let known = MemoryQuery::new().referents(of_session.iter().cloned()).read(session)?;
        let records = of_session.iter().filter_map(Referent::record_id);
        let expand = |id| expand_memory(session, &known, MemoryTarget::Record(id));
        return Ok(records.filter_map(expand).collect());
    }
    let catalog = Catalog::read(session)?;
    match catalog.find(typed) {
        Ok(document) => expand_document(session, &catalog, document).map(|shown| vec![shown]),
        Err(error) if !error.candidates.is_empty() => Err(error),
        Err(_) => Err(Error::not_found(
            format!("nothing has the id `{}`", typed.escape_default()),
            vec![],
        )
        .hint(
            Hint::default()
                .operation("memory_recall")
                .then(" shows ids of memories, of which the last 8 characters suffice; a document is named by its path or its name"),
        )),
    }
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

/// The kinds of records that consist of one text.
const KINDS_OF_ONE_TEXT: [&str; 2] = ["fact", "note"];

/// The fields of a record that its heading shows.
const FIELDS_OF_HEADING: [&str; 9] =
    ["v", "id", "kind", "at", "by", "source", "tags", "confidence", "supersedes"];

impl Answer for Expanded {
    fn view(&self) -> View {
        let mut view = View::new();
        for details in &self.items {
            let item = &details.item;
            view.title(heading(item));
            view.wrapped_line(0, item_details(item));
            view.blank();
            let record = item.record.as_ref().and_then(Value::as_object);
            match record.filter(|_| !KINDS_OF_ONE_TEXT.contains(&item.kind.as_str())) {
                Some(fields) => show_fields(&mut view, fields),
                None if is_document(item) => {
                    view.text(&item.text);
                }
                None => {
                    for line in item.text.lines() {
                        view.wrapped_line(0, [line]);
                    }
                }
            }
            show_additions(&mut view, details);
        }
        view
    }
}

/// Returns whether an item is a whole document, whose lines are left as they are.
fn is_document(item: &MemoryItem) -> bool {
    matches!(item.referent, Referent::Document(_)) && strip_section_prefix(&item.id).is_none()
}

/// Returns the short id of a record or an entry, and the name of a section or a document.
fn heading(item: &MemoryItem) -> &str {
    match &item.referent {
        Referent::Record(_) | Referent::Entry(_) => short_memory_id(&item.id),
        Referent::Document(_) | Referent::Unknown(_) => {
            strip_section_prefix(&item.id).unwrap_or(&item.id)
        }
    }
}

/// Prints the fields of a record with several texts, each under its name.
fn show_fields(view: &mut View, fields: &Map<String, Value>) {
    let shown = fields.iter().filter(|(name, _)| !FIELDS_OF_HEADING.contains(&name.as_str()));
    for (name, value) in shown {
        match value {
            Value::String(text) if text.contains('\n') => {
                view.line([span(Role::Key, format!("{name}:"))]);
                view.text(text);
            }
            Value::Array(items) => {
                view.line([span(Role::Key, format!("{name}:"))]);
                for item in items {
                    view.wrapped_line(2, [format!("- {}", present::value(item))]);
                }
            }
            value => {
                let text = present::value(value);
                view.wrapped_line(2, [span(Role::Key, format!("{name}: ")), text.into()]);
            }
        }
    }
}
