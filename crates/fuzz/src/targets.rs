//! The fuzz targets, each with the properties that hold for every input.
//!
//! A target panics if a property is violated. Refusing an input is not a failure. Bytes that are not UTF-8 are skipped:
//! the store rejects them before a parser is called.

mod learning_edit;
mod log_read;
mod memory_edit;
mod prediction;
mod recall_ask;
mod secret_find;
mod transcript_read;

pub use learning_edit::learning_edit;
pub use log_read::log_read;
pub use memory_edit::memory_edit;
pub use prediction::{imports_read, patch_read, prediction_state_read};
pub use recall_ask::recall_ask;
pub use secret_find::secret_find;
pub use transcript_read::transcript_read;

use std::ops::Range;

use heirloom_core::adr::{self, Adr, LinkTarget as Named, Status};
use heirloom_core::frontmatter::{self, FrontMatterLocation};
use heirloom_core::hierarchy::MAX_SHARE_SUM;
use heirloom_core::plan::{self, DocumentKind, KnownDates};
use heirloom_core::yaml::{self, YamlKind, YamlNode, YamlStyle};
use heirloom_core::{Document, Problem, Value};
use heirloom_store::{Config, config};

use crate::signature::{Signature, kind_of, shape};

/// A parser or an edit under test.
#[derive(Debug)]
pub struct Target {
    /// The name, which is also that of the folder in the corpus.
    pub name: &'static str,
    /// Runs one input; panics if a property is violated.
    pub run: fn(&[u8]) -> Signature,
}

/// Every target.
pub static TARGETS: &[Target] = &[
    Target { name: "yaml_parse", run: yaml_parse },
    Target { name: "yaml_edit", run: yaml_edit },
    Target { name: "frontmatter_set", run: frontmatter_set },
    Target { name: "document_parse", run: document_parse },
    Target { name: "adr_edit", run: adr_edit },
    Target { name: "config_parse", run: config_parse },
    Target { name: "sprint_settings_parse", run: sprint_settings_parse },
    Target { name: "memory_edit", run: memory_edit },
    Target { name: "learning_edit", run: learning_edit },
    Target { name: "log_read", run: log_read },
    Target { name: "recall_ask", run: recall_ask },
    Target { name: "transcript_read", run: transcript_read },
    Target { name: "secret_find", run: secret_find },
    Target { name: "patch_read", run: patch_read },
    Target { name: "prediction_state_read", run: prediction_state_read },
    Target { name: "imports_read", run: imports_read },
];

/// Parses YAML: ranges lie within the text and nest, line numbers exist, and parsing is deterministic.
pub fn yaml_parse(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    let parsed = yaml::parse(text);
    assert_eq!(parsed, yaml::parse(text), "parsing twice differs");
    if let Some(fields) = yaml::parse_simple_mapping(text) {
        let value = parsed.as_ref().ok().and_then(Option::as_ref).map(YamlNode::value);
        assert_eq!(value, Some(Value::Object(fields)), "the quick reading differs");
    }
    if let Ok(Some(root)) = &parsed {
        let written = yaml::write_document(&root.value());
        let read = yaml::parse(&written).map(|node| node.map_or(Value::Null, |node| node.value()));
        assert!(read.is_err() || read == Ok(root.value()), "what is written reads differently");
    }
    match parsed {
        Ok(Some(root)) => {
            check_node(text, &root, &(0..text.len()));
            Signature::of(shape(&root))
        }
        Ok(None) => Signature::of("empty"),
        Err(error) => {
            check_line(text, error.line);
            Signature::of(kind_of(&error.message))
        }
    }
}

