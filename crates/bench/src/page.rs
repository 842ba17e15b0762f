//! The page of saved results, `docs/benchmarks.md`.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;
use crate::files;
use crate::numbers::count;

const INTRODUCTION: &str = "\
# Benchmarks

`heirloom-bench` runs the real binary, beside peers and baselines on the same data in the same run: the commands of a
table run in turns, and a command that fails is an error, never a fast time. What counts is the ratio within one run; the
milliseconds are those of one machine with two cores.

```sh
cargo build --release                                        # the measured binary, as it is released
cargo build --release -p heirloom-bench --features tantivy   # the benchmarks
target/release/heirloom-bench peers install                  # optional: the peers, from npm and PyPI
```

Without the feature `tantivy`, the rows and bars that compare with tantivy are skipped, with the reason. Each section
names the command that was measured; `--save` keeps its result, and `heirloom-bench page` writes this page from the kept
results. `--check` makes a command exit with 1 when a bar fails.

## Bars

A bar is a limit that a measurement must keep. All of them, with the figure that was measured last:

| bar | last measured | command |
|---|---|---|
";

/// A section of the page: one measurement.
struct Section {
    /// The name of the saved result.
    file: &'static str,
    heading: &'static str,
    /// The arguments of `heirloom-bench`.
    command: &'static str,
    /// The explanation.
    about: &'static str,
}

