//! A document that an operation created.

use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{Role, View, span};
use crate::{Answer, Error, Session};

/// A document that was created.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Created {
    /// What it is.
    #[serde(rename = "type")]
    pub(crate) what: &'static str,
    /// Its name.
    pub(crate) name: String,
    /// Its file.
    pub(crate) path: String,
}

impl Created {
    /// Writes a new document; one that is already there is refused.
    pub(crate) fn write(
        session: &Session,
        what: &'static str,
        name: String,
        path: String,
        text: &str,
    ) -> Result<Self, Error> {
        if !session.root().create(&path, text)? {
            return Err(Error::bad_input(format!("{path} is already there"))
                .hint("choose another name, or edit that one"));
        }
        Ok(Created { what, name, path })
    }
}

impl Answer for Created {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("created {} ", self.what)),
            span(Role::Key, &self.name),
            "  ".into(),
            span(Role::Source, &self.path),
        ]);
        view
    }
}
