//! `hot demote`: moves an item of hot memory to warm memory.

use heirloom_core::hot::demotion::{self, MovedItem};
use heirloom_core::hot::item::{self, HotItem, ItemMatch};
use heirloom_core::hot::{SourceFile, budget, demoted_link};
use heirloom_core::{Hint, path};
use heirloom_store::journal::{self, FileChange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::moved::{MovedItemReport, measure, new_document, split_name, warm_document};
use crate::hot::{HotFiles, read_rules};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotDemote;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Item: the file and the heading, `global-conventions.md#naming`.
    item: String,
    /// Document that it moves to: a markdown file, or a scope such as `devtools/common` in the hierarchy `domains`.
    #[serde(default)]
    to: Option<String>,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for HotDemote {
    type Request = Request;
    type Response = MovedItemReport;
    const SPEC: Spec = Spec {
        name: "hot_demote",
        usage: "hot demote <item>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Move an item of the rules that every conversation loads to a document that is loaded on demand. A link takes its place, and `hot promote` brings it back byte for byte.",
    };

    fn run(session: &Session, request: Request) -> Result<MovedItemReport, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let rules = read_rules(session)?;
        let (file, item) = find_item(&rules, &request.item)?;
        let text = &file.text[item.bytes.clone()];
        if budget::statement_bytes(&file.text).is_some_and(|it| item.bytes.contains(&it.start)) {
            let message =
                format!("{}:{}: this item holds the budget of the file", file.path, item.line);
            return Err(Error::bad_input(message)
                .hint("name a heading below it, or move the budget to the top of the file"));
        }
        let to = warm_document(session, request.to.as_deref())?;
        let before = root.read(&to)?;
        let warm = before.clone().unwrap_or_else(|| new_document(session.today()));
        let moved = demotion::demote((&file.path, &file.text), (&to, &warm), &item);
        let name = name_to_promote(file, &moved, &item);
        if !request.dry_run {
            let change = |path: &str, before: Option<String>, after: String| FileChange {
                path: path.to_owned(),
                before,
                after,
            };
            lock.apply_changes(
                root,
                &[
                    change(&to, before, moved.warm),
                    change(&file.path, Some(file.text.clone()), moved.hot),
                ],
            )?;
        }
        Ok(MovedItemReport {
            done: "demoted",
            id: moved.id,
            heading: item.heading.clone(),
            size: measure(text),
            from: file.path.clone(),
            to,
            dry_run: request.dry_run,
            notices: vec![],
            back: Some(Hint::default().call("hot_promote", [("item", &name)])),
        })
    }
}

/// Returns a name by which `hot promote` finds a demoted item: the file and the heading, or the id if other links of the file
/// have that heading or if it has no letters.
fn name_to_promote(file: &SourceFile, moved: &MovedItem, item: &HotItem) -> String {
    let slug = item::slug(&item.heading);
    let links = demoted_link::links(&file.path, &moved.hot);
    let equal = links.iter().filter(|link| item::slug(&link.heading) == slug).count();
    match equal {
        1 if !slug.is_empty() => format!("{}#{slug}", path::file_name(&file.path)),
        _ => moved.id.clone(),
    }
}

/// Finds an item by its file and heading.
fn find_item<'f>(rules: &'f HotFiles, typed: &str) -> Result<(&'f SourceFile, HotItem), Error> {
    let shown = typed.escape_default();
    let (name, heading) = split_name(typed).ok_or_else(|| {
        Error::bad_input(format!("`{shown}` names no item"))
            .hint("name the file and the heading: `global-conventions.md#naming`")
    })?;
    let file = rules.find(name).ok_or_else(|| {
        let names = rules.files.iter().map(|file| path::file_name(&file.path).to_owned());
        Error::not_found(
            format!("{} has no rule `{}`", rules.folder, name.escape_default()),
            names.collect(),
        )
    })?;
    let items = item::items(&file.text);
    let candidate = |item: &HotItem, name: &str| {
        format!("{}#{name} on line {}", path::file_name(&file.path), item.line)
    };
    match item::find(&items, heading) {
        ItemMatch::One(item) => Ok((file, item.clone())),
        ItemMatch::Several(several) => {
            let lines = several.iter().map(|item| candidate(item, &format!("L{}", item.line)));
            let message = format!("`{shown}` could be any of several items");
            Err(Error::not_found(message, lines.collect()).hint("name the line"))
        }
        ItemMatch::Nothing => {
            let names = items.iter().map(|item| candidate(item, &item.slug));
            let message = format!("{} has no heading `{}`", file.path, heading.escape_default());
            Err(Error::not_found(message, names.collect()))
        }
    }
}
