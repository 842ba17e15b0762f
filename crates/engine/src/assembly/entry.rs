//! The entries that may go into a context.

use std::collections::HashMap;

use heirloom_core::assembly::{Excerpt, Tier, excerpts};
use heirloom_core::compression::{self, Level};
use heirloom_core::record::{Referent, ShortTexts};
use heirloom_store::tokens;

use super::section_text::{SectionText, document_pointer, merged_sections, one_line, shown_text};
use crate::memory::short_memory_id;
use crate::prediction::PredictedMemory;
use crate::recall::Hit;

/// A section of a context. What changes least from call to call comes first, so that the prompt cache of a provider keeps
/// the longest possible prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Section {
    /// What does not depend on the signals.
    Standing,
    /// What concerns the task.
    Task,
    /// What was remembered today. It changes more often than the pointers, but it is what an agent reads.
    New,
    /// Pointers to what may help with the task.
    Near,
    /// Pointers to what can be read on demand.
    Pointers,
    /// What concerns the branch and the collaborators.
    Work,
    /// What concerns the files.
    Files,
    /// What concerns the errors.
    Errors,
}

impl Section {
    /// Every section, in the order of the context.
    pub(super) const ALL: [Section; 8] = [
        Section::Standing,
        Section::Task,
        Section::New,
        Section::Near,
        Section::Pointers,
        Section::Work,
        Section::Files,
        Section::Errors,
    ];

    /// Returns whether it changes while an agent works on a task.
    pub(super) fn changes(self) -> bool {
        matches!(self, Section::New | Section::Work | Section::Files | Section::Errors)
    }

    /// Returns its heading.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Section::Standing => "## Project\n",
            Section::Near => "## May help\n",
            Section::Pointers => "## More on demand\n",
            Section::Task => "## Task\n",
            Section::New => "## Today\n",
            Section::Work => "## Branch and collaborators\n",
            Section::Files => "## Files\n",
            Section::Errors => "## Errors\n",
        }
    }
}

/// Something that may go into a context.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) tier: Tier,
    pub(super) section: Section,
    /// Whether it comes before everything else, whatever it costs.
    pub(super) is_first: bool,
    /// Why it is a candidate.
    pub(super) reason: String,
    /// How useful it is, 0 to 1.
    pub(super) value: f64,
    /// The factor on the value by how often it was cited and ignored before. It counts for what is chosen, and not for
    /// the order of the context, which has to stay the same.
    pub(super) usage_factor: f64,
    /// The number of the question that it answers.
    pub(super) question: usize,
    /// Whether it is a further part of a memory of which another entry shows a better one.
    pub(super) is_further: bool,
    /// The score of recall, if it answers a question.
    pub(super) score: Option<f64>,
    pub(super) id: String,
    /// What the log refers to it by.
    pub(super) referent: Option<Referent>,
    pub(super) kind: String,
    pub(super) source: String,
    pub(super) date: Option<String>,
    /// What every form begins with: the title and the heading of a section.
    pub(super) label: String,
    /// The text of the longest form, without the label.
    pub(super) text: String,
    /// Its forms, the longest first.
    pub(super) forms: Vec<EntryForm>,
}

/// A form of an entry.
#[derive(Debug, Clone)]
pub(super) struct EntryForm {
    pub(super) level: Level,
    /// The line of the context, with its line break.
    pub(super) line: String,
    /// The share of the entry's value.
    pub(super) share: f64,
    /// The tokens of the line.
    pub(super) tokens: usize,
}

impl EntryForm {
    fn new(level: Level, share: f64, line: String) -> Self {
        EntryForm { level, share, tokens: tokens::count(&line), line }
    }
}

/// Makes lines that end with their source. No token reaches across the space between two words, so the source is counted
/// once for all lines, and a line is counted once with and without it.
struct SourcedLines<'l> {
    label: &'l str,
    source: String,
    source_tokens: usize,
}

impl<'l> SourcedLines<'l> {
    fn new(label: &'l str, pointer: &str) -> Self {
        let source = format!(" [{pointer}]\n");
        SourcedLines { label, source_tokens: tokens::count(&source), source }
    }

    /// Makes a form of a text without line breaks or repeated spaces.
    fn form(&self, level: Level, share: f64, text: &str) -> EntryForm {
        let mut line = format!("{}{text}", self.label);
        let tokens = tokens::count(&line) + self.source_tokens;
        line.push_str(&self.source);
        EntryForm { level, line, share, tokens }
    }

    /// Returns a form without its source.
    fn without_source(&self, form: &EntryForm, share: f64) -> EntryForm {
        let text = &form.line[..form.line.len() - self.source.len()];
        let line = format!("{text}\n");
        // The line break may belong to a token of the last word.
        let last_word = text.rfind(' ').unwrap_or_default();
        let tokens = form.tokens - self.source_tokens + tokens::count(&line[last_word..])
            - tokens::count(&text[last_word..]);
        EntryForm { level: form.level, line, share, tokens }
    }
}

