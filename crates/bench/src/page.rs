//! The page of saved results, `docs/benchmarks.md`.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;
use crate::files;

const HEAD: &str = "\
# Benchmarks

`heirloom-bench` runs the real binary, beside peers and baselines on the same data in the same run: every command of a
table takes turns with the others, and a command that fails is an error and never a fast time. What counts is the ratio
within one run; the milliseconds are those of one machine with two cores. This page is made of what the commands printed
(`--save` keeps that in `docs/benchmarks/`, `heirloom-bench page` writes the page).

```sh
cargo build --release                                        # the measured binary, as it is released
cargo build --release -p heirloom-bench --features tantivy   # the benchmarks
target/release/heirloom-bench peers install                  # optional: the peers, from npm and PyPI
```

Without the feature `tantivy`, the rows and bars that compare with tantivy are skipped, with the reason.
";

/// The parts of the page: the file of the result, the heading, the command, and the explanation.
const PARTS: &[[&str; 4]] = &[
    [
        "start",
        "Process start",
        "start --runs 200",
        "A generated workspace of 1,000 plans with 5 agents each. `limps plan list` does less than `context resolve`: it
lists plans and merges nothing, and most of its time is its own start.

What limits us: decision records take a third (they are read whole, because any of them may be in force), the listing of
`plans/` a quarter when a plan is named by its number, YAML and markdown most of the rest.",
    ],
    [
        "workspace",
        "Ten thousand plans",
        "workspace --runs 5",
        "A generated workspace of 10,000 plans with 5 agents each. Nothing has changed since the last command, and files are
in the system's cache. `git status` looks at the same files, and so sets the scale.

What limits us: nothing is answered from an index or a cache before every file has been compared by size and date. In
`recall` that is half of the time: a quarter for listing folders with the size and date of each file, a sixth for
matching file names with the patterns of the levels; a third is ranking. The commands that look at all documents spend a
third of their time decoding what is cached of them, and a tenth listing folders; comparing the values is an eighth of
`context conflicts`, building the graph a fifth of `graph health`.",
    ],
    [
        "fold",
        "Folding the log",
        "fold --runs 8",
        "Two generated logs, one twice as long as the other, of all kinds of records by four writers. `heir stats --json`
reads and folds all of it, since there is no index, and its counts are checked against what was generated.

What limits us: two fifths go into folding (a map of all records in order of id, and the hash of each fact's words by
which equal ones are found), a quarter into reading lines as JSON, a tenth into how things stand with each item.",
    ],
    [
        "questions",
        "Recall",
        "questions LOCOMO/*.jsonl",
        "Five conversations of LoCoMo. Each file is a memory of its own, with questions whose answers are known. Its
documents become lines of a memory log and are asked for through the engine, as a user asks. Categories: 1 multi-hop,
2 temporal, 3 open, 4 single-hop, 5 adversarial. These five were in view while recall was made; expect less elsewhere.",
    ],
    [
        "similarity",
        "The static model",
        "similarity stsb-train.csv",
        "Pairs of sentences whose likeness people judged, which were not used in training. `models/README.md` has more.",
    ],
    [
        "scale",
        "Scale",
        "scale 100000 1000000",
        "Memories of about thirty words, one in twenty in a markdown file, beside bare tantivy and a bare scan of vectors
of the same data. The warm rows are `heir mcp`.

Making an index is a whole process each, in turn, and the median of three: bare tantivy reads texts, one a line; we read
JSON (a fifth), find what ties lines together, fold them and write them to SQLite (a third), and read their words for
terms and vectors (a half).",
    ],
    [
        "peers",
        "Peers",
        "peers LOCOMO/*.jsonl --only limps --only server-memory",
        "Other tools of the kind, at pinned versions, and what everybody could do. limps, server-memory and memcite find
next to nothing with a whole question: they are asked word by word, and what most words find comes first. That merging
is ours, and it flatters them. basic-memory is asked by full text: its other search needs a model that it downloads.

The times are of servers that keep running, after fifty questions that are not counted, until an answer has arrived. A
peer and heir are asked in ten turns, some of the questions each, so that what slows the machine down slows both. What
limits us among 10,000 memories: a third is ranking, a seventh looking up what is answered, a twelfth seeing whether a
file has changed; the rest is JSON and the protocol.",
    ],
    [
        "peers-slow",
        "Peers that are slow to load",
        "peers --only basic-memory --only memcite",
        "The other two, asked for times alone.",
    ],
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
}

/// Writes the page of all results in a folder.
pub(crate) fn write(results: &Path, page: &Path) -> Result<(), Failure> {
    fs::write(page, render(results)?).map_err(Failure::io("writing", page))
}

/// Renders the page of all results in a folder; parts without a result are left out.
fn render(results: &Path) -> Result<String, Failure> {
    let mut page = HEAD.to_owned();
    for [file, heading, command, about] in PARTS {
        let path = results.join(format!("{file}.json"));
        let Ok(saved) = fs::read_to_string(&path) else { continue };
        let saved: SavedResult = serde_json::from_str(&saved)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        let table: Vec<&str> = saved.table.trim().lines().map(str::trim_end).collect();
        page.push_str(&format!(
            "\n## {heading}\n\n`heirloom-bench {command}`\n\n{about}\n\n```text\n{}\n```\n",
            table.join("\n")
        ));
    }
    Ok(page)
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
