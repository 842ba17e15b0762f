//! Compares the placements with the files that are there, and derives the steps to take.
//!
//! A file is replaced or removed only if it is as `hot link` made it. A file that a person wrote or changed stays.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::clients;
use super::generated::{self, GeneratedState};
use super::placement::{ClientTree, Content, FoundPath, Placement, is_instruction_file};
use crate::path;

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// It is as it should be.
    Current,
    /// It is made.
    Created,
    /// It is brought up to date.
    Updated,
    /// It is removed, or the block in it.
    Removed,
    /// It stays as it is, because a person wrote or changed it.
    Kept,
}

/// The form of a file that is put somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlacedForm {
    /// A symbolic link to the source.
    Link,
    /// A generated file.
    File,
    /// A block in an instruction file.
    Block,
}

/// What to remove first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// A symbolic link with this target.
    Link(String),
    /// A file with this text.
    File(String),
}

/// What to make then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Making {
    /// A symbolic link with this target.
    Link(String),
    /// A file with a new text.
    Text {
        /// The path of the file, which a link at the path of the step may lead to.
        path: String,
        /// The text before; `None` for a new file.
        before: Option<String>,
        /// The text after.
        after: String,
    },
}

/// What to do with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The path.
    pub path: String,
    /// What happens.
    pub kind: StepKind,
    /// The form.
    pub form: PlacedForm,
    /// The source.
    pub source: Option<String>,
    /// The clients that read it.
    pub clients: Vec<&'static str>,
    /// Why it is kept.
    pub reason: Option<String>,
    /// What to remove first.
    pub removal: Option<Removal>,
    /// What to make then.
    pub making: Option<Making>,
    /// Whether it is recorded as made by `hot link` afterwards.
    pub is_recorded: bool,
}

/// What was put before.
#[derive(Debug)]
pub struct Before<'b> {
    /// The paths that were recorded.
    pub recorded: &'b BTreeSet<String>,
    /// The folders of the sources: links into them may be replaced.
    pub folders: &'b [&'b str],
}

const CHANGED: &str = "it was changed since `heir hot link` made it";
const FOREIGN: &str = "it is not a file that `heir hot link` made";

/// Returns the steps that lead from the files that are there to the placements.
pub fn steps(placements: &[Placement], before: &Before<'_>, tree: &dyn ClientTree) -> Vec<Step> {
    let mut steps: Vec<Step> =
        placements.iter().map(|placement| place(placement, before, tree)).collect();
    let is_placed = |path: &String| placements.iter().any(|placement| placement.path == *path);
    let gone = before.recorded.iter().filter(|path| !is_placed(path));
    steps.extend(gone.filter_map(|path| take_back(path, before, tree)));
    steps.sort_by(|a, b| a.path.cmp(&b.path));
    steps
}

/// What is at the path of a placement.
enum Present {
    Nothing,
    OwnLink(String),
    OtherLink,
    OwnFile(String),
    Changed,
    Foreign(String),
    Unusable(String),
}

impl Before<'_> {
    fn present(&self, path: &str, tree: &dyn ClientTree) -> Present {
        let is_recorded = self.recorded.contains(path);
        match tree.look(path) {
            FoundPath::Missing => Present::Nothing,
            FoundPath::Link { target, .. } => {
                match is_recorded && self.leads_to_source(path, &target) {
                    true => Present::OwnLink(target),
                    false => Present::OtherLink,
                }
            }
            FoundPath::File(text) => match generated::file_state(&text) {
                GeneratedState::Unchanged => Present::OwnFile(text),
                GeneratedState::Changed => Present::Changed,
                // Where links are not supported, git checks out a link as a file with its target.
                GeneratedState::NotGenerated
                    if is_recorded && self.leads_to_source(path, text.trim_end()) =>
                {
                    Present::OwnFile(text)
                }
                GeneratedState::NotGenerated => Present::Foreign(text),
            },
            FoundPath::Folder => Present::Unusable("it is a folder".to_owned()),
            FoundPath::Unreadable(reason) => Present::Unusable(reason),
            FoundPath::BehindLink(link) => {
                Present::Unusable(format!("{link} is a symbolic link, which is not followed"))
            }
        }
    }

    /// Returns whether there is a block in an instruction file, which settings of a client may have named. The record comes
    /// with the repository, so nothing but a block is taken back from a file that no client reads without settings.
    fn has_block(&self, path: &str, tree: &dyn ClientTree) -> bool {
        let (file, text) = match tree.look(path) {
            FoundPath::File(text) => (path.to_owned(), text),
            FoundPath::Link { target, file: Some(file) }
                if !self.leads_to_source(path, &target) =>
            {
                file
            }
            _ => return false,
        };
        is_instruction_file(&file)
            && generated::file_state(&text) == GeneratedState::NotGenerated
            && generated::find_block(&text) != Ok(None)
    }

    /// Returns whether a link at a path leads to a source.
    fn leads_to_source(&self, path: &str, target: &str) -> bool {
        let target = path::resolve_link(path, target);
        let is_in = |folder: &&str| {
            target.as_deref().is_some_and(|it| it != *folder && path::is_within(it, folder))
        };
        self.folders.iter().any(is_in)
    }
}