/// Values are rounded to this part of 1 for the order of a context, so that small changes do not change it.
const VALUE_STEPS: f64 = 8.0;

/// The value of a pointer.
const POINTER_VALUE: f64 = 0.05;

/// The value of the line of topics.
const TOPICS_VALUE: f64 = 0.15;

/// An entry with less value is shown whole or not at all: a part of it is worth too little, and finding the parts of
/// hundreds of such entries takes long.
const MIN_VALUE_OF_SHORTER_FORMS: f64 = 0.03;

/// The share of an entry's value without its source.
const SHARE_WITHOUT_SOURCE: f64 = 0.95;

/// Returns the share of an entry's value that remains at a level. What a writer supplied says more than what is extracted.
fn share_of_level(level: Level, supplied: &ShortTexts) -> f64 {
    match level {
        Level::Full => 1.0,
        Level::Summary if supplied.summary.is_some() => 0.7,
        Level::Summary => 0.3,
        Level::Compressed if supplied.compressed.is_some() => 0.3,
        Level::Compressed => 0.1,
        Level::Index => 0.02,
    }
}

impl Entry {
    /// Makes an entry of a memory, with all its forms.
    pub(super) fn of_hit(
        hit: &Hit,
        tier: Tier,
        section: Section,
        value: f64,
        reason: &str,
    ) -> Self {
        Self::of_part(hit, tier, section, value, reason, false)
    }

    /// Makes an entry of a part of a memory. A further section of a document is shown without its title.
    pub(super) fn of_part(
        hit: &Hit,
        tier: Tier,
        section: Section,
        value: f64,
        reason: &str,
        is_further: bool,
    ) -> Self {
        let (label, text) = match SectionText::of(hit) {
            Some(section) => (section.label(!is_further), section.body),
            None => (String::new(), shown_text(hit)),
        };
        Entry { is_further, ..Self::with_text(hit, tier, section, value, reason, (label, text)) }
    }

    /// Makes one entry of several parts of a document, in its order.
    pub(super) fn of_parts(
        parts: &[&Hit],
        tier: Tier,
        section: Section,
        value: f64,
        reason: &str,
    ) -> Self {
        let sections = SectionText::of_each(parts);
        match (parts, sections.as_slice()) {
            ([_, _, ..], [first, ..]) => {
                let text = merged_sections(&sections);
                let label = first.title_label();
                Self::with_text(parts[0], tier, section, value, reason, (label, text))
            }
            _ => Self::of_hit(parts[0], tier, section, value, reason),
        }
    }

    /// Makes an entry of a memory that shows a text after a label.
    pub(super) fn with_text(
        hit: &Hit,
        tier: Tier,
        section: Section,
        value: f64,
        reason: &str,
        (label, text): (String, String),
    ) -> Self {
        let item = &hit.item;
        let asked: HashMap<String, f64> = hit
            .explain
            .iter()
            .flat_map(|explain| &explain.terms)
            .map(|term| (term.near.clone().unwrap_or_else(|| term.term.clone()), term.share))
            .collect();
        let mut entry = Entry {
            tier,
            section,
            is_first: false,
            reason: reason.to_owned(),
            value,
            usage_factor: 1.0,
            question: 0,
            is_further: false,
            score: item.score,
            id: item.id.clone(),
            referent: Some(item.referent.clone()),
            kind: item.kind.clone(),
            source: item.source.clone(),
            date: item.date.clone(),
            label,
            text,
            forms: vec![],
        };
        entry.add_forms(item.title.as_deref(), &item.short_texts, &asked, hit.passage.is_none());
        entry
    }

    /// Makes an entry of a text that is no memory: a value, a contradiction.
    pub(super) fn of_text(
        tier: Tier,
        value: f64,
        reason: &str,
        kind: &str,
        source: &str,
        text: &str,
    ) -> Self {
        let mut entry = Entry {
            tier,
            section: Section::Standing,
            is_first: false,
            reason: reason.to_owned(),
            value,
            usage_factor: 1.0,
            question: 0,
            is_further: false,
            score: None,
            id: source.to_owned(),
            referent: None,
            kind: kind.to_owned(),
            source: source.to_owned(),
            date: None,
            label: String::new(),
            text: one_line(text),
            forms: vec![],
        };
        entry.forms =
            vec![EntryForm::new(Level::Full, 1.0, format!("{} [{source}]\n", entry.text))];
        entry
    }

    /// Makes an entry of a commit, which is one line: its subject, hash and day.
    pub(super) fn of_commit(commit: &PredictedMemory, value: f64) -> Self {
        let day = commit.date.as_deref().map(|day| format!(", {day}")).unwrap_or_default();
        let text = format!("{} ({}{day})", commit.title, commit.short_id());
        let entry =
            Self::of_text(Tier::Relevant, value, &commit.reason, &commit.kind, &commit.id, &text);
        let forms = vec![EntryForm::new(Level::Full, 1.0, format!("{}\n", entry.text))];
        Entry { section: Section::Files, date: commit.date.clone(), forms, ..entry }
    }

