//! The `citations` measurement: how many memories of sessions are judged right as used or not used.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;

use heirloom_core::citation::{AgentWork, CitationContext, InjectedText, Verdict, judge};
use heirloom_core::recall::terms;
use heirloom_core::transcript::{self, Role};
use heirloom_embed::builtin;
use serde::Serialize;

use crate::failure::Failure;
use crate::report::{Bar, Report, write_bars};

/// The least share that has to be judged right.
const MIN_RIGHT: f64 = 0.85;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct CitationsReport {
    sessions: usize,
    memories: usize,
    /// The share of memories that are judged right.
    right: f64,
    /// The share of the memories judged as used that were used.
    precision: f64,
    /// The share of the used memories that are judged so.
    recall: f64,
    wrong: Vec<WrongVerdict>,
    bars: Vec<Bar>,
}

/// A memory that is judged wrong.
#[derive(Serialize)]
struct WrongVerdict {
    file: String,
    text: String,
    used: bool,
    likelihood: f64,
    evidence: Vec<String>,
}

/// A conversation with the memories that were injected at its beginning.
struct JudgedSession<'s> {
    task: &'s str,
    /// The memories, and whether the agent used them.
    memories: Vec<(&'s str, bool)>,
    transcript: &'s str,
}

impl<'s> JudgedSession<'s> {
    /// Parses a file: `task: TEXT`, a line `+ TEXT` for each memory that was used and `- TEXT` for each other one, a
    /// line `---`, and the transcript.
    fn parse(text: &'s str) -> Option<Self> {
        let (head, transcript) = text.split_once("\n---\n")?;
        let mut lines = head.lines();
        let task = lines.next()?.strip_prefix("task: ")?;
        let memory = |line: &'s str| {
            let used = line.strip_prefix("+ ").map(|text| (text, true));
            used.or_else(|| line.strip_prefix("- ").map(|text| (text, false)))
        };
        let memories: Option<Vec<(&str, bool)>> = lines.map(memory).collect();
        Some(JudgedSession { task, memories: memories?, transcript })
    }

    fn judge(&self) -> Result<Vec<Verdict>, Failure> {
        let transcript = transcript::parse("session", self.transcript);
        let ids: Vec<String> = (0..self.memories.len()).map(|it| format!("aaaa{it:04}")).collect();
        let memories = self.memories.iter().zip(&ids).map(|((text, _), id)| InjectedText {
            ids: vec![id],
            text,
            first_line: 0,
        });
        let memories: Vec<InjectedText<'_>> = memories.collect();
        let users = transcript.turns.iter().filter(|turn| turn.role == Role::User);
        let asked: Vec<&str> = users.map(|turn| turn.text.as_str()).chain([self.task]).collect();
        let rarities = self.rarities();
        let rarity = |term: &str| rarities.get(term).copied().unwrap_or(1.0);
        let context = CitationContext { asked: &asked, rarity: &rarity, embedder: builtin() };
        judge(&memories, &AgentWork::of_transcript(&transcript), &context)
            .map_err(|error| Failure::new(error.to_string()))
    }

    /// Returns how rare terms are among the memories.
    fn rarities(&self) -> HashMap<String, f64> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (text, _) in &self.memories {
            let distinct: HashSet<String> = terms(text).into_iter().collect();
            distinct.into_iter().for_each(|term| *counts.entry(term).or_default() += 1);
        }
        let all = (2.0 + self.memories.len() as f64).ln();
        counts
            .into_iter()
            .map(|(term, count)| (term, 1.0 - (1.0 + count as f64).ln() / all))
            .collect()
    }
}

/// Judges the memories of sessions in files.
pub(crate) fn measure(files: &[PathBuf]) -> Result<CitationsReport, Failure> {
    let mut texts = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(Failure::io("reading", file))?;
        texts.push((file.display().to_string(), text));
    }
    let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    measure_texts(&texts.collect::<Vec<_>>())
}

fn measure_texts(texts: &[(&str, &str)]) -> Result<CitationsReport, Failure> {
    let mut wrong = Vec::new();
    let (mut memories, mut used, mut cited, mut both) = (0, 0, 0, 0);
    for (name, text) in texts {
        let session = JudgedSession::parse(text).ok_or_else(|| {
            let form = "`task: TEXT`, lines `+ MEMORY` and `- MEMORY`, `---`, and a transcript";
            Failure::new(format!("{name}: expected {form}"))
        })?;
        for ((text, is_used), verdict) in session.memories.iter().zip(session.judge()?) {
            memories += 1;
            used += usize::from(*is_used);
            cited += usize::from(verdict.is_cited);
            both += usize::from(*is_used && verdict.is_cited);
            if verdict.is_cited != *is_used {
                wrong.push(WrongVerdict {
                    file: (*name).to_owned(),
                    text: (*text).to_owned(),
                    used: *is_used,
                    likelihood: verdict.likelihood,
                    evidence: verdict.evidence,
                });
            }
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let right = share(memories - wrong.len(), memories);
    let bars = vec![Bar::judge(
        format!("memories judged right >= {MIN_RIGHT}"),
        right,
        right >= MIN_RIGHT,
    )];
    let (precision, recall) = (share(both, cited), share(both, used));
    Ok(CitationsReport { sessions: texts.len(), memories, right, precision, recall, wrong, bars })
}

impl Report for CitationsReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for CitationsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} memories of {} sessions", self.memories, self.sessions)?;
        writeln!(f, "judged right {:.3}", self.right)?;
        writeln!(f, "precision    {:.3}", self.precision)?;
        writeln!(f, "recall       {:.3}", self.recall)?;
        for WrongVerdict { file, text, used, likelihood, evidence } in &self.wrong {
            let what = if *used { "missed" } else { "false" };
            writeln!(f, "{what} {likelihood:.2} {file}: {text} ({})", evidence.join(", "))?;
        }
        writeln!(f)?;
        write_bars(f, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSIONS: [(&str, &str); 8] = [
        ("refund_rounding", include_str!("citations/sessions/refund_rounding.txt")),
        ("login_rate_limit", include_str!("citations/sessions/login_rate_limit.txt")),
        ("slow_report", include_str!("citations/sessions/slow_report.txt")),
        ("cli_flag", include_str!("citations/sessions/cli_flag.txt")),
        ("timezone_bug", include_str!("citations/sessions/timezone_bug.txt")),
        ("k8s_memory", include_str!("citations/sessions/k8s_memory.txt")),
        ("docs_search", include_str!("citations/sessions/docs_search.txt")),
        ("migrate_queue", include_str!("citations/sessions/migrate_queue.txt")),
    ];

    #[test]
    fn memories_that_were_used_are_told_apart() {
        let report = measure_texts(&SESSIONS).unwrap();
        assert!(report.right >= 0.9, "{report}");
    }

    #[test]
    fn a_file_of_another_form_is_named() {
        let error = measure_texts(&[("x.txt", "+ a memory\n---\n")]).err().unwrap();
        assert!(error.to_string().starts_with("x.txt: expected `task: TEXT`"), "{error}");
    }
}
