//! `stage complete`: stores the artifacts of a stage and hands their summary to the next one.

use heirloom_core::hierarchy::{self, Hierarchy, Selectors};
use heirloom_core::{Value, json, name, path, stage_summary};
use heirloom_store::layout;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::WriteTransaction;
use crate::ops::answers::WrittenFiles;
use crate::ops::request_parts::InputData;
use crate::workspace::inherit;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct StageComplete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Stage.
    stage: String,
    /// Artifacts by name: JSON values, or texts. A new one replaces an old one of its name.
    #[serde(default)]
    artifacts: IndexMap<String, InputData>,
    /// Summary for the next stage; default: extracted from the artifacts.
    #[serde(default)]
    #[schemars(extend("contentMediaType" = "text/markdown"))]
    summary: Option<String>,
    /// Write it even if it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

impl Operation for StageComplete {
    type Request = Request;
    type Response = WrittenFiles;
    const SPEC: Spec = Spec {
        name: "stage_complete",
        usage: "stage complete <stage>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Complete a stage: store its artifacts, write its summary and hand the summary to the next stage. Repeating it with the same artifacts changes nothing.",
    };

    fn run(session: &Session, request: Request) -> Result<WrittenFiles, Error> {
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let (_, hierarchy) = inherit::hierarchy(session.config()?, Some(hierarchy::SPRINTS))?;
        let stage = find_stage(session, &hierarchy, &request.stage)?;
        let folder = artifacts_folder(session, &hierarchy, &stage);
        let mut written = WrittenFiles::new("stage", &stage);
        let mut artifacts = read_artifacts(session, &folder)?;
        for (name, content) in request.artifacts {
            let (file, text) = artifact_file(&name, content)?;
            artifacts.insert(file.clone(), text.clone());
            written.write(&mut transaction, format!("{folder}/{file}"), text)?;
        }
        artifacts.sort_keys();
        if artifacts.is_empty() && request.summary.is_none() {
            return Err(Error::bad_input(format!("the stage `{stage}` has no artifacts"))
                .hint(format!("name the results of the stage, or add files to {folder}")));
        }
        let artifacts: Vec<(String, String)> = artifacts.into_iter().collect();
        let summary = match &request.summary {
            Some(summary) => format!("{}\n", summary.trim_end()),
            None => stage_summary::write(&stage, &artifacts),
        };
        let own = format!(".memory/stage/{stage}/summary.md");
        let is_stated = request.summary.is_some();
        let old = session.root().read(&own)?;
        // A summary that a person edited is what the next stage gets.
        let summary = write_summary(&mut transaction, &mut written, own, summary, is_stated)?;
        let stages = session.config()?.stages();
        let position = stages.iter().position(|other| *other == stage);
        written.next = position.and_then(|at| stages.get(at + 1)).cloned();
        if let Some(next) = &written.next {
            let path = format!(".memory/stage/{next}/previous_stage_summary.md");
            // A copy of the old summary is replaced even if a person wrote that.
            let is_copy = session.root().read(&path)? == old;
            write_summary(&mut transaction, &mut written, path, summary, is_stated || is_copy)?;
        }
        transaction.commit()?;
        Ok(written)
    }
}

/// Finds a stage: one that has files, or one of the settings.
fn find_stage(session: &Session, hierarchy: &Hierarchy, typed: &str) -> Result<String, Error> {
    if let Some(reason) = name::unsafe_reason(typed) {
        let typed = typed.escape_default();
        return Err(Error::bad_input(format!("`{typed}` cannot be the name of a stage: {reason}")));
    }
    let stages = session.config()?.stages();
    if stages.iter().any(|stage| stage == typed) {
        return Ok(typed.to_owned());
    }
    let found = hierarchy.level("stage").map(|level| {
        let names = layout::list_names(session.root(), level, &Selectors::new());
        names.unwrap_or_default()
    });
    let all: Vec<String> = found.into_iter().flatten().chain(stages).collect();
    match name::find_loosely(typed, all.iter().map(String::as_str)) {
        name::Match::One(stage) => Ok(stage),
        name::Match::Ambiguous(candidates) => {
            Err(Error::not_found(format!("`{typed}` could be any of several stages"), candidates))
        }
        name::Match::Unknown(candidates) => {
            Err(Error::not_found(format!("there is no stage `{typed}`"), candidates)
                .hint("add it to `stages` in the settings"))
        }
    }
}

