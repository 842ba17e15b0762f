//! `learn decision` and `learn lesson`: add an entry to the file of a scope.

use std::marker::PhantomData;

use heirloom_core::fold::Standing;
use heirloom_core::memory::learning::NewLearning;
use heirloom_core::memory::{EntryKind, MemoryEntry, MemoryFormat};
use heirloom_core::record::{Referent, short_id};
use heirloom_core::words::normalise;
use heirloom_core::{Hint, day};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contradictions::{ContradictedMemory, check_new, show_contradicted};
use crate::memory::learnings::{add_to_file, find_duplicate, mark_id, statements};
use crate::memory::long_files::MAX_ENTRIES;
use crate::memory::{ComparableMemory, MemorySlice, SimilarMemory, WriteTransaction, show_similar};
use crate::ops::record::add::{require_text, require_title};
use crate::recall::read_similar_to;
use crate::view::{Role, View, present, span};
use crate::workspace::learning_file::{LearningFile, file_name};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

/// A kind of entry with a file of its own.
pub(crate) trait LearningKind: 'static {
    const KIND: EntryKind;
    const ADD: Spec;
}

/// Decisions.
pub(crate) struct Decisions;

/// Lessons.
pub(crate) struct Lessons;

impl LearningKind for Decisions {
    const KIND: EntryKind = EntryKind::Decision;
    const ADD: Spec = Spec {
        name: "learn_decision",
        usage: "learn decision <text>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Add a decision with its rationale to the decisions of a scope. A decision that is there already is refused; what it contradicts is listed.",
    };
}

impl LearningKind for Lessons {
    const KIND: EntryKind = EntryKind::Lesson;
    const ADD: Spec = Spec {
        name: "learn_lesson",
        usage: "learn lesson <text>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Add a lesson (what happened, its cause, what to do differently) to the lessons of a scope. A lesson that is there already is refused; what it contradicts is listed.",
    };
}

pub(crate) struct Learn<K>(PhantomData<K>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Text, in markdown.
    text: String,
    /// Title, one line.
    title: String,
    /// Scope in which it holds: names of levels, the broadest first (devtools/common).
    scope: String,
    /// Category (architecture, tooling, debugging).
    #[serde(default)]
    category: Option<String>,
    /// Tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Date; today by default.
    #[serde(default)]
    date: Option<String>,
    /// Create the scope if it has no files yet.
    #[serde(default)]
    new_scope: bool,
    /// Add it even if another entry says nearly the same.
    #[serde(default)]
    allow_similar: bool,
    /// Write it even if it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

/// A decision or a lesson that was added.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LearnedEntry {
    /// Kind of entry: decision or lesson.
    #[serde(rename = "type")]
    kind: EntryKind,
    /// Kind and number within the file: decision-3.
    name: String,
    /// Stable id.
    id: String,
    /// Title.
    title: String,
    /// Text.
    text: String,
    /// Date.
    date: String,
    /// Category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Scope in which it holds.
    scope: String,
    /// Path of the file.
    path: String,
    /// Its line in the file.
    line: usize,
    /// Whether the file was created.
    created_file: bool,
    /// Memories that it contradicts. They were not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradictions: Vec<ContradictedMemory>,
    /// Memories with nearly the same text. They were not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near: Vec<SimilarMemory>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Hint>,
}

impl<K: LearningKind> Operation for Learn<K> {
    type Request = Request;
    type Response = LearnedEntry;
    const SPEC: Spec = K::ADD;

    fn run(session: &Session, request: Request) -> Result<LearnedEntry, Error> {
        let kind = K::KIND;
        let word = kind.as_str();
        let text = require_text(&request.text, &format!("a {word} needs a text"))?;
        let title = require_title(&request.title, &format!("a {word} needs a title"))?;
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let category = request.category.as_deref().map(str::trim).filter(|text| !text.is_empty());
        category.map_or(Ok(()), |category| check_label("category", category))?;
        let tags = clean_tags(&request.tags)?;
        let date = parse_date(session, request.date.as_deref())?;
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let all = [title.as_str(), &text].into_iter().chain(category);
        all.chain(tags.iter().map(String::as_str))
            .try_for_each(|text| transaction.reject_secret(text))?;
        let file = LearningFile::open(session, kind, &request.scope, request.new_scope)?;
        let whole = format!("{title}\n{text}");
        let known = read_similar_to(session, &whole)?;
        let same = find_duplicate(&known, kind, &file.selectors, &whole, request.allow_similar);
        if let Some((document, entry)) = same {
            let is_equal = normalise(&entry.full_text()) == normalise(&format!("{title}: {text}"));
            return Err(duplicate(kind, &document.path, entry, is_equal));
        }
        let new =
            NewLearning { title: &title, text: &text, date, category, tags: &tags, from: None };
        let entry = add_to_file(&mut transaction, &known, &file, kind, &new)?;
        let stated = ComparableMemory {
            referent: Referent::entry(&entry.id),
            selectors: file.selectors.clone(),
            ..ComparableMemory::of_text(&statements(&entry))
        };
        let contradictions = check_new(&mut transaction, &known, &stated, &[]);
        if !contradictions.is_empty() {
            mark_id(&mut transaction, &file, &entry)?;
        }
        transaction.commit()?;
        let is_contradicted = |id: &str| contradictions.iter().any(|other| other.id == id);
        let mut near = SimilarMemory::find_by_text(&whole, &known, |_| false);
        near.retain(|memory| !is_contradicted(&memory.id));
        Ok(LearnedEntry {
            kind,
            name: entry.name(),
            notes: notes(&known, kind, &file, &entry),
            id: entry.id,
            title,
            text: entry.text,
            date: date.to_string(),
            category: entry.category,
            tags,
            scope: file.scope,
            created_file: file.text.is_none(),
            path: file.path,
            line: entry.line,
            contradictions,
            near,
        })
    }
}

