//! The entries that are retrieved: documents, overviews and learnings, in one of three sizes.

use heirloom_core::document::{DocumentForm, smaller_forms};
use heirloom_core::plan::{DocumentKind, PlanStatus};
use heirloom_core::{Value, day, path};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workspace::found_document::FoundDocument;
use crate::workspace::plan_documents::DocumentCard;

/// How much of a document is returned.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub(crate) enum Tier {
    /// The front matter: name, description and tags.
    #[serde(alias = "t0")]
    T0,
    /// The overview: the text of an overview, of other documents the first paragraphs of the sections.
    #[serde(alias = "t1")]
    T1,
    /// The whole document.
    #[serde(alias = "t2")]
    T2,
}

/// Where an entry comes from. It is returned for further requests and never searched.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct EntryMeta {
    /// Path of the document.
    pub(super) document_path: String,
    /// Id of the document or the entry.
    pub(super) document_id: String,
}

impl EntryMeta {
    /// Returns where a document is.
    pub(super) fn of(found: &FoundDocument) -> Self {
        EntryMeta { document_path: found.path.clone(), document_id: found.name.clone() }
    }
}

/// A plan, or another document of a scope.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct DocumentEntry {
    /// Name for people.
    pub(super) name: String,
    /// What it is about, in a sentence or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    /// Status of a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<String>,
    /// Day on which it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created: Option<String>,
    /// Day on which its status last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated: Option<String>,
    /// Project that a plan belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    /// Text, in the tiers T1 and T2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// Where it comes from.
    #[serde(rename = "_meta")]
    pub(super) meta: EntryMeta,
}

/// The overview of a scope.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OverviewEntry {
    /// Scope that it describes.
    pub(super) scope: String,
    /// How much of it is returned.
    pub(super) tier: Tier,
    /// Name of the scope for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// What the scope is, in a sentence or two.
    #[serde(rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    /// Text, in the tiers T1 and T2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// Day of its last change, as it states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated: Option<String>,
    /// Where it comes from.
    #[serde(rename = "_meta")]
    pub(super) meta: EntryMeta,
}

/// A decision or a lesson.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct LearningEntry {
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// What was decided or learnt; the title if there is no more.
    pub(super) content: String,
    /// Its day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) date: Option<String>,
    /// Category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) category: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    /// Scope that it holds for, with all scopes in it.
    pub(super) scope: String,
    /// Where it comes from.
    #[serde(rename = "_meta")]
    pub(super) meta: EntryMeta,
}

/// An entry that may be shortened to fit into a budget.
pub(super) trait Shorten: Serialize + Clone {
    /// Returns a smaller form of the entry; `None` if it has none.
    fn shorten(&self) -> Option<Self>;

    /// Returns the rank of the entry among others of its kind.
    fn rank(&self) -> EntryRank {
        EntryRank::default()
    }
}

/// What an entry is worth compared to others of its kind: the greatest comes first.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryRank {
    /// Whether it is no plan, or a plan that needs more work.
    is_open: bool,
    /// The day of its last change. A document without one comes after all that have one.
    changed: Option<Date>,
    /// The name of a document without a day: names may be numbered.
    name: String,
}

impl DocumentEntry {
    /// Makes the entry of a plan or of another document, which could be read.
    pub(super) fn new(card: &DocumentCard, found: &FoundDocument, tier: Tier) -> Self {
        let mut name = card.field("name").or_else(|| card.field("title"));
        let mut description = card.field("description");
        let mut created = card.field("created");
        if name.is_none() || description.is_none() || created.is_none() {
            let derived = card.derived(DocumentKind::Plan);
            let derived = |key: &str| derived.get(key).and_then(Value::as_str).map(str::to_owned);
            name = name.or_else(|| derived("name"));
            description = description.or_else(|| derived("description"));
            created = created.or_else(|| derived("created"));
        }
        let status = card.field("status").map(|status| match PlanStatus::from_word(&status) {
            Some(known) => known.as_str().to_owned(),
            None => status,
        });
        DocumentEntry {
            name: name.unwrap_or_else(|| found.name.clone()),
            description,
            status,
            created: created.map(plain_day),
            updated: card.field("updated").map(plain_day),
            project: card.field("project"),
            tags: card.list("tags"),
            content: content(card, tier, overview_text),
            meta: EntryMeta::of(found),
        }
    }