/// Returns the folder from which the stage loads its artifacts.
fn artifacts_folder(session: &Session, hierarchy: &Hierarchy, stage: &str) -> String {
    let selectors = Selectors::from_iter([("stage".to_owned(), stage.to_owned())]);
    let patterns =
        hierarchy.level("stage").map(|level| level.always.as_slice()).unwrap_or_default();
    let folders: Vec<String> = patterns
        .iter()
        .flat_map(|pattern| pattern.split('|'))
        .filter_map(|pattern| pattern.strip_suffix("artifacts/*"))
        .filter_map(|start| hierarchy::expand_pattern(&format!("{start}artifacts"), &selectors))
        .collect();
    let existing = folders.iter().find(|folder| session.root().is_folder(folder));
    let default = || format!(".memory/stage/{stage}/artifacts");
    existing.or(folders.first()).cloned().unwrap_or_else(default)
}

/// Reads the artifacts that a stage has, by file name.
fn read_artifacts(session: &Session, folder: &str) -> Result<IndexMap<String, String>, Error> {
    let mut artifacts = IndexMap::new();
    for entry in session.root().list(folder)? {
        let is_hidden = entry.name.starts_with('.');
        if entry.is_folder || is_hidden || !entry.is_utf8 {
            continue;
        }
        if let Some(text) = session.root().read(&format!("{folder}/{}", entry.name))? {
            artifacts.insert(entry.name, text);
        }
    }
    Ok(artifacts)
}

/// Returns the file name and the text of an artifact. Data becomes a formatted JSON file.
fn artifact_file(name: &str, InputData(content): InputData) -> Result<(String, String), Error> {
    if let Some(reason) = name::unsafe_reason(name) {
        let name = name.escape_default();
        return Err(Error::bad_input(format!(
            "`{name}` cannot be the name of an artifact: {reason}"
        )));
    }
    let is_json = name.to_lowercase().ends_with(".json");
    let has_extension = path::stem(name) != name;
    let Value::String(text) = content else {
        let file = if is_json { name.to_owned() } else { format!("{name}.json") };
        return Ok((file, format!("{content:#}\n")));
    };
    match json::format(&text) {
        Ok(formatted) if is_json => Ok((name.to_owned(), format!("{formatted}\n"))),
        Ok(formatted) if !has_extension => Ok((format!("{name}.json"), format!("{formatted}\n"))),
        Err(error) if is_json => Err(Error::bad_input(format!(
            "the artifact `{name}`, line {}: {}",
            error.line(),
            json::describe_syntax_error(&error)
        ))
        .hint("correct the file, or give it another extension")),
        _ if has_extension => Ok((name.to_owned(), text)),
        _ => Ok((format!("{name}.md"), text)),
    }
}

/// Writes the summary of a stage and returns it. One that a person wrote or edited is kept, unless it may be replaced.
fn write_summary(
    transaction: &mut WriteTransaction<'_>,
    written: &mut WrittenFiles,
    path: String,
    summary: String,
    may_replace: bool,
) -> Result<String, Error> {
    let existing = transaction.session().root().read(&path)?;
    let is_kept = |existing: &String| {
        !may_replace && *existing != summary && !stage_summary::is_extracted(existing)
    };
    match existing.filter(is_kept) {
        Some(existing) => {
            written.keep(path);
            Ok(existing)
        }
        None => {
            written.write(transaction, path, summary.clone())?;
            Ok(summary)
        }
    }
}
