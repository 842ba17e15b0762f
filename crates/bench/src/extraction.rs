//! The `extraction` measurement: whether the instructions and preferences of chats are proposed as memories.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::PathBuf;

use heirloom_core::transcript;
use heirloom_core::transcript::extraction::{self, Proposal, ProposalKind};
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::recall::dataset::{Dataset, Document};
use crate::report::{Bar, Report, write_bars};

/// The least share of questions about instructions of which a gold message is proposed.
const MIN_INSTRUCTIONS: f64 = 0.95;

/// The same for questions about preferences.
const MIN_PREFERENCES: f64 = 0.80;

/// The most proposed instructions and preferences of a chat.
const MAX_STANDING_PER_CHAT: f64 = 15.0;

/// The categories of questions that are measured, with the share that is required.
const CATEGORIES: [(&str, f64); 2] =
    [("instruction_following", MIN_INSTRUCTIONS), ("preference_following", MIN_PREFERENCES)];

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct ExtractionReport {
    chats: Vec<Chat>,
    /// By category, the number of questions and of those of which a gold message is proposed.
    categories: BTreeMap<String, (usize, usize)>,
    /// The messages of questions that were missed: the file, the id and the text.
    missed: Vec<(String, String, String)>,
    bars: Vec<Bar>,
}

/// The proposals of a chat.
#[derive(Serialize)]
struct Chat {
    file: String,
    messages: usize,
    standing: usize,
    proposals: Vec<ShownProposal>,
}

/// A proposal.
#[derive(Serialize)]
struct ShownProposal {
    doc: String,
    kind: ProposalKind,
    confidence: f64,
    reason: String,
    text: String,
    /// Whether its message answers a question about an instruction or a preference.
    is_gold: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
}

/// Extracts proposals from files of the format of `questions`; each is one chat.
pub(crate) fn measure(files: &[PathBuf]) -> Result<ExtractionReport, Failure> {
    let mut datasets = Vec::new();
    for file in files {
        datasets.push((file.display().to_string(), Dataset::read(file)?));
    }
    Ok(measure_datasets(&datasets))
}

fn measure_datasets(datasets: &[(String, Dataset)]) -> ExtractionReport {
    let (mut chats, mut missed) = (vec![], vec![]);
    let mut categories: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (file, dataset) in datasets {
        let proposals = propose(file, &dataset.documents);
        let doc_of = |proposal: &Proposal| dataset.documents[proposal.line - 1].doc.clone();
        let standing = proposals.iter().filter(|proposal| proposal.kind.is_standing());
        let held: HashSet<String> = standing.clone().map(doc_of).collect();
        let mut gold: HashSet<&str> = HashSet::new();
        for question in &dataset.questions {
            let category = question.category.as_deref().unwrap_or_default();
            if !CATEGORIES.iter().any(|(name, _)| *name == category) {
                continue;
            }
            gold.extend(question.gold.iter().map(String::as_str));
            let (all, found) = categories.entry(category.to_owned()).or_default();
            *all += 1;
            if question.gold.iter().any(|doc| held.contains(doc)) {
                *found += 1;
            } else {
                let is_gold = |document: &&Document| question.gold.contains(&document.doc);
                let texts = dataset.documents.iter().filter(is_gold);
                missed.extend(texts.map(|it| (file.clone(), it.doc.clone(), it.text.clone())));
            }
        }
        let shown = |proposal: &Proposal| ShownProposal {
            doc: doc_of(proposal),
            kind: proposal.kind,
            confidence: proposal.confidence,
            reason: proposal.reason.clone(),
            text: proposal.text.clone(),
            is_gold: gold.contains(doc_of(proposal).as_str()),
            replaces: proposal.replaces.as_ref().map(|replaced| replaced.text.clone()),
        };
        chats.push(Chat {
            file: file.clone(),
            messages: dataset.documents.len(),
            standing: standing.count(),
            proposals: proposals.iter().map(shown).collect(),
        });
    }
    let bars = bars(&chats, &categories);
    ExtractionReport { chats, categories, missed, bars }
}

/// Extracts the proposals of a chat: each document is a message, and the word before its first colon is the role.
fn propose(file: &str, documents: &[Document]) -> Vec<Proposal> {
    let line = |document: &Document| {
        let (role, text) = document.text.split_once(": ").unwrap_or(("user", &document.text));
        json!({"role": role, "content": text, "timestamp": document.at}).to_string() + "\n"
    };
    let text: String = documents.iter().map(line).collect();
    extraction::extract(&transcript::parse(file, &text), 0)
}

fn bars(chats: &[Chat], categories: &BTreeMap<String, (usize, usize)>) -> Vec<Bar> {
    let mut bars = vec![];
    for (category, min) in CATEGORIES {
        if let Some((all, found)) = categories.get(category) {
            let share = *found as f64 / (*all).max(1) as f64;
            bars.push(Bar::judge(format!("{category} >= {min}"), share, share >= min));
        }
    }
    let most = chats.iter().map(|chat| chat.standing).max().unwrap_or_default();
    bars.push(Bar::at_most(
        "instructions and preferences of a chat",
        most as f64,
        MAX_STANDING_PER_CHAT,
    ));
    bars
}

impl Report for ExtractionReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for ExtractionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Chat { file, messages, standing, proposals } in &self.chats {
            let all = proposals.len();
            writeln!(
                f,
                "{file}: {messages} messages, {all} proposals, {standing} of them standing"
            )?;
            for proposal in proposals {
                let ShownProposal { doc, kind, confidence, reason, text, is_gold, replaces } =
                    proposal;
                let mark = if *is_gold { "*" } else { " " };
                writeln!(f, "{mark} {kind:<11} {confidence:.2} {doc:>4}  {text}  ({reason})")?;
                if let Some(replaced) = replaces {
                    writeln!(f, "{:>24}  instead of: {replaced}", "")?;
                }
            }
            writeln!(f)?;
        }
        for (file, doc, text) in &self.missed {
            writeln!(f, "missed {file} {doc}: {text}")?;
        }
        for (category, (all, found)) in &self.categories {
            writeln!(f, "{category}: {found} of {all}")?;
        }
        writeln!(f)?;
        write_bars(f, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::dataset::Question;

    fn chat() -> Dataset {
        let texts = [
            "user: Can you help me plan the garden?",
            "assistant: Of course. I prefer raised beds.",
            "user: Always give measurements in metres when I ask about beds.",
            "user: I prefer plants that need little water, which ones would you pick?",
        ];
        let document = |(at, text): (usize, &&str)| Document {
            doc: at.to_string(),
            group: None,
            at: None,
            text: (*text).to_owned(),
        };
        let question = |gold: &str, category: &str| Question {
            gold: vec![gold.to_owned()],
            category: Some(category.to_owned()),
            ..Question::default()
        };
        Dataset {
            documents: texts.iter().enumerate().map(document).collect(),
            questions: vec![
                question("2", "instruction_following"),
                question("3", "preference_following"),
                question("0", "preference_following"),
                question("0", "temporal_reasoning"),
            ],
        }
    }

    #[test]
    fn questions_whose_message_is_proposed_are_counted() {
        let report = measure_datasets(&[("chat".to_owned(), chat())]);
        assert_eq!(report.categories["instruction_following"], (1, 1));
        assert_eq!(report.categories["preference_following"], (2, 1));
        assert_eq!(report.categories.len(), 2);
        assert_eq!(report.missed.len(), 1);
        assert_eq!(report.chats[0].standing, 2);
        assert!(report.has_failed_bar());
    }
}