/// Sets a key of a YAML text and appends to a list in it. The first line of the input is the key, the second the
/// value, the rest the text.
pub fn yaml_edit(data: &[u8]) -> Signature {
    let Some((key, value, text)) = edit_of(data) else { return Signature::SKIPPED };
    let Ok(root) = yaml::parse(text) else { return Signature::of("not YAML") };
    let mut outcome = Vec::new();
    for key in keys_to_try(key, root.as_ref(), data.len()) {
        let set = yaml::set_key(text, &key, &value);
        if let Ok(edited) = &set {
            check_edit(text, root.as_ref(), edited, &key, &value);
        }
        let item = value.as_str().unwrap_or("x");
        let appended = yaml::append_to_list(text, &key, item);
        if let Ok(edited) = &appended {
            check_edit(
                text,
                root.as_ref(),
                edited,
                &key,
                &with_item(
                    root.as_ref()
                        .and_then(|root| root.entry(&key))
                        .map(|entry| entry.value.value()),
                    item,
                ),
            );
        }
        let entry =
            root.as_ref().and_then(|root| root.entry(&key)).map(|entry| shape(&entry.value));
        outcome.push((
            entry,
            [set, appended].map(|edited| {
                edited.map_or_else(|error| kind_of(&error.to_string()), |_| "done".to_owned())
            }),
        ));
    }
    Signature::of((outcome, root.map(|root| shape(&root).chars().take(5).collect::<String>())))
}

/// Sets a key of a document's front matter; the input is as for [`yaml_edit`].
pub fn frontmatter_set(data: &[u8]) -> Signature {
    let Some((key, value, text)) = edit_of(data) else { return Signature::SKIPPED };
    let (root, body) = match frontmatter::split(text) {
        FrontMatterLocation::Block { yaml, body } => {
            (yaml::parse(&text[yaml]).ok().flatten(), &text[body..])
        }
        FrontMatterLocation::None | FrontMatterLocation::Unclosed => {
            (None, text.trim_start_matches('\u{feff}'))
        }
    };
    let mut outcome = Vec::new();
    for key in keys_to_try(key, root.as_ref(), data.len()) {
        for edited in [
            frontmatter::set("d.md", text, &key, &value),
            frontmatter::append_to_list("d.md", text, &key, value.as_str().unwrap_or("x")),
        ] {
            match &edited {
                Ok(edited) => {
                    assert!(edited.ends_with(body), "the body changed");
                    assert_eq!(
                        edited.starts_with('\u{feff}'),
                        text.starts_with('\u{feff}'),
                        "the byte order mark changed"
                    );
                    let FrontMatterLocation::Block { yaml, .. } = frontmatter::split(edited) else {
                        panic!("the front matter is gone: {edited:?}")
                    };
                    let Ok(Some(new)) = yaml::parse(&edited[yaml]) else {
                        panic!("the front matter is broken: {edited:?}")
                    };
                    assert!(new.entry(&key).is_some(), "the key is missing");
                }
                Err(problem) => check_problem(text, problem, "d.md"),
            }
            outcome.push(
                edited.map_or_else(|problem| kind_of(&problem.message), |_| "done".to_owned()),
            );
        }
    }
    Signature::of((outcome, root.map(|root| shape(&root))))
}

/// Parses a document: every defect is reported as a problem, and every line number exists.
pub fn document_parse(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    let document = Document::parse("a/d.md", text);
    let again = Document::parse("a/d.md", text);
    assert_eq!(
        (&document.values, &document.fields, &document.problems),
        (&again.values, &again.fields, &again.problems),
        "parsing twice differs"
    );
    let fields = Document::read_fields("a/d.md", text).0;
    assert_eq!(fields, document.fields, "the quick reading of the front matter differs");
    for kind in [DocumentKind::Plan, DocumentKind::Overview] {
        let missing = plan::missing_fields(&document, kind, &KnownDates::default());
        let edited = missing.iter().try_fold(text.to_owned(), |text, (key, value)| {
            frontmatter::set("a/d.md", &text, key, value)
        });
        if let Ok(edited) = edited {
            let again = Document::parse("a/d.md", &edited);
            let kept = document.prose.is_empty() || again.prose.ends_with(&document.prose);
            assert!(kept, "an added field changes the prose");
        }
    }
    assert!(
        document.prose.is_empty() || text.ends_with(&document.prose),
        "the prose is not the end of the text"
    );
    document.problems.iter().for_each(|problem| check_problem(text, problem, "a/d.md"));
    document.headings.iter().for_each(|heading| check_line(text, heading.line));
    document.references.iter().for_each(|reference| check_line(text, reference.line));
    document.lines.values().for_each(|line| check_line(text, *line));
    document.values.for_each_leaf(&mut |keys, tree, _| {
        assert_eq!(document.values.get(keys), Some(tree), "a leaf is at another path");
    });
    let problems: Vec<String> =
        document.problems.iter().map(|problem| kind_of(&problem.message)).take(3).collect();
    Signature::of((
        problems,
        document.fields.len().min(6),
        document.values.override_paths().len().min(3),
        document.headings.len().min(5),
        document.references.len().min(5),
        document.title.is_some(),
    ))
}

