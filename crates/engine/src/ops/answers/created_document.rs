//! The response of an operation that creates a document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{Role, View, span};
use crate::workspace::input_checks::reject_secret;
use crate::{Answer, Error, Session};

/// A document that was created.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CreatedDocument {
    /// Kind of document: project, plan, agent or decision record.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Name of the document.
    pub(crate) name: String,
    /// Path of the file.
    pub(crate) path: String,
    /// Remarks, such as what the decision contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl CreatedDocument {
    /// Writes a new document. Returns an error if the file exists, or if the text looks like a secret.
    pub(crate) fn write(
        session: &Session,
        kind: &'static str,
        name: String,
        path: String,
        text: &str,
    ) -> Result<Self, Error> {
        reject_secret(text)
            .map_err(|error| error.hint("remove the secret from the name and the description"))?;
        if !session.root().create(&path, text)? {
            return Err(Error::bad_input(format!("{path} already exists"))
                .hint("choose another name, or edit the existing file"));
        }
        Ok(CreatedDocument { kind, name, path, notes: vec![] })
    }
}

impl Answer for CreatedDocument {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("created {} ", self.kind)),
            span(Role::Key, &self.name),
            "  ".into(),
            span(Role::Source, &self.path),
        ]);
        for note in &self.notes {
            view.line([span(Role::Warning, format!("   {note}"))]);
        }
        view
    }
}
