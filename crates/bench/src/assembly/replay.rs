//! Replays a session of work: how much of each context is the same beginning as that of the one before, which the prompt
//! cache of a provider keeps.

use std::fmt;

use heirloom_store::tokens;
use serde::Serialize;
use serde_json::json;

use super::LoadedMemory;
use crate::failure::Failure;
use crate::recall::dataset::{Dataset, Document};
use crate::report::{Bar, Report, write_bars};

/// How many calls a session has.
const CALLS: usize = 50;

/// How long after the facts were stored the session takes place.
const DAYS_UNTIL_SESSION: jiff::SignedDuration = jiff::SignedDuration::from_hours(24 * 7);

/// The share of tokens in the common beginning that is required.
const MIN_SHARED: f64 = 0.8;

/// What the session is about.
const TASK: &str = "show partial refunds in the ledger and in the invoice";

const MODULES: [&str; 14] = [
    "ledger", "refund", "invoice", "mail", "queue", "login", "session", "search", "export",
    "import", "report", "webhook", "cache", "schema",
];

const STATEMENTS: [&str; 8] = [
    "src/{m}.rs holds the {m} module, and only it writes the {m} table.",
    "The {m} module retries a failed call three times and then gives up.",
    "We decided that the {m} module uses typed results and never panics.",
    "A test of the {m} module needs a database with the schema of last week.",
    "Changes of the {m} module are reviewed by a second person.",
    "The {m} module failed in March because a timeout was given in seconds and not in milliseconds.",
    "Customers see amounts of the {m} module in their own currency.",
    "The {m} module reads its settings once, when the service starts.",
];

/// Facts about the whole project, with their sections.
const PROJECT_FACTS: [(&str, &str); 14] = [
    ("Patterns", "Every new function has a test that fails without it."),
    ("Patterns", "Run the linter and all tests before a commit."),
    ("Patterns", "Commit titles are imperative and at most 72 characters long."),
    ("Patterns", "Comments say why, and names say what."),
    ("Patterns", "Errors name the file, the line and how to mend it."),
    ("Patterns", "A review of a change to money needs two persons."),
    ("Constraints", "Amounts are integers in the smallest unit of the currency."),
    ("Constraints", "A refund never exceeds what was paid for the invoice."),
    ("Constraints", "The ledger is append-only: a refund is a new entry of the ledger."),
    ("Constraints", "Personal data must not be logged."),
    ("Decisions", "A partial refund of an invoice is shown in the ledger as a line of its own."),
    ("Decisions", "The invoice shows refunds below the total, not between its items."),
    ("Decisions", "Webhooks are retried for three days with growing delays."),
    ("Decisions", "The search index is rebuilt at night from the ledger."),
];

/// The report of a replayed session.
#[derive(Serialize)]
pub(crate) struct ReplayReport {
    calls: usize,
    /// How many calls opened another file, reported an error, or followed a new fact.
    opened: usize,
    failed: usize,
    stored: usize,
    /// The share of tokens in the common beginning of consecutive contexts.
    shared: f64,
    /// The same with lines by value.
    shared_by_value: f64,
    /// The share of the facts about the task and the open file that a context contains.
    support: f64,
    /// The same with lines by value.
    support_by_value: f64,
    /// The mean number of tokens of a context.
    tokens: f64,
    budget: usize,
    bars: Vec<Bar>,
}

impl Report for ReplayReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

/// Replays a session of 50 calls about one task in the stable order, and again with lines by value.
pub(crate) fn replay(budget: usize) -> Result<ReplayReport, Failure> {
    let stable = Replay::run(budget, "stable")?;
    let by_value = Replay::run(budget, "value")?;
    let shared = format!("tokens in the common beginning >= {MIN_SHARED}");
    let (support, other) = (stable.support(), by_value.support());
    let bars = vec![
        Bar::judge(shared, stable.shared(), stable.shared() >= MIN_SHARED),
        Bar::judge(
            "support / support with lines by value >= 1".to_owned(),
            support / other,
            support >= other,
        ),
    ];
    Ok(ReplayReport {
        calls: CALLS,
        opened: stable.opened,
        failed: stable.failed,
        stored: stable.stored,
        shared: stable.shared(),
        shared_by_value: by_value.shared(),
        support,
        support_by_value: other,
        tokens: stable.tokens as f64 / CALLS as f64,
        budget,
        bars,
    })
}

/// A session of 50 calls about one task. Some calls open another file, report an error or follow a new fact.
#[derive(Default)]
struct Replay {
    opened: usize,
    failed: usize,
    stored: usize,
    /// The file that is open, and the error that was seen last.
    module: &'static str,
    error: Option<String>,
    /// Facts that were stored during the session.
    new_facts: Vec<String>,
    /// The tokens of all contexts; of all but the first; and of these, those in the beginning of the one before.
    tokens: usize,
    compared_tokens: usize,
    shared_tokens: usize,
    /// The sum of the shares of what is needed that each context contains.
    supports: f64,
}