/// Parses a decision record and edits its status and links: the result parses to the new values, or the edit is refused.
pub fn adr_edit(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    let status = Status::ALL[data.len() % Status::ALL.len()];
    Signature::of(["md", "rst"].map(|ending| {
        let path = format!("adrs/0003-old.{ending}");
        let other = adr::read(&format!("adrs/0010-new.{ending}"), "");
        let before = adr::read(&path, text);
        check_line(text, before.status_line);
        let edits = [
            check_status(&path, text, &before, status),
            check_superseded(&path, text, &before, &other),
            check_supersedes(&path, text, &before, &other),
        ];
        (
            before.status,
            before.supersedes.len().min(3),
            before.superseded_by.len().min(3),
            before.date.is_some(),
            edits,
        )
    }))
}

/// Parses settings: an error names its line, and accepted settings are valid.
pub fn config_parse(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    match Config::parse(text) {
        Ok(config) => {
            let Some(hierarchy) = config.find_hierarchy(&config.hierarchy) else {
                panic!("there is no hierarchy `{}`", config.hierarchy)
            };
            assert_eq!(hierarchy.first_defect(), None, "a hierarchy with a defect was accepted");
            assert_eq!(Config::parse(text), Ok(config.clone()), "parsing twice differs");
            Signature::of((
                config.hierarchies.len().min(3),
                config.levels.len().min(3),
                config.adrs.folders.len().min(3),
                hierarchy.levels.len().min(6),
            ))
        }
        Err(problem) => {
            check_problem(text, &problem, config::PATH);
            Signature::of((kind_of(&problem.message), problem.hint.is_some()))
        }
    }
}

/// Parses the settings of sprints: an error names its line, and accepted settings are valid.
pub fn sprint_settings_parse(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    match Config::parse_sprint_settings(text) {
        Ok(config) => {
            let Some(hierarchy) = config.find_hierarchy(&config.hierarchy) else {
                panic!("there is no hierarchy `{}`", config.hierarchy)
            };
            assert_eq!(hierarchy.first_defect(), None, "a hierarchy with a defect was accepted");
            let roles = config.token_allocation(&config.hierarchy);
            for (role, shares) in &roles {
                let is_share = |share: &f64| (0.0..=1.0).contains(share);
                assert!(shares.values().all(is_share), "{role} has a share that is none");
                assert!(shares.values().sum::<f64>() <= MAX_SHARE_SUM, "{role} has too much");
            }
            assert!(!config.stages().is_empty(), "there are no stages");
            let again = Config::parse_sprint_settings(text);
            assert_eq!(again, Ok(config.clone()), "parsing twice differs");
            let limited = hierarchy.levels.iter().filter(|level| level.max_tokens.is_some());
            Signature::of((
                roles.len().min(3),
                limited.count(),
                config.stages().len().min(9),
                config.token_budget(&config.hierarchy).min(2),
            ))
        }
        Err(problem) => {
            check_problem(text, &problem, config::SPRINT_SETTINGS_PATH);
            Signature::of((kind_of(&problem.message), problem.hint.is_some()))
        }
    }
}

