//! Carries out the steps that put hot memory where clients read it, or take it back.

use std::collections::BTreeSet;

use heirloom_core::hot::clients;
use heirloom_core::hot::placement::{self, PlacementPlan, PlacementRequest};
use heirloom_core::hot::reconcile::{self, Before, Making, Removal, Step, StepKind};
use heirloom_store::journal::{FileChange, WriteLock};
use heirloom_store::{Root, unfollowed};

use super::record::LinkRecord;
use super::sources::HotFiles;
use super::tree::RootTree;
use crate::Error;

/// What is put where, and the steps that lead to it.
pub(crate) struct Transfer {
    /// What to put where.
    pub(crate) plan: PlacementPlan,
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// The record afterwards.
    pub(crate) record: LinkRecord,
}

/// Returns what would be done to give the rules to the clients of `wanted`, without doing it.
pub(crate) fn preview(
    root: &Root,
    before: &LinkRecord,
    wanted: &LinkRecord,
    rules: &HotFiles,
    commands: &HotFiles,
) -> Transfer {
    let tree = RootTree(root);
    let clients = wanted.known_clients();
    let request = PlacementRequest {
        clients: &clients,
        folder: &rules.folder,
        rules: &rules.files,
        commands: &commands.files,
        copies: wanted.copies,
    };
    let plan = placement::plan(&request, &tree);
    let folders = [rules.folder.as_str(), commands.folder.as_str()];
    let before_steps = Before { recorded: &before.files, folders: &folders };
    let steps = reconcile::steps(&plan.placements, &before_steps, &tree);
    let recorded = steps.iter().filter(|step| step.is_recorded);
    let files: BTreeSet<String> = recorded.map(|step| step.path.clone()).collect();
    let made = steps.iter().filter(|step| step.making.is_some() && step.is_recorded);
    let new_folders = made.flat_map(|step| unfollowed::missing_folders(root, &step.path));
    let is_needed =
        |folder: &String| files.iter().any(|file| heirloom_core::path::is_within(file, folder));
    let folders = before.folders.iter().cloned().chain(new_folders).filter(is_needed).collect();
    let record = LinkRecord { files, folders, ..wanted.clone() };
    Transfer { plan, steps, record }
}

/// Gives the rules to the clients of `wanted`, and takes back what other clients had. Where links cannot be made, files are
/// generated.
pub(crate) fn carry_out(
    root: &Root,
    lock: &WriteLock,
    wanted: &LinkRecord,
    rules: &HotFiles,
    commands: &HotFiles,
) -> Result<Transfer, Error> {
    let (before, before_text) = LinkRecord::read(root)?;
    let transfer = preview(root, &before, wanted, rules, commands);
    let removals = transfer.steps.iter().filter_map(|step| Some((step, step.removal.as_ref()?)));
    for (step, removal) in removals {
        match removal {
            Removal::Link(target) => unfollowed::remove_link(root, &step.path, target)?,
            Removal::File(text) => unfollowed::remove_file(root, &step.path, text)?,
        }
    }
    // The record names everything before it is made, so that an interrupted command leaves nothing unknown.
    let both = LinkRecord {
        files: before.files.union(&transfer.record.files).cloned().collect(),
        folders: before.folders.union(&transfer.record.folders).cloned().collect(),
        ..transfer.record.clone()
    };
    let mut changes: Vec<FileChange> = transfer.steps.iter().filter_map(text_change).collect();
    let both_text = both.text();
    changes.extend(record_change(before_text.clone(), both_text.clone()));
    lock.apply_changes(root, &changes)?;
    for step in &transfer.steps {
        if let Some(Making::Link(target)) = &step.making
            && !unfollowed::create_link(root, &step.path, target)?
        {
            return carry_out(
                root,
                lock,
                &LinkRecord { copies: true, ..wanted.clone() },
                rules,
                commands,
            );
        }
    }
    let unneeded = before.folders.difference(&transfer.record.folders);
    let mut unneeded: Vec<&String> = unneeded.collect();
    unneeded.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
    // The record comes with the repository, so it may name any folder.
    for folder in unneeded.into_iter().filter(|folder| clients::is_place_folder(folder)) {
        unfollowed::remove_empty_folder(root, folder);
    }
    match transfer.record.text() {
        Some(text) => {
            let change = record_change(both_text.or(before_text), Some(text));
            lock.apply_changes(root, &change.into_iter().collect::<Vec<_>>())?;
        }
        None => {
            if let Some(text) = both_text.or(before_text) {
                unfollowed::remove_file(root, LinkRecord::PATH, &text)?;
            }
        }
    }
    Ok(transfer)
}

fn text_change(step: &Step) -> Option<FileChange> {
    match step.making.as_ref()? {
        Making::Link(_) => None,
        Making::Text { path, before, after } => {
            let (path, before, after) = (path.clone(), before.clone(), after.clone());
            Some(FileChange { path, before, after })
        }
    }
}

fn record_change(before: Option<String>, after: Option<String>) -> Option<FileChange> {
    let after = after.filter(|after| before.as_ref() != Some(after))?;
    Some(FileChange { path: LinkRecord::PATH.to_owned(), before, after })
}

impl Transfer {
    /// Returns whether a file is not as it should be. A client to which the rules cannot be given has none.
    pub(crate) fn is_out_of_date(&self) -> bool {
        let is_wrong = |step: &Step| step.is_change() || step.kind == StepKind::Kept;
        self.steps.iter().any(is_wrong)
    }
}
