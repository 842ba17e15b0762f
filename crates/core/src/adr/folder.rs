//! Records that are folders (`1729-images/README.md`), such as the Kubernetes enhancement proposals.
//! Their metadata is in a YAML file beside the `README.md` instead of in the front matter.

use serde_json::{Map, Value};

use super::{derive_id, folder_name};
use crate::{Document, path};

/// The file with the title, the status and the dates of a record that is a folder.
pub const METADATA_FILE_NAME: &str = "kep.yaml";

/// The field with the date on which a record was created.
pub(super) const CREATION_DATE: &str = "creation-date";

/// Fields of the metadata file, each with the front-matter field that it fills.
const FIELDS: &[(&str, &str)] = &[
    ("title", "title"),
    ("status", "status"),
    // Not `created`, which would count as the date of the text although it was edited since.
    ("creation-date", CREATION_DATE),
    ("replaces", "supersedes"),
    ("superseded-by", "superseded_by"),
];

/// Returns the path of the metadata file if the record is a folder.
pub fn metadata_path(path: &str) -> Option<String> {
    folder_name(path).map(|_| format!("{}/{METADATA_FILE_NAME}", path::folder(path)))
}

/// Adds the fields of the metadata file that a record's front matter does not set.
pub fn add_metadata(document: &mut Document, metadata: &str) {
    let Some(file) = metadata_path(&document.path) else { return };
    let parsed = Document::parse(&file, &format!("---\n{}\n---\n", metadata.trim_end()));
    document.problems.extend(parsed.problems.into_iter().map(|mut problem| {
        // The opening fence, which is not in the file, counts as a line.
        problem.line = problem.line.saturating_sub(1).max(1);
        if let Some(message) = problem.message.strip_prefix("front matter: ") {
            problem.message = message.to_owned();
            problem.hint = Some("fix the YAML; until then nothing in this file is used".into());
        }
        problem
    }));
    for (metadata_key, key) in FIELDS {
        if let Some(value) = parsed.fields.get(*metadata_key).filter(|value| !value.is_null()) {
            set_if_absent(&mut document.fields, key, value);
        }
    }
    if document.title.is_none() {
        document.title = document.field("title").map(str::to_owned);
    }
}

fn set_if_absent(fields: &mut Map<String, Value>, key: &str, value: &Value) {
    if fields.contains_key(key) {
        return;
    }
    let value = match value {
        Value::Array(items) => Value::Array(items.iter().map(folder_path_to_id).collect()),
        other => other.clone(),
    };
    fields.insert(key.to_owned(), value);
}

/// Replaces the path of a record's folder by the record's id: `/keps/sig-node/583-pods` is KEP-583.
fn folder_path_to_id(value: &Value) -> Value {
    let folder =
        value.as_str().map(|name| name.trim_end_matches('/').trim_end_matches("/README.md"));
    match folder.filter(|name| name.contains('/') && !name.contains("://")) {
        Some(folder) => Value::String(derive_id(&format!("{folder}/README.md")).0),
        None => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Adr, Status, read_document};
    use super::*;

    fn record(text: &str, metadata: &str) -> Adr {
        let mut document = Document::parse("keps/sig-node/1729-images/README.md", text);
        add_metadata(&mut document, metadata);
        read_document(&document, text)
    }

    #[test]
    fn fields_come_from_the_metadata_file() {
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
    fn front_matter_wins_over_metadata() {
        let adr = record("---\nstatus: rejected\n---\n# Images\n", "status: implemented\n");
        assert_eq!(adr.status, Status::Rejected);
    }

    #[test]
    fn invalid_metadata_is_reported_with_its_path() {
        let mut document = Document::parse("keps/1729-images/README.md", "# Images\n");
        add_metadata(&mut document, "title: x\nstatus: [unclosed\n");
        let problem = document.problems.first();
        assert_eq!(problem.map(|problem| problem.path.as_str()), Some("keps/1729-images/kep.yaml"));
    }
}