fn check_node(text: &str, node: &YamlNode, within: &Range<usize>) {
    check_range(text, &node.bytes, within);
    check_line(text, node.line);
    let written = &text[node.bytes.clone()];
    match &node.kind {
        YamlKind::Scalar { style: YamlStyle::Single, .. } => assert!(
            written.starts_with('\'') && written.ends_with('\''),
            "not a quoted range: {written:?}"
        ),
        YamlKind::Scalar { style: YamlStyle::Double, .. } => assert!(
            written.starts_with('"') && written.ends_with('"'),
            "not a quoted range: {written:?}"
        ),
        YamlKind::Scalar { style: YamlStyle::Block, .. } if *within != (0..text.len()) => {
            assert!(written.starts_with(['|', '>']), "not a block's range: {written:?}");
        }
        YamlKind::Scalar { value, style: YamlStyle::Plain }
            if !node.tagged && !written.contains(['\n', '\r']) =>
        {
            assert_eq!(
                value.as_str().unwrap_or(written),
                written,
                "a plain range holds something else"
            );
        }
        YamlKind::Scalar { .. } | YamlKind::Alias(_) => {}
        YamlKind::List { items, .. } => {
            items.iter().for_each(|item| check_node(text, item, &node.bytes));
        }
        YamlKind::Map { entries, .. } => {
            for entry in entries {
                check_range(text, &entry.key_bytes, &node.bytes);
                check_line(text, entry.line);
                check_node(text, &entry.value, &node.bytes);
            }
            let ordered = entries.windows(2).all(|pair| {
                pair[0].key_bytes.end <= pair[1].key_bytes.start
                    && pair[0].value.bytes.end <= pair[1].key_bytes.start
            });
            assert!(ordered, "entries overlap");
        }
    }
}

fn check_range(text: &str, range: &Range<usize>, within: &Range<usize>) {
    assert!(text.get(range.clone()).is_some(), "{range:?} is not a range of the text");
    assert!(
        within.start <= range.start && range.end <= within.end,
        "{range:?} is not within {within:?}"
    );
}

/// Checks that a line exists. A position after the last line break counts as a line.
fn check_line(text: &str, line: usize) {
    let breaks = text.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
    assert!((1..=breaks + 1).contains(&line), "there is no line {line}");
}

fn check_problem(text: &str, problem: &Problem, path: &str) {
    assert_eq!(problem.path, path);
    assert!(!problem.message.is_empty(), "a problem without a message");
    check_line(text, problem.line);
}

/// Checks that the edited text has the new value at the key and the old values elsewhere, and that only the bytes
/// between the end of the key and the end of its value differ. A new key or item removes nothing.
fn check_edit(before: &str, root: Option<&YamlNode>, after: &str, key: &str, value: &Value) {
    let Ok(Some(new)) = yaml::parse(after) else {
        panic!("the edited text does not parse: {after:?}")
    };
    let mut wanted = root.map_or_else(|| Value::Object(serde_json::Map::new()), YamlNode::value);
    wanted[key] = value.clone();
    assert_eq!(new.value(), wanted, "the edited text has another value: {after:?}");
    if is_insertion(before, after) {
        return;
    }
    let Some(entry) = root.and_then(|root| root.entry(key)) else {
        panic!("adding `{key}` changed other bytes: {after:?}")
    };
    let (head, tail) =
        (&before[..entry.key_bytes.end], &before[entry.value.bytes.end.max(entry.key_bytes.end)..]);
    let kept =
        after.starts_with(head) && after.ends_with(tail) && after.len() >= head.len() + tail.len();
    assert!(kept, "setting `{key}` changed other bytes: {after:?}");
}

/// Returns whether all old bytes are present in order, with at most one inserted range.
fn is_insertion(before: &str, after: &str) -> bool {
    let prefix = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let suffix = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
    prefix + suffix >= before.len() && after.len() >= before.len()
}

/// Returns the expected value of a key after an item was appended to it.
fn with_item(old: Option<Value>, item: &str) -> Value {
    let item = Value::String(item.to_owned());
    match old {
        None | Some(Value::Null) => Value::Array(vec![item]),
        Some(Value::Array(items)) if items.contains(&item) => Value::Array(items),
        Some(Value::Array(items)) => Value::Array(items.into_iter().chain([item]).collect()),
        Some(single) if single == item => single,
        Some(single) => Value::Array(vec![single, item]),
    }
}

