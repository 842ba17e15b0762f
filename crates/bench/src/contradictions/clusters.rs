//! Reads written clusters of statements, of which bases are the facts and contradictions are planted.
//!
//! Statements of different clusters are assumed not to contradict each other.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::generator::{GeneratedFact, GeneratedFacts, PlantedFact, Random};
use crate::failure::Failure;

/// A base with statements that say the same, and some that contradict it.
#[derive(Debug, Deserialize)]
struct Cluster {
    base: String,
    #[serde(default)]
    paraphrases: Vec<String>,
    #[serde(default)]
    contradict: Vec<Contradicting>,
}

#[derive(Debug, Deserialize)]
struct Contradicting {
    text: String,
    kind: String,
}

/// Takes up to so many facts of files: clusters as JSON lines, or pairs with 0 or 1 separated by tabs. The first file is the
/// one with what is planted.
pub(super) fn read(
    paths: &[PathBuf],
    total: usize,
    planted: usize,
    seed: u64,
) -> Result<GeneratedFacts, Failure> {
    let mut random = Random::new(seed);
    let mut clusters = Vec::new();
    let mut of_first_file = 0;
    for path in paths {
        let text = std::fs::read_to_string(path).map_err(Failure::io("reading", path))?;
        clusters.extend(parse(&text, path)?);
        of_first_file = if of_first_file == 0 { clusters.len() } else { of_first_file };
    }
    let mut order: Vec<usize> =
        (0..of_first_file).filter(|at| !clusters[*at].contradict.is_empty()).collect();
    random.shuffle(&mut order);
    order.truncate(planted);
    let mut generated = GeneratedFacts::default();
    let mut seen: HashSet<String> = HashSet::new();
    for (number, subject) in order.into_iter().enumerate() {
        let contradicting = &clusters[subject].contradict;
        let Contradicting { text, kind } = &contradicting[number % contradicting.len()];
        let (text, difference) = (text.clone(), kind.clone());
        generated.planted.push(PlantedFact { text, subject, difference });
    }
    let wanted = total.saturating_sub(generated.planted.len());
    let bases = clusters.iter().enumerate().map(|(subject, it)| (subject, &it.base));
    let paraphrases = clusters
        .iter()
        .enumerate()
        .flat_map(|(subject, it)| it.paraphrases.iter().map(move |text| (subject, text)));
    let mut paraphrases: Vec<(usize, &String)> = paraphrases.collect();
    random.shuffle(&mut paraphrases);
    for (subject, text) in bases.chain(paraphrases) {
        if generated.facts.len() < wanted && seen.insert(text.to_lowercase()) {
            generated.facts.push(GeneratedFact { text: text.clone(), subject });
        }
    }
    Ok(generated)
}

fn parse(text: &str, path: &Path) -> Result<Vec<Cluster>, Failure> {
    let is_table = path.extension().is_some_and(|extension| extension == "tsv");
    let mut clusters = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let cluster = if is_table { of_pair(line) } else { of_json(line) };
        let failed = |reason| Failure::new(format!("{}:{}: {reason}", path.display(), index + 1));
        clusters.push(cluster.map_err(failed)?);
    }
    Ok(clusters)
}

fn of_json(line: &str) -> Result<Cluster, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn of_pair(line: &str) -> Result<Cluster, String> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [base, other, label] = fields[..] else {
        return Err(format!(
            "expected two statements and 0 or 1, but found {} fields",
            fields.len()
        ));
    };
    let (base, other) = (base.to_owned(), other.to_owned());
    match label {
        "1" => {
            let contradict = vec![Contradicting { text: other, kind: "pair".to_owned() }];
            Ok(Cluster { base, paraphrases: vec![], contradict })
        }
        _ => Ok(Cluster { base, paraphrases: vec![other], contradict: vec![] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_come_before_paraphrases_and_contradictions_of_the_first_file_are_planted() {
        let folder = tempfile::tempdir().unwrap();
        let (pairs, clusters) = (folder.path().join("p.tsv"), folder.path().join("c.jsonl"));
        std::fs::write(&pairs, "A is on\tA is off\t1\nB is on\tB is big\t0\n").unwrap();
        let cluster = r#"{"subject":"c","base":"C","paraphrases":["CC","CCC"],"contradict":[{"text":"D","kind":"number"}],"compatible":[]}"#;
        std::fs::write(&clusters, format!("{cluster}\n")).unwrap();
        let read = read(&[pairs.clone(), clusters], 5, 3, 1).unwrap();
        let planted: Vec<&str> = read.planted.iter().map(|it| it.text.as_str()).collect();
        let facts: Vec<&str> = read.facts.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(planted, ["A is off"]);
        assert_eq!((facts.len(), &facts[..3]), (4, &["A is on", "B is on", "C"][..]));
        std::fs::write(&pairs, "A\n").unwrap();
        let error = super::read(&[pairs], 5, 3, 1).unwrap_err().to_string();
        assert!(error.contains("p.tsv:1: expected two statements"), "{error}");
    }
}