const SECTIONS: &[Section] = &[
    Section {
        file: "start",
        heading: "Process start",
        command: "start --runs 200",
        about: "\
A generated workspace of 1,000 plans with 5 agents each. `limps plan list` does less than `context resolve`: it lists
plans and merges nothing, and most of its time is its own start.

Where the time goes: a third is reading decision records (all of them, because any may be in force), a quarter is listing
`plans/` when a plan is named by its number, and most of the rest is YAML and markdown.",
    },
    Section {
        file: "workspace",
        heading: "Ten thousand plans",
        command: "workspace --runs 5",
        about: "\
A generated workspace of 10,000 plans with 5 agents each. No file has changed since the last command, and all files are
in the system's cache. `git status` looks at the same files, so it is the unit of comparison.

Where the time goes: no answer comes from an index or a cache before every file has been compared by size and date. In
`recall` that is half of the time: a quarter is listing folders with the size and date of each file, a sixth is matching
file names with the patterns of the levels; ranking is a third. The commands that look at all documents spend a third of
their time decoding cached documents, and a tenth listing folders; comparing values is an eighth of `context conflicts`,
building the graph a fifth of `graph health`.",
    },
    Section {
        file: "fold",
        heading: "Folding the log",
        command: "fold --runs 8",
        about: "\
Two generated logs, one twice as long as the other, with all kinds of records by four writers. `heir stats --json` reads
and folds the whole log, since there is no index; its counts are checked against the generated records.

Where the time goes: two fifths are folding (a map of all records in order of id, and the hash of each fact's words, by
which equal facts are found), a quarter is parsing JSON, a tenth is computing the state of each item.",
    },
    Section {
        file: "questions",
        heading: "Recall",
        command: "questions LOCOMO/*.jsonl",
        about: "\
`LOCOMO` is a folder with five conversations of LoCoMo, converted to the format that `heirloom-bench questions --help`
describes. Each file is a memory of its own, with questions whose answers are known. Its documents become lines of a
memory log, and the questions go through the engine, as those of a user do. Categories: 1 multi-hop, 2 temporal, 3 open,
4 single-hop, 5 adversarial. Recall was developed with these five conversations, so expect less on other data.",
    },
    Section {
        file: "similarity",
        heading: "The static model",
        command: "similarity stsb-train.csv",
        about: "\
The training part of STS-B: pairs of sentences whose similarity people judged. The model was not trained with them.
[models/README.md](../models/README.md) has more.",
    },
    Section {
        file: "contradictions",
        heading: "Contradictions",
        command: "contradictions models/judge/pairs/test.tsv",
        about: "\
Lines of two statements and 1 if they contradict each other, else 0. `--rules-only` leaves out the model that reads both
statements, `--judge PATH` uses that of a file. The default threshold is the probability from which a contradiction is called
possible. The pairs of the file were written by an author, and about subjects, that no training pair has.
[models/README.md](../models/README.md) says how the rules are combined.",
    },
    Section {
        file: "planted",
        heading: "Contradictions in a memory",
        command: "contradictions planted",
        about: "\
Facts about 150 things and their parts are generated that do not contradict each other; many are on one aspect of different
things, on one thing for different circumstances, or say the same in other words. 100 others contradict one of them each: by a
number, a version, a denial, another choice, modality, a key with two values, a quantifier, or by what they imply. The scan is
that of `heir contradictions scan`. `judged` says how many of the planted facts were compared at all with one that they
contradict; the rest is lost before anything is judged. Then twenty further contradictions and twenty other facts are stored
one by one.

With `--pairs`, written statements are the facts: those of different clusters are assumed not to contradict each other, and what
is planted comes from the first file.",
    },
    Section {
        file: "planted-large",
        heading: "Contradictions in a large memory",
        command: "contradictions planted --memories 100000",
        about: "\
The same with twenty times as many facts, and as many that contradict one. Only a part of the similar pairs is judged.",
    },
    Section {
        file: "consolidation",
        heading: "Consolidation",
        command: "consolidation scale 100000",
        about: "\
Memories of thirty words, of which one in fifty repeats another one and one in twenty is small talk. A second run has nothing to
do. Another consolidation of the same memories is killed ten times and then run to its end.",
    },
    Section {
        file: "forgetting",
        heading: "Forgetting",
        command: "consolidation forgetting LOCOMO/*.jsonl BEAM/*.jsonl",
        about: "\
The conversations become memories at their dates, with a consolidation every thirty days and for six months after the last
message. Every second question is asked in the month in which its evidence is complete, and what recall finds of it is used; the
others are asked at the end. `needed` are the memories that these need, `lost` those of them that are archived. The rules were
developed with these conversations.",
    },
    Section {
        file: "duplicates",
        heading: "Duplicates",
        command: "consolidation duplicates --paraphrases mrpc-train.tsv --scored stsb-train.csv",
        about: "\
Pairs of sentences that people called paraphrases or not (MRPC), or scored from 0 to 5 (STS-B): which of them would be merged as
two facts.",
    },
    Section {
        file: "scale",
        heading: "Scale",
        command: "scale 100000 1000000",
        about: "\
Memories of thirty words, one in twenty in a markdown file, beside bare tantivy and a bare scan of vectors on the same
data. A running server is `heir mcp`; its questions are the warm recall of the bars.

Each index is built by a process of its own, in turns; the median of three counts. Bare tantivy reads texts, one a line.
heir parses JSON (a fifth of its time), finds connected components, folds them and writes them to SQLite (a third), and
extracts terms and vectors (a half).",
    },
    Section {
        file: "assemble",
        heading: "Contexts",
        command: "assemble --scale 100000",
        about: "\
The memories of the section above. A task is a question that one of them answers, so a context of 8,000 tokens is chosen
from 400 answers with all their forms. A server assembles contexts and answers questions in turns.",
    },
    Section {
        file: "replay",
        heading: "Prediction",
        command: "replay axum.git",
        about: "\
The history of axum, commit by commit: given one file of a commit, the commits before it are predicted. FF10 is the share of
its other files that the first 10 predictions touched lately, L10 the share of those with changed lines that they wrote.
`touched` are the commits that touched the given file, `recent` the latest ones, `text` a search for the path in the messages,
and `swapped` are the predictions for another file. Axum is one of the repositories that the method was fitted on.

The message of each commit is a fact in the measured workspace, so that recall has as many memories.",
    },
    Section {
        file: "peers",
        heading: "Peers",
        command: "peers LOCOMO/*.jsonl --only limps --only server-memory",
        about: "\
Other memory tools at pinned versions, and baselines. limps, server-memory and memcite find next to nothing with a whole
question: they are asked word by word, and a result that more words find ranks higher. `heirloom-bench` does this
merging, in their favour. basic-memory is asked by full-text search, since its semantic search needs a model that it
downloads.

The times are those of running servers, from the question to the arrival of the answer; the first fifty questions are
not counted. A peer and heir are asked in ten turns, so that a slow moment of the machine affects both; the last column
has the times of heir in these turns. Where the time of heir goes among 10,000 memories: a third is ranking, a seventh is
reading the records of the answers, a twelfth is checking whether a file has changed; the rest is JSON and the protocol.",
    },
    Section {
        file: "peers-slow",
        heading: "Peers that are slow to load",
        command: "peers --only basic-memory --only memcite",
        about: "The two tools that take minutes to load; only times are measured.",
    },
    Section {
        file: "answers",
        heading: "Tokens of an answer",
        command: "answers",
        about: "\
Twenty facts of a shop in each server, and ten tasks of an agent. What counts is what common clients pass to the model:
the structured content of an answer if it has one, else its text. server-memory gets the one word that finds the answer,
since it looks for the query literally.",
    },
];