fn check_status(path: &str, text: &str, before: &Adr, status: Status) -> Option<Status> {
    let edited = edited(text, path, adr::set_status(path, text, status))?;
    let after = adr::read(path, &edited);
    assert_eq!(
        (after.status, &after.title),
        (status, &before.title),
        "the status reads back otherwise: {edited:?}"
    );
    assert!(
        keeps(&before.supersedes, &after.supersedes),
        "a new status lost what it supersedes: {edited:?}"
    );
    Some(after.status)
}

fn check_superseded(path: &str, text: &str, before: &Adr, by: &Adr) -> Option<Status> {
    let edited = edited(text, path, adr::mark_superseded(path, text, by))?;
    let after = adr::read(path, &edited);
    assert_eq!(
        (after.status, &after.title),
        (Status::Superseded, &before.title),
        "it reads back otherwise: {edited:?}"
    );
    assert!(
        after.superseded_by.iter().any(|target| adr::target_matches(target, by)),
        "it does not name what supersedes it: {edited:?}"
    );
    assert!(
        keeps(&before.superseded_by, &after.superseded_by)
            && keeps(&before.supersedes, &after.supersedes),
        "it lost a link: {edited:?}"
    );
    assert_eq!(
        adr::mark_superseded(path, &edited, by).as_ref(),
        Ok(&edited),
        "doing it twice differs"
    );
    Some(before.status)
}

fn check_supersedes(path: &str, text: &str, before: &Adr, old: &Adr) -> Option<Status> {
    let edited = edited(text, path, adr::mark_supersedes(path, text, old))?;
    let after = adr::read(path, &edited);
    assert_eq!(
        (after.status, &after.title),
        (before.status, &before.title),
        "it reads back otherwise: {edited:?}"
    );
    assert!(
        after.supersedes.iter().any(|target| adr::target_matches(target, old)),
        "it does not name what it supersedes: {edited:?}"
    );
    assert!(
        keeps(&before.superseded_by, &after.superseded_by)
            && keeps(&before.supersedes, &after.supersedes),
        "it lost a link: {edited:?}"
    );
    assert_eq!(
        adr::mark_supersedes(path, &edited, old).as_ref(),
        Ok(&edited),
        "doing it twice differs"
    );
    Some(after.status)
}

fn edited(text: &str, path: &str, result: Result<String, Problem>) -> Option<String> {
    match result {
        Ok(edited) => Some(edited),
        Err(problem) if problem.line == 0 => None,
        Err(problem) => {
            check_problem(text, &problem, path);
            None
        }
    }
}

/// Returns whether every record that was named before is still named.
fn keeps(before: &[Named], after: &[Named]) -> bool {
    before.iter().all(|old| {
        after.iter().any(|new| {
            (old.number.is_some() && old.number == new.number) || old.written == new.written
        })
    })
}

/// Splits an input into a key, a value and a text. The value is parsed as JSON if it is JSON, else it is a string.
fn edit_of(data: &[u8]) -> Option<(&str, Value, &str)> {
    let mut parts = str::from_utf8(data).ok()?.splitn(3, '\n');
    let (key, value, text) = (parts.next()?, parts.next()?, parts.next()?);
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Some((key, value, text))
}

/// Returns the key that the input names and an existing key, so that a mutated key still edits something. Merge keys
/// are skipped: they have no value of their own.
fn keys_to_try(named: &str, root: Option<&YamlNode>, choice: usize) -> Vec<String> {
    let entries = root.map_or(&[][..], YamlNode::entries);
    let there =
        entries.get(choice.checked_rem(entries.len()).unwrap_or(0)).map(|entry| entry.key.clone());
    let mut keys = vec![named.to_owned()];
    keys.extend(there.filter(|key| key != named));
    keys.retain(|key| key != "<<");
    keys
}