impl Replay {
    fn run(budget: usize, order: &str) -> Result<Self, Failure> {
        let mut memory = LoadedMemory::new(&generated())?;
        for (section, content) in PROJECT_FACTS {
            let fact = json!({"content": content, "section": section});
            memory.run(memory.now, "memory_store", fact)?;
        }
        memory.now += DAYS_UNTIL_SESSION;
        let mut replay = Replay { module: "ledger", ..Replay::default() };
        let mut before: Option<String> = None;
        for call in 0..CALLS {
            replay.next_event(call, &mut memory)?;
            let errors: Vec<&String> = replay.error.iter().collect();
            let file = format!("src/{}.rs", replay.module);
            let request = json!({"task": TASK, "files": [file], "errors": errors, "budget": budget, "order": order});
            let answer = memory.run(memory.now, "context_assemble", request)?;
            let context = answer["context"].as_str().unwrap_or_default().to_owned();
            replay.measure(before.as_deref(), &context);
            before = Some(context);
        }
        Ok(replay)
    }

    /// Opens another file, reports an error, stores a fact, or does nothing.
    fn next_event(&mut self, call: usize, memory: &mut LoadedMemory) -> Result<(), Failure> {
        let module = MODULES[call % MODULES.len()];
        match call % 6 {
            1 | 4 if self.opened < 14 => {
                self.module = module;
                self.opened += 1;
            }
            2 if self.stored < 8 => {
                let text = format!("The refund of a {module} entry takes {call} steps.");
                memory.now += jiff::SignedDuration::from_secs(60);
                let fact = json!({"content": text, "section": "Specs"});
                memory.run(memory.now, "memory_store", fact)?;
                self.new_facts.push(text);
                self.stored += 1;
            }
            5 if self.failed < 6 => {
                self.error = Some(format!("error: {module} timed out after {call} ms"));
                self.failed += 1;
            }
            0 => self.error = None,
            _ => {}
        }
        Ok(())
    }

    /// Compares a context with the one before, and with what the call needs: the facts about the task, and what is known
    /// about the open file.
    fn measure(&mut self, before: Option<&str>, context: &str) {
        let count = tokens::count(context);
        self.tokens += count;
        if let Some(before) = before {
            self.shared_tokens += tokens::count(common_beginning(before, context)).min(count);
            self.compared_tokens += count;
        }
        let about_task = PROJECT_FACTS.iter().map(|(_, fact)| (*fact).to_owned());
        let about_task = about_task.chain(self.new_facts.iter().cloned());
        let about_file = STATEMENTS[0].replace("{m}", self.module);
        let needed = about_task.filter(|fact| fact.contains("refund")).chain([about_file]);
        let contained: Vec<bool> = needed.map(|fact| context.contains(&fact)).collect();
        let found = contained.iter().filter(|is_there| **is_there).count();
        self.supports += found as f64 / contained.len() as f64;
    }

    /// Returns the share of tokens in the common beginning of consecutive contexts.
    fn shared(&self) -> f64 {
        self.shared_tokens as f64 / self.compared_tokens.max(1) as f64
    }

    /// Returns the mean share of what a call needs that its context contains.
    fn support(&self) -> f64 {
        self.supports / CALLS as f64
    }
}

/// Returns the common beginning of two texts.
fn common_beginning<'t>(a: &str, b: &'t str) -> &'t str {
    let common = a.char_indices().zip(b.char_indices()).take_while(|(a, b)| a == b);
    let end = common.last().map_or(0, |(_, (at, c))| at + c.len_utf8());
    &b[..end]
}

/// Returns a memory with some statements about each module.
fn generated() -> Dataset {
    let statements = MODULES.iter().flat_map(|module| {
        STATEMENTS.iter().map(move |statement| statement.replace("{m}", module))
    });
    let documents = statements.enumerate().map(|(number, text)| Document {
        doc: format!("s{number}"),
        group: None,
        at: Some("2026-01-05".to_owned()),
        text,
    });
    Dataset { documents: documents.collect(), questions: vec![] }
}

impl fmt::Display for ReplayReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} calls with {:.0} tokens each, budget {}: {} opened another file, {} reported an error, {} followed a new fact",
            self.calls, self.tokens, self.budget, self.opened, self.failed, self.stored
        )?;
        writeln!(
            out,
            "tokens in the common beginning of consecutive contexts: {:.3}, with lines by value {:.3}",
            self.shared, self.shared_by_value
        )?;
        writeln!(
            out,
            "support, the share of the facts about the task and the open file: {:.3}, with lines by value {:.3}",
            self.support, self.support_by_value
        )?;
        write_bars(out, &self.bars)
    }
}