/// The printed table and the data of a measurement.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedResult {
    table: String,
    data: Value,
}

impl SavedResult {
    /// Creates a result from a report.
    pub(crate) fn of(report: &(impl Serialize + Display)) -> Result<Self, serde_json::Error> {
        Ok(SavedResult { table: report.to_string(), data: serde_json::to_value(report)? })
    }

    /// Writes the result to a file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| Failure::new(error.to_string()))?;
        files::write(path, &format!("{text}\n"))
    }

    /// Reads the result of a section; `None` if there is none.
    fn read(results: &Path, section: &Section) -> Result<Option<Self>, Failure> {
        let path = results.join(format!("{}.json", section.file));
        let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
        let saved = serde_json::from_str(&text);
        saved.map_err(|error| Failure::new(format!("{}: {error}", path.display())))
    }

    /// Returns the name and the last figure of each bar.
    fn bars(&self) -> Vec<(String, String)> {
        let mut bars = Vec::new();
        let mut add = |prefix: &str, list: &Value| {
            for bar in list.as_array().into_iter().flatten() {
                let [name, verdict, detail] =
                    ["name", "verdict", "detail"].map(|key| bar[key].as_str().unwrap_or_default());
                bars.push((format!("{prefix}{name}"), format!("{detail} ({verdict})")));
            }
        };
        for size in self.data["sizes"].as_array().into_iter().flatten() {
            let memories = size["memories"].as_u64().unwrap_or_default() as usize;
            add(&format!("{} memories: ", count(memories)), &size["bars"]);
        }
        add("", &self.data["bars"]);
        bars
    }
}

/// Writes the page of all results in a folder.
pub(crate) fn write(results: &Path, page: &Path) -> Result<(), Failure> {
    fs::write(page, render(results)?).map_err(Failure::io("writing", page))
}

/// Renders the page of all results in a folder; sections without a result are left out.
fn render(results: &Path) -> Result<String, Failure> {
    let mut bars = String::new();
    let mut sections = String::new();
    for section in SECTIONS {
        let Some(saved) = SavedResult::read(results, section)? else { continue };
        let Section { file, heading, command, about } = section;
        for (name, figure) in saved.bars() {
            bars.push_str(&format!("| {name} | {figure} | `{command}` |\n"));
        }
        let table: Vec<&str> = saved.table.trim().lines().map(str::trim_end).collect();
        sections.push_str(&format!(
            "\n## {heading}\n\n```sh\nheirloom-bench {command} --save docs/benchmarks/{file}.json\n```\n\n\
             {about}\n\n```text\n{}\n```\n",
            table.join("\n")
        ));
    }
    Ok(format!("{INTRODUCTION}{bars}{sections}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date_with_the_results() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let page = fs::read_to_string(docs.join("benchmarks.md")).unwrap();
        let rendered = render(&docs.join("benchmarks")).unwrap();
        assert_eq!(page, rendered, "run `cargo run -p heirloom-bench -- page`");
    }
}
