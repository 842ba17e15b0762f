//! `hot promote`: brings an item back from warm memory.

use heirloom_core::hot::SourceFile;
use heirloom_core::hot::demoted_link::{self, DemotedLink};
use heirloom_core::hot::demotion::{self, DemotedItem};
use heirloom_core::hot::item::slug;
use heirloom_core::{Problem, path};
use heirloom_store::journal::{self, FileChange};
use heirloom_store::unfollowed;
use schemars::JsonSchema;
use serde::Deserialize;

use super::moved::{MovedItemReport, check_document, is_empty_document, measure, split_name};
use crate::hot::{HotFiles, read_rules};
use crate::workspace::typed_path::checked_path_in_workspace;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotPromote;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Item: the file and the heading, `global-conventions.md#naming`, by the rule that has the link or by the document that
    /// has the item; or its id.
    item: String,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for HotPromote {
    type Request = Request;
    type Response = MovedItemReport;
    const SPEC: Spec = Spec {
        name: "hot_promote",
        usage: "hot promote <item>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Bring an item back that `hot demote` moved to warm memory. It takes the place of its link.",
    };

    fn run(session: &Session, request: Request) -> Result<MovedItemReport, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let rules = read_rules(session)?;
        let (warm_path, warm, item) = find_item(session, &rules, &request.item)?;
        let Some(file) = rule_of(&rules, &item) else {
            let message = format!(
                "{warm_path}:{}: the item came from {}, which does not exist",
                item.line,
                item.from.escape_default()
            );
            return Err(Error::bad_input(message).hint("create the file, or move the item by hand"));
        };
        let moved = demotion::promote((&file.path, &file.text), &warm, &item);
        let is_empty = is_empty_document(&moved.warm);
        let mut notices = Vec::new();
        if !moved.is_at_link {
            notices.push(format!("its link is no longer in {}, so it is at the end", file.path));
        }
        let size = measure(item.text(&warm));
        if !request.dry_run {
            let hot_change = FileChange {
                path: file.path.clone(),
                before: Some(file.text.clone()),
                after: moved.hot,
            };
            let warm_change = FileChange {
                path: warm_path.clone(),
                before: Some(warm),
                after: moved.warm.clone(),
            };
            lock.apply_changes(root, &[hot_change, warm_change])?;
            if is_empty {
                unfollowed::remove_file(root, &warm_path, &moved.warm)?;
            }
        }
        Ok(MovedItemReport {
            done: "promoted",
            id: moved.id,
            heading: item.heading.clone(),
            size,
            from: warm_path,
            to: file.path.clone(),
            dry_run: request.dry_run,
            notices,
            back: None,
        })
    }
}

/// Finds the rule to which an item returns: the rule with its link, since a rule may have been renamed and a link moved;
/// without a link, the rule that it came from.
fn rule_of<'r>(rules: &'r HotFiles, item: &DemotedItem) -> Option<&'r SourceFile> {
    let rank = |file: &&SourceFile| {
        let links = demoted_link::links(&file.path, &file.text);
        (links.iter().any(|link| link.id == item.id), file.path == item.from)
    };
    rules.files.iter().filter(|file| rank(file) != (false, false)).max_by_key(rank)
}

/// Finds an item, and returns the path and text of the document that has it.
fn find_item(
    session: &Session,
    rules: &HotFiles,
    typed: &str,
) -> Result<(String, String, DemotedItem), Error> {
    let links: Vec<(String, DemotedLink)> = rules
        .files
        .iter()
        .flat_map(|file| {
            let links = demoted_link::links(&file.path, &file.text);
            links.into_iter().map(|link| (file.path.clone(), link))
        })
        .collect();
    let (name, heading) = split_name(typed).unwrap_or(("", typed.trim()));
    let heading = heading.trim_start_matches('#');
    let is_named = |id: &str, title: &str| {
        id == heading || slug(title) == slug(heading) || title.eq_ignore_ascii_case(heading)
    };
    let rule = rules.find(name);
    if name.is_empty() || rule.is_some() {
        let matching: Vec<&(String, DemotedLink)> = links
            .iter()
            .filter(|(file, link)| {
                rule.is_none_or(|rule| rule.path == *file) && is_named(&link.id, &link.heading)
            })
            .collect();
        return match matching.as_slice() {
            [(_, link)] => {
                check_document(session, &link.target)?;
                let text = session.root().read(&link.target)?.unwrap_or_default();
                let items = demotion::demoted_items(&text);
                let item = items.into_iter().find(|item| item.id == link.id);
                let item = item.ok_or_else(|| missing_item(rules, link))?;
                Ok((link.target.clone(), text, item))
            }
            [] => {
                let candidates = links.iter().map(|(file, link)| candidate(file, link));
                let message =
                    format!("there is no link to a demoted item `{}`", typed.escape_default());
                Err(Error::not_found(message, candidates.collect()))
            }
            several => {
                let candidates = several.iter().map(|(file, link)| candidate(file, link));
                let message = format!("`{}` could be any of several items", typed.escape_default());
                Err(Error::not_found(message, candidates.collect()).hint("name the id"))
            }
        };
    }
    let warm_path = checked_path_in_workspace(session.root(), name)?;
    check_document(session, &warm_path)?;
    let Some(text) = session.root().read(&warm_path)? else {
        let names = rules.files.iter().map(|file| path::file_name(&file.path).to_owned());
        let message = format!("there is no rule and no document `{}`", name.escape_default());
        return Err(Error::not_found(message, names.collect()));
    };
    let items = demotion::demoted_items(&text);
    let candidates = items.iter().map(|item| format!("{} ({})", item.heading, item.id)).collect();
    let mut matching = items.into_iter().filter(|item| is_named(&item.id, &item.heading));
    match (matching.next(), matching.next()) {
        (Some(item), None) => Ok((warm_path, text, item)),
        (None, _) => {
            let message = format!("{warm_path} has no demoted item `{}`", heading.escape_default());
            Err(Error::not_found(message, candidates))
        }
        (Some(_), Some(_)) => {
            let message = format!("`{}` could be any of several items", typed.escape_default());
            Err(Error::not_found(message, candidates).hint("name the id"))
        }
    }
}

fn candidate(file: &str, link: &DemotedLink) -> String {
    format!("{}#{} ({})", path::file_name(file), slug(&link.heading), link.id)
}

fn missing_item(rules: &HotFiles, link: &DemotedLink) -> Error {
    let file = rules.files.iter().find(|file| file.text.contains(&link.id));
    let path = file.map_or(rules.folder.as_str(), |file| file.path.as_str());
    let message = format!("{} does not have the item that this link leads to", link.target);
    Problem::at(path, link.line, message)
        .hint("if its document moved, name the document and the heading; else restore it from git")
        .into()
}