/// Returns an error if a category or a tag is not one short line.
pub(super) fn check_label(what: &str, label: &str) -> Result<(), Error> {
    const MAX_LABEL_CHARS: usize = 60;
    let is_markup = |c: char| c.is_control() || matches!(c, ',' | '*' | '`' | '<' | '>' | '#');
    if label.contains(is_markup) || label.chars().count() > MAX_LABEL_CHARS {
        return Err(Error::bad_input(format!("`{}` cannot be a {what}", label.escape_default()))
            .hint("write a word or a few, without markup and commas"));
    }
    Ok(())
}

/// Returns the tags without repetitions. One text may name several tags, separated by commas.
pub(super) fn clean_tags(typed: &[String]) -> Result<Vec<String>, Error> {
    let mut tags: Vec<String> = Vec::new();
    for tag in typed.iter().flat_map(|typed| typed.split(',')).map(str::trim) {
        if tag.is_empty() || tags.iter().any(|known| known.eq_ignore_ascii_case(tag)) {
            continue;
        }
        check_label("tag", tag)?;
        tags.push(tag.to_owned());
    }
    Ok(tags)
}

fn parse_date(session: &Session, typed: Option<&str>) -> Result<Date, Error> {
    let Some(typed) = typed else { return Ok(session.today()) };
    day::parse(typed).ok_or_else(|| {
        Error::bad_input(format!("`{}` is not a date", typed.escape_default()))
            .hint("write it as YYYY-MM-DD")
    })
}

/// Returns the error for an entry that is there already.
fn duplicate(kind: EntryKind, path: &str, entry: &MemoryEntry, is_equal: bool) -> Error {
    let (word, id) = (kind.as_str(), short_id(&entry.id));
    let title = entry.title.as_deref().unwrap_or(&entry.text);
    let degree = if is_equal { "the same" } else { "nearly the same" };
    let message = format!(
        "{path}:{}: the {word} {id} says {degree}: {}",
        entry.line,
        present::opening(title)
    );
    let hint = Hint::text("replace it with ").call("memory_supersede", [("fact_id", id)]);
    let hint = match is_equal {
        true => hint,
        false => hint.then(", or add this one all the same with ").field("allow_similar"),
    };
    Error::bad_input(message).hint(hint)
}

/// Returns remarks: a new scope, an equal entry that was retired, and a file that has grown long.
fn notes(
    known: &MemorySlice,
    kind: EntryKind,
    file: &LearningFile,
    new: &MemoryEntry,
) -> Vec<Hint> {
    let mut notes = Vec::new();
    if file.is_of_new_scope {
        notes.push(Hint::text(format!("the scope `{}` had no files yet", file.scope)));
    }
    let format = MemoryFormat::Learnings(kind);
    let of_format = || known.entries().filter(|(document, _)| document.format == format);
    let retired = of_format().find_map(|(document, entry)| {
        let standing = known.memory.standing(&Referent::entry(&entry.id));
        let is_equal = normalise(&entry.full_text()) == normalise(&new.full_text());
        (standing != Standing::Active && is_equal).then_some((document, entry, standing))
    });
    if let Some((document, entry, standing)) = retired {
        notes.push(Hint::text(format!(
            "the same {} was {} before, as {} ({}:{})",
            kind.as_str(),
            standing.as_str(),
            short_id(&entry.id),
            document.path,
            entry.line
        )));
    }
    let of_file = of_format().filter(|(document, entry)| {
        document.path == file.path
            && known.memory.standing(&Referent::entry(&entry.id)) == Standing::Active
    });
    let count = of_file.count() + 1;
    if count > MAX_ENTRIES {
        let text = format!("{} has {count} entries; ", file_name(kind));
        let hint = Hint::text(text).operation("context_health");
        notes.push(hint.then(" proposes what to archive or to split off"));
    }
    notes
}

impl Answer for LearnedEntry {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, "added "),
            span(Role::Key, &self.name),
            span(Role::Dim, format!(" {}  ", short_id(&self.id))),
            present::opening(&self.title).into(),
            "  ".into(),
            span(Role::Source, format!("{}:{}", self.path, self.line)),
        ]);
        if self.created_file {
            view.line([span(Role::Dim, format!("   created {}", self.path))]);
        }
        for note in &self.notes {
            view.line([span(Role::Warning, Hint::text("   ").then_hint(note))]);
        }
        show_contradicted(&mut view, &self.contradictions);
        show_similar(&mut view, &self.near);
        view
    }
}
