//! How well each category of questions is answered, beside baselines.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use super::baselines::{bm25, fusion, static_vectors};
use super::heir::Heir;
use super::memory_system::{MemorySystem, measure};
use crate::failure::Failure;
use crate::report::Report;

/// How many hits come before the standing instructions in an answer of heir.
const HITS_BEFORE_INSTRUCTIONS: usize = 7;

/// The depth at which systems are compared.
const COMPARED_DEPTH: usize = 10;

/// How far heir may be behind a baseline in a category.
const MAX_DEFICIT: f64 = 0.05;

/// The name of a baseline, and how to create it.
type Baseline = (&'static str, fn() -> Result<Box<dyn MemorySystem>, Failure>);

const BASELINES: [Baseline; 3] =
    [("BM25", bm25), ("vectors", static_vectors), ("rank fusion", fusion)];

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct CategoriesReport {
    /// Recall in each category, heir first.
    systems: Vec<SystemRecall>,
    /// How far heir is behind the best baseline in the category in which it is worst; negative if it is ahead.
    deficit: f64,
}

#[derive(Serialize)]
struct SystemRecall {
    name: &'static str,
    by_category: BTreeMap<String, f64>,
}

impl Report for CategoriesReport {}

/// Measures heir, with hits and standing instructions together, and the baselines.
pub(crate) fn measure_categories(files: &[PathBuf]) -> Result<CategoriesReport, Failure> {
    let heir = || {
        let heir = Heir::new()?.with_instructions(Some(HITS_BEFORE_INSTRUCTIONS));
        Ok(Box::new(heir) as Box<dyn MemorySystem>)
    };
    let mut systems = vec![measure_system("heir", files, heir)?];
    for (name, create) in BASELINES {
        systems.push(measure_system(name, files, create)?);
    }
    let deficit = greatest_deficit(&systems);
    Ok(CategoriesReport { systems, deficit })
}

fn measure_system(
    name: &'static str,
    files: &[PathBuf],
    create: impl FnMut() -> Result<Box<dyn MemorySystem>, Failure>,
) -> Result<SystemRecall, Failure> {
    eprintln!("asking {name}");
    let by_category = measure(files, create)?.by_category.into_iter();
    let recall =
        by_category.map(|(category, measures)| (category, measures.recall[&COMPARED_DEPTH]));
    Ok(SystemRecall { name, by_category: recall.collect() })
}

/// Returns how far the first system is behind another one in any category; negative if it is ahead in all.
fn greatest_deficit(systems: &[SystemRecall]) -> f64 {
    let Some((first, others)) = systems.split_first() else { return 0.0 };
    let deficits = others.iter().flat_map(|other| {
        let categories = other.by_category.iter();
        categories.map(|(name, recall)| recall - first.by_category.get(name).unwrap_or(&0.0))
    });
    deficits.fold(f64::NEG_INFINITY, f64::max)
}

impl fmt::Display for CategoriesReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "recall at {COMPARED_DEPTH}; heir: {HITS_BEFORE_INSTRUCTIONS} hits and up to 3 standing instructions"
        )?;
        write!(out, "{:<26}", "")?;
        self.systems.iter().try_for_each(|system| write!(out, "{:>13}", system.name))?;
        writeln!(out)?;
        for category in self.systems[0].by_category.keys() {
            write!(out, "{category:<26}")?;
            for system in &self.systems {
                let recall = system.by_category.get(category).copied().unwrap_or_default();
                write!(out, "{recall:>13.4}")?;
            }
            writeln!(out)?;
        }
        let verdict = if self.deficit <= MAX_DEFICIT { "allowed" } else { "too far" };
        let deficit = self.deficit;
        writeln!(out, "behind a baseline by at most: {deficit:.4} ({verdict})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_deficit_of_any_category_counts() {
        let system = |name, recalls: [f64; 2]| SystemRecall {
            name,
            by_category: [("a".to_owned(), recalls[0]), ("b".to_owned(), recalls[1])].into(),
        };
        let systems =
            [system("heir", [0.5, 0.5]), system("x", [0.4, 0.75]), system("y", [0.1, 0.6])];
        assert_eq!(greatest_deficit(&systems), 0.25);
        assert_eq!(greatest_deficit(&systems[..1]), f64::NEG_INFINITY);
    }
}
