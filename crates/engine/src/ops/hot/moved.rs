//! What the commands that move an item between hot and warm memory share: where items go, and the answer.

use heirloom_core::Hint;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::hot::{Size, budget};
use heirloom_store::unfollowed::{self, UnfollowedPath};
use heirloom_store::{layout, tokens};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{Role, View, present, span};
use crate::workspace::inherit;
use crate::workspace::typed_path::checked_path_in_workspace;
use crate::{Answer, Error, Session};

/// The folder of warm memory to which rules move, by hierarchy. Its documents belong to the first level.
const WARM_FOLDERS: &[(&str, &str)] = &[
    ("plans", ".heirloom/context"),
    ("sprints", ".memory/project/conventions"),
    ("domains", "resources/workspaces/{scope}/_architecture"),
];

/// The name of the document in that folder.
const WARM_FILE: &str = "rules.md";

/// Returns the document to which an item moves: `to` is a path of a markdown file, or the scope of a hierarchy that has
/// several workspaces.
pub(super) fn warm_document(session: &Session, to: Option<&str>) -> Result<String, Error> {
    let path = match to {
        Some(to) if to.to_lowercase().ends_with(".md") => {
            checked_path_in_workspace(session.root(), to)?
        }
        to => default_document(session, to)?,
    };
    check_document(session, &path)?;
    Ok(path)
}

/// Refuses a document to which nothing must be written.
pub(super) fn check_document(session: &Session, path: &str) -> Result<(), Error> {
    let is_private = |part: &str| part.eq_ignore_ascii_case(".git");
    let rules = session.config()?.hot.rules_folder();
    if path.split('/').any(is_private) || heirloom_core::path::is_within(path, &rules) {
        let message = format!("{path} is no document of warm memory");
        return Err(Error::bad_input(message).hint("name a markdown file outside of the rules"));
    }
    match unfollowed::look(session.root(), path) {
        UnfollowedPath::Missing | UnfollowedPath::File => Ok(()),
        _ => {
            let message = format!("{path} is no regular file, or lies behind a symbolic link");
            Err(Error::bad_input(message).hint("name another markdown file"))
        }
    }
}

fn default_document(session: &Session, scope: Option<&str>) -> Result<String, Error> {
    let (name, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    let folder = WARM_FOLDERS.iter().find(|(hierarchy, _)| *hierarchy == name);
    let needs_path = |message: String| {
        Err(Error::bad_input(message).hint(Hint::text("name a markdown file with ").field("to")))
    };
    let Some((_, folder)) = folder else {
        return needs_path(format!("the hierarchy `{name}` does not say where rules belong"));
    };
    if !folder.contains("{scope}") {
        return match scope {
            None => Ok(format!("{folder}/{WARM_FILE}")),
            Some(scope) => {
                let scope = scope.escape_default();
                needs_path(format!("`{scope}` is no markdown file, and `{name}` has no scopes"))
            }
        };
    }
    let Some(level) = hierarchy.levels.first() else {
        return needs_path(format!("the hierarchy `{name}` has no levels"));
    };
    let names = layout::list_names(session.root(), level, &Selectors::new())?;
    let scope = match (scope, names.as_slice()) {
        (Some(scope), _) => known_scope(session, scope, &names)?,
        (None, [only]) => only.clone(),
        (None, _) => {
            let message = "it is not clear to which workspace the item belongs";
            return Err(
                Error::not_found(message, names).hint(Hint::text("name one with ").field("to"))
            );
        }
    };
    Ok(format!("{}/{WARM_FILE}", folder.replace("{scope}", &scope)))
}

/// Returns a typed scope such as `devtools/common`, if it exists.
fn known_scope(session: &Session, typed: &str, workspaces: &[String]) -> Result<String, Error> {
    let scope = checked_path_in_workspace(session.root(), typed.trim_end_matches('/'))?;
    let exists = ["resources/workspaces", "user/memory/workspaces"].iter().any(|parent| {
        let path = format!("{parent}/{scope}");
        unfollowed::look(session.root(), &path) == UnfollowedPath::Folder
    });
    match exists {
        true => Ok(scope),
        false => Err(Error::not_found(
            format!("there is no workspace, domain or repository `{}`", typed.escape_default()),
            workspaces.to_vec(),
        )),
    }
}

const TITLE: &str = "Rules from hot memory";
const OPENING: &str = "---\nname: Rules from hot memory\ndescription: Rules that were loaded in every conversation before, and that few of them need.\nupdated: ";

/// Returns the text of a new document for items.
pub(super) fn new_document(today: Date) -> String {
    format!("{OPENING}{today}\n---\n\n# {TITLE}\n")
}

/// Returns whether a document was made for items and has none, nor anything else.
pub(super) fn is_empty_document(text: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    let date = text.strip_prefix(OPENING).and_then(|rest| rest.get(..10)?.parse::<Date>().ok());
    date.is_some_and(|date| new_document(date) == text)
}

/// An item that moved.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MovedItemReport {
    /// What was done.
    pub(super) done: &'static str,
    /// Id, which the link and the item have in common.
    pub(super) id: String,
    /// Heading of the item.
    pub(super) heading: String,
    #[serde(flatten)]
    pub(super) size: Size,
    /// File that it was in.
    pub(super) from: String,
    /// File that it is in now.
    pub(super) to: String,
    /// Whether this is only a preview: nothing was changed.
    pub(super) dry_run: bool,
    /// What else should be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notices: Vec<String>,
    /// How to bring it back.
    #[serde(skip)]
    pub(super) back: Option<Hint>,
}

/// Measures the text of an item.
pub(super) fn measure(text: &str) -> Size {
    Size { lines: budget::count_lines(text), tokens: tokens::count(text) }
}

impl Answer for MovedItemReport {
    fn view(&self) -> View {
        let mut view = View::new();
        let verb = if self.dry_run {
            format!("would be {} ", self.done)
        } else {
            format!("{} ", self.done)
        };
        view.line([
            span(Role::Good, verb),
            span(Role::Key, &self.heading),
            span(
                Role::Dim,
                format!(
                    "  {}, {}",
                    present::count(self.size.lines, "line"),
                    present::count(self.size.tokens, "token")
                ),
            ),
        ]);
        view.line([
            "   ".into(),
            span(Role::Source, &self.from),
            " → ".into(),
            span(Role::Source, &self.to),
        ]);
        for notice in &self.notices {
            view.line([span(Role::Warning, format!("   {notice}"))]);
        }
        if let Some(back) = self.back.as_ref().filter(|_| !self.dry_run) {
            view.line([span(Role::Dim, Hint::text("   back with ").then_hint(back))]);
        }
        view
    }
}

/// Splits `FILE#HEADING`.
pub(super) fn split_name(typed: &str) -> Option<(&str, &str)> {
    let (file, heading) = typed.split_once('#')?;
    (!file.trim().is_empty() && !heading.trim().is_empty()).then_some((file.trim(), heading.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_more_than_its_opening_is_not_empty() {
        let today: Date = "2026-02-22".parse().unwrap();
        let text = new_document(today);
        assert!(is_empty_document(&text) && is_empty_document(&text.replace('\n', "\r\n")));
        assert!(!is_empty_document(&format!("{text}x")) && !is_empty_document(""));
    }
}
