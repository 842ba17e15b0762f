//! Which memories are used, and how many never are.

use heirloom_core::fold::Standing;
use heirloom_core::record::Referent;
use heirloom_core::usage::UsageCounts;
use schemars::JsonSchema;
use serde::Serialize;

use super::line::{HealthLine, LineState};
use crate::memory::MemoryQuery;
use crate::usage::Usage;
use crate::view::bar::thousands;
use crate::view::present;
use crate::{Error, Session};

/// The number of memories that are named as used most.
const MAX_MOST_USED: usize = 3;

/// Which memories are used on this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UsageHealth {
    /// Number of active records that were part of an answer or a context. Those that were used last are counted, at most
    /// 2,000.
    used: usize,
    /// Number of the other active records.
    never_used: usize,
    /// Memories that agents used most.
    most_used: Vec<MostUsed>,
}

/// A memory that is used much.
#[derive(Debug, Serialize, JsonSchema)]
struct MostUsed {
    /// Id under which it can be read.
    id: String,
    /// Opening of the text.
    text: String,
    /// How often an agent used it after it was part of its context.
    cited: u64,
    /// How often it was part of an answer or a context.
    retrieved: u64,
}

impl UsageHealth {
    /// Reads the usage log. `active` is the number of active records.
    pub(super) fn read(session: &Session, active: usize) -> Result<Self, Error> {
        let mut all: Vec<(Referent, UsageCounts)> = Usage::read(session).all().collect();
        all.retain(|(_, counts)| counts.retrieved + counts.cited > 0);
        all.sort_by(|(a, of_a), (b, of_b)| {
            (of_b.cited, of_b.retrieved).cmp(&(of_a.cited, of_a.retrieved)).then(a.cmp(b))
        });
        let query = MemoryQuery::new();
        let known = query
            .referents_without_relations(all.iter().map(|(memory, _)| memory.clone()))
            .read(session)?;
        let is_active = |memory: &Referent| known.memory.standing(memory) == Standing::Active;
        let is_active_record =
            |memory: &Referent| known.item(memory).is_some() && is_active(memory);
        let used = all.iter().filter(|(memory, _)| {
            matches!(memory, Referent::Record(_)) && is_active_record(memory)
        });
        let used = used.count().min(active);
        let named = all.iter().filter_map(|(memory, counts)| {
            let item = known.item(memory).filter(|_| is_active(memory))?;
            Some(MostUsed {
                id: memory.short().into_owned(),
                text: item.title.clone().unwrap_or_else(|| present::opening(&item.text)),
                cited: counts.cited,
                retrieved: counts.retrieved,
            })
        });
        Ok(UsageHealth {
            used,
            never_used: active - used,
            most_used: named.take(MAX_MOST_USED).collect(),
        })
    }

    /// Describes the usage.
    pub(super) fn lines(&self) -> Vec<HealthLine> {
        let whole = self.used + self.never_used;
        if whole == 0 {
            return vec![];
        }
        let neutral = |name, number: usize| {
            HealthLine::new(name, LineState::Neutral, thousands(number)).part_of(number, whole)
        };
        let mut lines = vec![
            neutral("used", self.used).mend("memory_usage"),
            neutral("never used", self.never_used),
        ];
        lines.extend(self.most_used.iter().enumerate().map(|(at, memory)| {
            let MostUsed { id, text, cited, retrieved } = memory;
            let name = if at == 0 { "used most" } else { "" };
            let text = format!("{id}  {} (cited {cited}×, retrieved {retrieved}×)", shorten(text));
            HealthLine::new(name, LineState::Neutral, text)
        }));
        lines
    }
}

/// The longest text of a memory on this screen, in characters.
const MAX_TEXT_CHARS: usize = 60;

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}