fn place(placement: &Placement, before: &Before<'_>, tree: &dyn ClientTree) -> Step {
    let is_recorded = before.recorded.contains(&placement.path);
    let form = match placement.content {
        Content::Link { .. } => PlacedForm::Link,
        Content::File(_) => PlacedForm::File,
        Content::Block(_) => PlacedForm::Block,
    };
    let step = Step {
        path: placement.path.clone(),
        kind: StepKind::Current,
        form,
        source: Some(placement.source.clone()),
        clients: placement.clients.clone(),
        reason: None,
        removal: None,
        making: None,
        is_recorded,
    };
    let (making, text) = match &placement.content {
        Content::Link { target } => (Making::Link(target.clone()), None),
        Content::File(text) => {
            let (path, after) = (placement.path.clone(), text.clone());
            (Making::Text { path, before: None, after }, Some(text))
        }
        Content::Block(body) => return place_block(step, body, &placement.source, tree),
    };
    let make = |kind: StepKind, removal: Option<Removal>| Step {
        kind,
        removal,
        making: Some(making.clone()),
        is_recorded: true,
        ..step.clone()
    };
    let is_target = |target: &str| matches!(&making, Making::Link(wanted) if wanted == target);
    match before.present(&placement.path, tree) {
        Present::Nothing => make(StepKind::Created, None),
        Present::OwnLink(target) if is_target(&target) => step,
        Present::OwnLink(target) => make(StepKind::Updated, Some(Removal::Link(target))),
        Present::OtherLink => {
            let is_same = matches!(tree.look(&placement.path), FoundPath::Link { target, .. } if is_target(&target));
            if is_same { step } else { step.kept(FOREIGN) }
        }
        Present::OwnFile(found) => match text {
            Some(text) if found == *text => Step { is_recorded: true, ..step },
            Some(text) => {
                let (path, after) = (placement.path.clone(), text.clone());
                let making = Some(Making::Text { path, before: Some(found), after });
                Step { kind: StepKind::Updated, making, is_recorded: true, ..step }
            }
            None => make(StepKind::Updated, Some(Removal::File(found))),
        },
        Present::Foreign(found) if text == Some(&found) => step,
        Present::Changed => step.kept(CHANGED),
        Present::Foreign(_) => step.kept(FOREIGN),
        Present::Unusable(reason) => step.kept(&reason),
    }
}

fn place_block(step: Step, body: &str, source: &str, tree: &dyn ClientTree) -> Step {
    let (file, text) = match tree.look(&step.path) {
        FoundPath::Missing => (step.path.clone(), None),
        FoundPath::File(text) => (step.path.clone(), Some(text)),
        FoundPath::Link { file: Some((file, text)), .. } if is_instruction_file(&file) => {
            (file, Some(text))
        }
        _ => return step.kept("it is no text file in the workspace"),
    };
    let found = match text.as_deref().map_or(Ok(None), generated::find_block) {
        Ok(found) => found,
        Err(error) => return step.kept(error.message()),
    };
    let after = generated::with_block(text.as_deref(), found.as_ref(), body, source);
    if text.as_deref() == Some(after.as_str()) {
        return Step { is_recorded: true, ..step };
    }
    if found.as_ref().is_some_and(|block| block.is_changed) {
        return step.kept("the block of `heir hot link` in it was changed");
    }
    let kind = if found.is_some() { StepKind::Updated } else { StepKind::Created };
    let making = Some(Making::Text { path: file, before: text, after });
    Step { kind, making, is_recorded: true, ..step }
}

/// Returns the step that takes back what was put at a path; `None` if nothing is there any more.
fn take_back(path: &str, before: &Before<'_>, tree: &dyn ClientTree) -> Option<Step> {
    let step = Step {
        path: path.to_owned(),
        kind: StepKind::Removed,
        form: PlacedForm::File,
        source: None,
        clients: vec![],
        reason: None,
        removal: None,
        making: None,
        is_recorded: false,
    };
    if !clients::is_known_place(path) && !before.has_block(path, tree) {
        return Some(
            step.kept("no client reads this place, so `heir hot link` cannot have made it"),
        );
    }
    let (file, text) = match (before.present(path, tree), tree.look(path)) {
        (Present::Nothing, _) => return None,
        (Present::OwnLink(target), _) => {
            let removal = Some(Removal::Link(target));
            return Some(Step { form: PlacedForm::Link, removal, ..step });
        }
        (Present::OwnFile(text), _) => {
            return Some(Step { removal: Some(Removal::File(text)), ..step });
        }
        (Present::Changed, _) => return Some(step.kept(CHANGED)),
        (Present::Unusable(reason), _) => return Some(step.kept(&reason)),
        (Present::Foreign(text), _) => (path.to_owned(), text),
        (Present::OtherLink, FoundPath::Link { file: Some((file, text)), .. })
            if is_instruction_file(&file) =>
        {
            (file, text)
        }
        (Present::OtherLink, _) => return Some(step.kept(CHANGED)),
    };
    let step = Step { form: PlacedForm::Block, ..step };
    Some(match generated::find_block(&text) {
        Err(error) => step.kept(error.message()),
        Ok(None) => step.kept(CHANGED),
        Ok(Some(block)) if block.is_changed => {
            step.kept("the block of `heir hot link` in it was changed")
        }
        Ok(Some(block)) => match generated::without_block(&text, &block) {
            None if file == path => Step { removal: Some(Removal::File(text)), ..step },
            None => step.kept("only the block is left behind this link"),
            Some(after) => {
                let making = Some(Making::Text { path: file, before: Some(text), after });
                Step { making, ..step }
            }
        },
    })
}

impl Step {
    /// Leaves the file as it is.
    fn kept(self, reason: &str) -> Self {
        let reason = Some(reason.to_owned());
        Step { kind: StepKind::Kept, reason, removal: None, making: None, ..self }
    }

    /// Returns whether it changes anything.
    pub fn is_change(&self) -> bool {
        !matches!(self.kind, StepKind::Current | StepKind::Kept)
    }
}