    /// Returns whether it is a plan that needs no more work.
    pub(super) fn is_closed(&self) -> bool {
        let status = self.status.as_deref().and_then(PlanStatus::from_word);
        status.is_some_and(PlanStatus::is_closed)
    }
}

impl OverviewEntry {
    /// Makes the entry of the overview of a scope, which could be read.
    pub(super) fn new(card: DocumentCard, scope: String, tier: Tier) -> Self {
        let mut name = card.field("name").or_else(|| card.field("title"));
        let mut summary = card.field("description");
        if name.is_none() || summary.is_none() {
            let derived = card.derived(DocumentKind::Overview);
            let derived = |key: &str| derived.get(key).and_then(Value::as_str).map(str::to_owned);
            name = name.or_else(|| derived("name"));
            summary = summary.or_else(|| derived("description"));
        }
        OverviewEntry {
            tier,
            name,
            summary,
            tags: card.list("tags"),
            content: content(&card, tier, |card| card.parse().prose.trim().to_owned()),
            updated: card.field("updated").map(plain_day),
            meta: EntryMeta { document_path: card.path, document_id: scope.clone() },
            scope,
        }
    }
}

/// Returns the text of a document in a tier.
fn content(
    card: &DocumentCard,
    tier: Tier,
    overview: impl FnOnce(&DocumentCard) -> String,
) -> Option<String> {
    let text = match tier {
        Tier::T0 => return None,
        Tier::T1 => overview(card),
        Tier::T2 => card.text.clone(),
    };
    let text = if text.contains('\r') { text.replace("\r\n", "\n") } else { text };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Returns the opening of a document and the first paragraphs of its sections.
fn overview_text(card: &DocumentCard) -> String {
    let document = card.parse();
    let forms = smaller_forms(&document).into_iter();
    let mut overviews = forms.filter(|(form, _)| *form == DocumentForm::Overview);
    overviews.next().map_or_else(|| document.prose.trim().to_owned(), |(_, text)| text)
}

/// Returns the day of a date or a timestamp, and any other text as it is.
fn plain_day(text: String) -> String {
    day::parse(&text).map_or(text, |day| day.to_string())
}

impl Shorten for DocumentEntry {
    fn shorten(&self) -> Option<Self> {
        self.content.is_some().then(|| DocumentEntry { content: None, ..self.clone() })
    }

    /// Plans that are worked on come first, then the newest.
    fn rank(&self) -> EntryRank {
        let days = self.updated.iter().chain(&self.created);
        let changed = days.filter_map(|text| day::parse(text)).max();
        let name = match changed {
            Some(_) => String::new(),
            None => path::stem(&self.meta.document_path).to_owned(),
        };
        EntryRank { is_open: !self.is_closed(), changed, name }
    }
}

impl Shorten for OverviewEntry {
    fn shorten(&self) -> Option<Self> {
        let short = || OverviewEntry { tier: Tier::T0, content: None, ..self.clone() };
        self.content.is_some().then(short)
    }
}

impl Shorten for LearningEntry {
    fn shorten(&self) -> Option<Self> {
        let title = self.title.clone().filter(|title| *title != self.content)?;
        Some(LearningEntry { content: title, title: None, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::*;

    fn plan(name: &str, status: Option<&str>, created: Option<&str>) -> DocumentEntry {
        DocumentEntry {
            name: name.to_owned(),
            description: None,
            status: status.map(str::to_owned),
            created: created.map(str::to_owned),
            updated: None,
            project: None,
            tags: vec![],
            content: None,
            meta: EntryMeta {
                document_path: format!("_plans/{name}.md"),
                document_id: name.to_owned(),
            },
        }
    }

    #[test]
    fn open_plans_come_first_and_those_without_a_date_last_of_them() {
        let mut plans = [
            plan("done", Some("done"), Some("2026-03-01")),
            plan("soon", Some("new"), Some("soon")),
            plan("undated", None, None),
            plan("old", Some("in_progress"), Some("2026-01-01")),
            plan("new", Some("new"), Some("2026-02-01")),
        ];
        plans.sort_by_key(|plan| Reverse(plan.rank()));
        let names = plans.each_ref().map(|plan| plan.name.as_str());
        assert_eq!(names, ["new", "old", "undated", "soon", "done"]);
    }
}
