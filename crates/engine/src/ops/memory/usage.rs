//! `usage`: shows which memories earn their tokens.

use heirloom_core::Problem;
use heirloom_core::record::Referent;
use heirloom_core::usage::UsageCounts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::MemoryQuery;
use crate::ops::request_parts::default_limit;
use crate::usage::{Usage, UsageReport};
use crate::view::bar::thousands;
use crate::view::{Role, Span, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryUsage;

/// What memories are sorted by, the greatest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SortKey {
    /// Tokens that they took in contexts.
    #[default]
    Tokens,
    /// How often they were cited.
    Cited,
    /// How often they were ignored.
    Ignored,
    /// How often they were retrieved.
    Retrieved,
    /// When they were last accessed.
    Recent,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Maximum number of memories.
    #[serde(default = "default_limit")]
    limit: usize,
    /// What they are sorted by, the greatest first.
    #[serde(default)]
    sort: SortKey,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsageOverview {
    /// Memories that were used on this machine.
    memories: Vec<UsedMemory>,
    /// Number of all memories that were used.
    total: usize,
    /// Tokens that all memories took in contexts.
    total_tokens: u64,
    /// How often memories were cited.
    total_cited: u64,
    /// How often memories were ignored.
    total_ignored: u64,
    /// Damaged lines of the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

/// A memory with its usage.
#[derive(Debug, Serialize, JsonSchema)]
struct UsedMemory {
    /// Id under which it can be read.
    id: String,
    /// Kind of the memory, if it is still stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Opening of the text.
    text: String,
    #[serde(flatten)]
    usage: UsageReport,
    /// Share of the judged contexts in which it was cited, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    cited_share: Option<f64>,
}

impl Operation for MemoryUsage {
    type Request = Request;
    type Response = UsageOverview;
    const SPEC: Spec = Spec {
        name: "memory_usage",
        usage: "usage",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show which memories earn their tokens: how often each was retrieved, cited and ignored on this machine, and the tokens that it took.",
    };

    fn run(session: &Session, request: Request) -> Result<UsageOverview, Error> {
        if request.limit == 0 {
            return Err(Error::bad_input("the limit is 0, so nothing would be shown")
                .hint("set the limit to 1 or more"));
        }
        let usage = Usage::read(session);
        let mut all: Vec<(Referent, UsageCounts)> = usage.all().collect();
        all.sort_by_cached_key(|(memory, counts)| {
            let key = match request.sort {
                SortKey::Tokens => counts.tokens,
                SortKey::Cited => counts.cited,
                SortKey::Ignored => counts.ignored,
                SortKey::Retrieved => counts.retrieved,
                SortKey::Recent => u64::try_from(counts.last_accessed).unwrap_or_default(),
            };
            (std::cmp::Reverse(key), memory.clone())
        });
        let sum =
            |field: fn(&UsageCounts) -> u64| all.iter().map(|(_, counts)| field(counts)).sum();
        Ok(UsageOverview {
            total: all.len(),
            total_tokens: sum(|counts| counts.tokens),
            total_cited: sum(|counts| counts.cited),
            total_ignored: sum(|counts| counts.ignored),
            memories: describe(session, all.into_iter().take(request.limit).collect())?,
            problems: usage.problem.into_iter().collect(),
        })
    }
}

fn describe(
    session: &Session,
    memories: Vec<(Referent, UsageCounts)>,
) -> Result<Vec<UsedMemory>, Error> {
    let referents = memories.iter().map(|(memory, _)| memory.clone());
    let known = MemoryQuery::new().referents(referents).read(session)?;
    let describe = |(memory, counts): (Referent, UsageCounts)| {
        let item = known.item(&memory);
        let text = match (&item, &memory) {
            (Some(item), _) => item.title.clone().unwrap_or_else(|| present::opening(&item.text)),
            (None, Referent::Document(id)) => id.clone(),
            (None, _) => "no longer stored".to_owned(),
        };
        UsedMemory {
            id: memory.short().into_owned(),
            kind: item.map(|item| item.kind),
            text,
            usage: UsageReport::of(&counts),
            cited_share: counts.cited_share().map(|share| (share * 1_000.0).round() / 1_000.0),
        }
    };
    Ok(memories.into_iter().map(describe).collect())
}

/// The width of the longest bar in characters.
const BAR_CHARS: usize = 20;

impl Answer for UsageOverview {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.memories.is_empty() {
            view.line([span(Role::Dim, "no memory was used on this machine yet")]);
        }
        let most = self.memories.iter().map(|memory| memory.usage.tokens).max().unwrap_or(0);
        let rows = self.memories.iter().map(|memory| row(memory, most)).collect();
        view.table(&["tokens", "", "cited", "retrieved", "memory", ""], rows);
        if !self.memories.is_empty() {
            let line = format!(
                "{}: {} tokens; cited {}×, ignored {}×",
                present::count(self.total, "memory"),
                thousands(usize::try_from(self.total_tokens).unwrap_or(usize::MAX)),
                self.total_cited,
                self.total_ignored
            );
            view.line([span(Role::Dim, line)]);
            view.line([span(Role::Dim, "█ tokens of contexts in which it was cited, ░ of others")]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}

/// Lays out a memory: a bar of its tokens, of which a part is filled by the share of citations.
fn row(memory: &UsedMemory, most_tokens: u64) -> Vec<Span> {
    let UsageReport { tokens, retrieved, cited, ignored, .. } = &memory.usage;
    let length = match most_tokens {
        0 => 0,
        most => ((*tokens as f64 / most as f64) * BAR_CHARS as f64).ceil() as usize,
    };
    let share = memory.cited_share.unwrap_or_default();
    let filled = (share * length as f64).round() as usize;
    let judged = cited + ignored;
    let cited = if judged > 0 { format!("{cited} of {judged}") } else { "–".to_owned() };
    vec![
        format!("{:>7}", thousands(usize::try_from(*tokens).unwrap_or(usize::MAX))).into(),
        span(Role::Key, format!("{}{}", "█".repeat(filled), "░".repeat(length - filled))),
        cited.into(),
        format!("{retrieved}×").into(),
        span(Role::Source, &memory.id),
        memory.text.replace('\n', " ").into(),
    ]
}
