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

/// Replays a session of 50 calls about one task. Some calls open another file, report an error or follow a new fact.
pub(crate) fn replay(budget: usize) -> Result<ReplayReport, Failure> {
    let mut memory = LoadedMemory::new(&generated())?;
    for (section, content) in PROJECT_FACTS {
        let fact = json!({"content": content, "section": section});
        memory.run(memory.now, "memory_store", fact)?;
    }
    memory.now += DAYS_UNTIL_SESSION;
    let (mut file, mut error) = ("src/ledger.rs".to_owned(), None);
    let mut report = ReplayReport {
        calls: CALLS,
        opened: 0,
        failed: 0,
        stored: 0,
        shared: 0.0,
        tokens: 0.0,
        budget,
        bars: vec![],
    };
    let (mut shared, mut all) = (0, 0);
    let mut before: Option<String> = None;
    for call in 0..CALLS {
        let module = MODULES[call % MODULES.len()];
        match call % 6 {
            1 | 4 if report.opened < 14 => {
                file = format!("src/{module}.rs");
                report.opened += 1;
            }
            2 if report.stored < 8 => {
                let text = format!("The refund of a {module} entry takes {call} steps.");
                memory.now += jiff::SignedDuration::from_secs(60);
                let fact = json!({"content": text, "section": "Specs"});
                memory.run(memory.now, "memory_store", fact)?;
                report.stored += 1;
            }
            5 if report.failed < 6 => {
                error = Some(format!("error: {module} timed out after {call} ms"));
                report.failed += 1;
            }
            0 => error = None,
            _ => {}
        }
        let errors: Vec<&String> = error.iter().collect();
        let request = json!({"task": "show partial refunds in the ledger and in the invoice", "files": [file], "errors": errors, "budget": budget});
        let answer = memory.run(memory.now, "context_assemble", request)?;
        let context = answer["context"].as_str().unwrap_or_default().to_owned();
        let count = tokens::count(&context);
        report.tokens += count as f64 / CALLS as f64;
        if let Some(before) = &before {
            shared += tokens::count(common_beginning(before, &context)).min(count);
            all += count;
        }
        before = Some(context);
    }
    report.shared = shared as f64 / all.max(1) as f64;
    let name = format!("tokens in the common beginning >= {MIN_SHARED}");
    report.bars = vec![Bar::judge(name, report.shared, report.shared >= MIN_SHARED)];
    Ok(report)
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
            "tokens in the common beginning of consecutive contexts: {:.3}",
            self.shared
        )?;
        write_bars(out, &self.bars)
    }
}
