//! Records that are folders: `1729-images/README.md`, as the enhancement proposals of Kubernetes are.
//! What other records state in their front matter stands in a file beside them.

use serde_json::{Map, Value};

use super::number_in;
use crate::{Document, path};

/// The file that states the title, the status and the dates of a record that is a folder.
pub const METADATA: &str = "kep.yaml";

/// The field that says when a record was begun.
pub(super) const CREATION_DATE: &str = "creation-date";

/// Fields of that file, and as what a record reads them.
const FIELDS: &[(&str, &str)] = &[
    ("title", "title"),
    ("status", "status"),
    // Not `created`: that would date the text, which was edited since.
    ("creation-date", CREATION_DATE),
    ("replaces", "supersedes"),
    ("superseded-by", "superseded_by"),
];

/// Returns the name of the folder that a record is, if its file is the folder's `README.md`.
pub fn folder_name(path: &str) -> Option<&str> {
    let is_readme = path::file_name(path) == "README.md";
    let folder = path::file_name(path::folder(path));
    (is_readme && number_in(folder).is_some()).then_some(folder)
}

/// Returns where a record that is a folder states its fields.
pub fn metadata_path(path: &str) -> Option<String> {
    folder_name(path).map(|_| format!("{}/{METADATA}", path::folder(path)))
}

/// Gives a record the fields that it does not state itself.
pub fn add_metadata(document: &mut Document, metadata: &str) {
    let Some(file) = metadata_path(&document.path) else { return };
    let stated = Document::parse(&file, &format!("---\n{}\n---\n", metadata.trim_end()));
    document.problems.extend(stated.problems.into_iter().map(|mut problem| {
        // The fence that was set before the text is a line too.
        problem.line = problem.line.saturating_sub(1).max(1);
        if let Some(message) = problem.message.strip_prefix("front matter: ") {
            problem.message = message.to_owned();
            problem.hint = Some("nothing in this file is used until it is mended".to_owned());
        }
        problem
    }));
    for (theirs, ours) in FIELDS {
        if let Some(value) = stated.fields.get(*theirs).filter(|value| !value.is_null()) {
            take(&mut document.fields, ours, value);
        }
    }
    if document.title.is_none() {
        document.title = document.field("title").map(str::to_owned);
    }
}

fn take(fields: &mut Map<String, Value>, key: &str, value: &Value) {
    if fields.contains_key(key) {
        return;
    }
    let value = match value {
        Value::Array(all) => Value::Array(all.iter().map(record_named).collect()),
        other => other.clone(),
    };
    fields.insert(key.to_owned(), value);
}

/// Other records are named by their folder: `/keps/sig-node/583-pods` is KEP-583.
fn record_named(value: &Value) -> Value {
    let folder =
        value.as_str().map(|name| name.trim_end_matches('/').trim_end_matches("/README.md"));
    match folder.filter(|name| name.contains('/') && !name.contains("://")) {
        Some(folder) => Value::String(super::id_of(&format!("{folder}/README.md")).0),
        None => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Status, read_document};
    use super::*;

    fn record(text: &str, metadata: &str) -> super::super::Adr {
        let mut document = Document::parse("keps/sig-node/1729-images/README.md", text);
        add_metadata(&mut document, metadata);
        read_document(&document, text)
    }

    #[test]
    fn a_folder_is_a_record() {
        assert_eq!(folder_name("keps/sig-node/1729-images/README.md"), Some("1729-images"));
        assert_eq!(folder_name("keps/sig-node/1729-images/notes.md"), None);
        assert_eq!(folder_name("keps/README.md"), None);
        assert_eq!(folder_name("README.md"), None);
    }

    #[test]
    fn it_is_read_with_what_stands_beside_it() {
        let metadata = "title: Images\nkep-number: 1729\nstatus: implementable\n\
                        creation-date: 2019-03-16\nreplaces:\n  - /keps/sig-node/583-pods\n";
        let adr = record("# KEP-1729: Rebase images\n\nWhy.\n", metadata);
        assert_eq!((adr.id.as_str(), adr.number), ("KEP-1729", Some(1729)));
        assert_eq!((adr.title.as_str(), adr.status), ("Rebase images", Status::Accepted));
        assert_eq!(adr.date.as_deref(), Some("2019-03-16"));
        assert_eq!(adr.supersedes.first().and_then(|target| target.number), Some(583));
        let adr = record("# Images\n\n## Status\n\nMet in v1.33\n", "status: deferred\n");
        assert_eq!(
            (adr.status, adr.unknown_status.as_deref()),
            (Status::Unknown, Some("deferred"))
        );
    }

    #[test]
    fn what_it_states_itself_wins_and_what_is_damaged_is_reported() {
        let adr = record("---\nstatus: rejected\n---\n# Images\n", "status: implemented\n");
        assert_eq!(adr.status, Status::Rejected);
        let mut document = Document::parse("keps/1729-images/README.md", "# Images\n");
        add_metadata(&mut document, "title: x\nstatus: [unclosed\n");
        let problem = document.problems.first();
        assert_eq!(problem.map(|problem| problem.path.as_str()), Some("keps/1729-images/kep.yaml"));
    }
}