    /// Makes a pointer to a memory, with its title.
    pub(super) fn pointer_to(hit: &Hit, title: &str) -> Self {
        let item = &hit.item;
        let pointer = memory_pointer(hit);
        let text = one_line(title);
        let line = match text.starts_with(pointer) {
            true => format!("{text}\n"),
            false => format!("{text} [{pointer}]\n"),
        };
        Entry {
            tier: Tier::Index,
            section: Section::Pointers,
            is_first: false,
            reason: "pointer".to_owned(),
            value: POINTER_VALUE,
            usage_factor: 1.0,
            question: 0,
            is_further: false,
            score: None,
            id: pointer.to_owned(),
            referent: None,
            kind: item.kind.clone(),
            source: item.source.clone(),
            date: item.date.clone(),
            label: String::new(),
            forms: vec![EntryForm::new(Level::Index, 1.0, line)],
            text,
        }
    }

    /// Makes the line that names the topics which recall can be asked about.
    pub(super) fn of_topics(topics: &[String]) -> Self {
        let text = format!("Ask recall about: {}", topics.join(", "));
        let entry = Self::of_text(Tier::Index, TOPICS_VALUE, "topics", "topics", "topics", &text);
        let forms = vec![EntryForm::new(Level::Index, 1.0, format!("{text}\n"))];
        Entry { section: Section::Pointers, forms, ..entry }
    }

    /// Adds all forms of the text: whole, excerpts, and the shorter levels.
    fn add_forms(
        &mut self,
        title: Option<&str>,
        supplied: &ShortTexts,
        asked: &HashMap<String, f64>,
        is_whole: bool,
    ) {
        let lines = SourcedLines::new(&self.label, self.pointer());
        // Nothing more can be read under the id of a whole memory, and `why` names the source of any line.
        let is_whole = is_whole && !matches!(self.referent, Some(Referent::Document(_)));
        let mut forms = Vec::new();
        let mut add = |share: f64, text: &str| {
            let form = lines.form(Level::Full, share, text);
            let short = is_whole.then(|| lines.without_source(&form, share * SHARE_WITHOUT_SOURCE));
            forms.push(form);
            forms.extend(short);
        };
        add(1.0, &self.text);
        if self.value < MIN_VALUE_OF_SHORTER_FORMS {
            self.forms = forms;
            return;
        }
        for Excerpt { text, share } in excerpts(&self.text, asked) {
            add(share, &text);
        }
        for level in [Level::Summary, Level::Compressed, Level::Index] {
            let text = compression::at_level(&self.text, title, supplied, level);
            let share = share_of_level(level, supplied);
            forms.extend(text.map(|text| lines.form(level, share, &one_line(&text))));
        }
        debug_assert!(
            self.text.is_empty()
                || forms.iter().all(|form| form.tokens == tokens::count(&form.line)),
            "{forms:?}"
        );
        self.forms = forms;
    }

    /// Returns how much it is worth in a context.
    pub(super) fn weighted_value(&self) -> f64 {
        self.value * self.usage_factor
    }

    /// Returns the id under which all of it can be read.
    pub(super) fn pointer(&self) -> &str {
        match &self.referent {
            Some(Referent::Document(id)) => document_pointer(id),
            Some(_) => short_memory_id(&self.id),
            None => &self.id,
        }
    }

    /// Returns whether it is a memory that was recorded today. Documents do not count: their day may be that of a checkout.
    pub(super) fn is_new(&self, today: &str) -> bool {
        let is_memory =
            self.referent.as_ref().is_some_and(|it| !matches!(it, Referent::Document(_)));
        is_memory
            && !self.is_first
            && !self.section.changes()
            && self.date.as_deref() == Some(today)
    }

    /// Returns its position in its section. What holds for all work is in the order of its value; the rest in the order of
    /// time, since the order of values changes with every new memory.
    pub(super) fn position(&self) -> impl Ord + use<> {
        let value = match self.section {
            Section::Standing | Section::Near | Section::Pointers => {
                (self.value * VALUE_STEPS).round() as i64
            }
            Section::Task => i64::from(self.tier == Tier::Critical),
            Section::New | Section::Work | Section::Files | Section::Errors => 0,
        };
        let is_document = matches!(self.referent, Some(Referent::Document(_)));
        let day = if is_document { None } else { self.date.clone() };
        let order = (is_document, day, self.id.clone(), self.is_further, self.text.clone());
        (!self.is_first, std::cmp::Reverse(value), self.question, order)
    }
}

/// Returns the id under which all of a memory can be read.
pub(super) fn memory_pointer(hit: &Hit) -> &str {
    match &hit.item.referent {
        Referent::Document(id) => document_pointer(id),
        _ => hit.item.short_id(),
    }
}
