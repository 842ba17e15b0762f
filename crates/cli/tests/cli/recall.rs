//! Recall: any text is accepted as a question, and the index is kept up to date without commands.

mod index;
mod long_log;
mod questions;

use heirloom_testkit::Workspace;
use serde_json::Value;

use crate::HEIR;

fn team() -> Workspace {
    let team = Workspace::empty(HEIR);
    team.run(&["init", "--name", "shop"]).ok();
    for (section, text) in [
        ("Decisions", "The index is kept in SQLite because it must change whole or not at all"),
        ("Architecture", "parseFrontMatter in src/auth/login.ts reads the header of a document"),
        ("Constraints", "Refunds are possible for thirty days after the payment"),
    ] {
        team.run(&["fact", "add", "--section", section, text]).ok();
    }
    team
}

fn texts(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["text"].as_str().unwrap()).collect()
}

fn first(answer: &Value) -> &str {
    texts(answer).first().copied().unwrap_or_default()
}

fn ask(team: &Workspace, query: &str) -> Value {
    serde_json::from_str(&team.run(&["recall", query, "--json"]).ok()).unwrap()
}
