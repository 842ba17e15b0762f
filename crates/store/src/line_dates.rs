//! A cache of the dates at which the lines of memory documents were committed.
//!
//! `git blame` reads the history of a file, so its result is cached by the blob hash of the committed
//! file. Damaged lines of the cache are skipped; the whole cache is ignored when the boundaries of a
//! shallow clone have changed.

use std::collections::{BTreeMap, HashMap};

use heirloom_core::day;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::Root;
use crate::files::MAX_CACHE_BYTES;
use crate::git::{self, CommittedLine, Repository};
use crate::history::short_hash;

/// The file name in the cache folder.
const FILE: &str = "line-dates";

/// With more files than this, the cache keeps only the requested files.
const MAX_CACHED_FILES: usize = 100_000;

/// When a line was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineDate {
    /// The day of the commit that introduced it.
    Committed(Date),
    /// The commit lies beyond the end of a shallow clone's history.
    BeyondShallow,
    /// The checked-out commit does not contain the line.
    NotCommitted,
}

/// The dates of the lines of a committed file, by a hash of their text; `None` for a commit beyond
/// the end of a shallow clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineDates(HashMap<u64, Option<Date>>);

impl LineDates {
    /// Returns the date of a line, given without its line break.
    pub fn date_of(&self, line: &str) -> LineDate {
        match self.0.get(&hash(line)) {
            Some(Some(date)) => LineDate::Committed(*date),
            Some(None) => LineDate::BeyondShallow,
            None => LineDate::NotCommitted,
        }
    }

    /// Collects the dates of lines that may begin an entry. A repeated line has its earliest date.
    fn from_lines(lines: &[CommittedLine]) -> Self {
        let mut dates: HashMap<u64, Option<Date>> = HashMap::new();
        for (line, seconds) in lines.iter().filter(|(line, _)| may_begin_entry(line)) {
            let timestamp = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
            let date = timestamp.map(day::of_timestamp);
            dates.entry(hash(line)).and_modify(|known| *known = date.min(*known)).or_insert(date);
        }
        LineDates(dates)
    }

    /// Serialises the dates as `day=hash,hash day=hash`, with `?` for an unknown day.
    fn serialize(&self) -> String {
        let mut by_day: BTreeMap<Option<i32>, Vec<String>> = BTreeMap::new();
        for (hash, date) in &self.0 {
            by_day.entry(date.map(day::to_number)).or_default().push(format!("{hash:016x}"));
        }
        let parts = by_day.into_iter().map(|(day, mut hashes)| {
            hashes.sort();
            let day = day.map_or_else(|| "?".to_owned(), |day| day.to_string());
            format!("{day}={}", hashes.join(","))
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut dates = HashMap::new();
        for part in text.split(' ').filter(|part| !part.is_empty()) {
            let (day, hashes) = part.split_once('=')?;
            let date = match day {
                "?" => None,
                number => Some(day::from_number(number.parse().ok()?)?),
            };
            for hash in hashes.split(',') {
                dates.insert(u64::from_str_radix(hash, 16).ok()?, date);
            }
        }
        Some(LineDates(dates))
    }
}

/// Returns whether a line may begin an entry: a bullet, a table row or a heading.
fn may_begin_entry(line: &str) -> bool {
    let first = line.trim_start().chars().next();
    first.is_some_and(|c| c.is_ascii_digit() || "-*+|#".contains(c))
}

fn hash(line: &str) -> u64 {
    let mut prefix = [0; 8];
    prefix.copy_from_slice(&blake3::hash(line.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(prefix)
}

/// The line dates of one committed version of a file.
struct CachedFile {
    blob: String,
    dates: LineDates,
}

/// Returns the line dates of each file. They are empty for a file that is not committed and if the
/// history cannot be read.
pub fn of_files(root: &Root, paths: &[&str]) -> HashMap<String, LineDates> {
    let none = || paths.iter().map(|path| ((*path).to_owned(), LineDates::default())).collect();
    let Some(repository) =
        root.repository().filter(|repository| !repository.is_unborn() && !paths.is_empty())
    else {
        return none();
    };
    let Ok(blobs) = git::committed_blobs(root, paths) else { return none() };
    let mut cache = load(root, repository);
    let is_cached = |path: &str| match (blobs.get(path), cache.get(path)) {
        (Some(blob), Some(cached)) => *blob == cached.blob,
        (blob, _) => blob.is_none(),
    };
    let missing: Vec<&str> = paths.iter().copied().filter(|path| !is_cached(path)).collect();
    let lines = git::committed_lines(root, &missing);
    let mut is_changed = false;
    for (path, lines) in missing.iter().zip(lines) {
        if let (Some(lines), Some(blob)) = (lines, blobs.get(*path)) {
            let dates = LineDates::from_lines(&lines);
            cache.insert((*path).to_owned(), CachedFile { blob: blob.clone(), dates });
            is_changed = true;
        }
    }
    if cache.len() > MAX_CACHED_FILES {
        cache.retain(|path, _| blobs.contains_key(path));
    }
    if is_changed {
        save(root, repository, &cache);
    }
    let dates = |path: &str| {
        let cached = cache.get(path).filter(|cached| blobs.get(path) == Some(&cached.blob));
        cached.map(|cached| cached.dates.clone()).unwrap_or_default()
    };
    paths.iter().map(|path| ((*path).to_owned(), dates(path))).collect()
}

/// Reads the cache. The first line is a hash of the shallow boundaries; the others are the blob hash,
/// the path and the dates, separated by tabs.
fn load(root: &Root, repository: &Repository) -> HashMap<String, CachedFile> {
    let cache = root.existing_cache();
    let text = cache.and_then(|cache| cache.read_text(FILE, MAX_CACHE_BYTES).ok());
    let text = text.unwrap_or_default();
    let mut lines = text.lines();
    if lines.next() != Some(&short_hash(&repository.shallow_boundaries())) {
        return HashMap::new();
    }
    let parse = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let (blob, path) = (parts.next()?, parts.next()?);
        let dates = LineDates::parse(parts.next()?)?;
        Some((path.to_owned(), CachedFile { blob: blob.to_owned(), dates }))
    };
    lines.filter_map(parse).collect()
}

fn save(root: &Root, repository: &Repository, cache: &HashMap<String, CachedFile>) {
    let mut text = format!("{}\n", short_hash(&repository.shallow_boundaries()));
    let mut files: Vec<_> = cache.iter().filter(|(path, _)| !path.contains(['\n', '\t'])).collect();
    files.sort_by_key(|(path, _)| *path);
    for (path, cached) in files {
        text.push_str(&format!("{}\t{path}\t{}\n", cached.blob, cached.dates.serialize()));
    }
    // Best effort: without the cache, the next run asks git again.
    drop(root.open_cache("").and_then(|folder| folder.replace(FILE, &text)));
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn dates_round_trip_and_damaged_text_is_rejected() {
        let dates = LineDates(HashMap::from([
            (hash("- a"), Some(date(2026, 2, 20))),
            (hash("- b"), Some(date(2026, 2, 20))),
            (hash("- old"), None),
        ]));
        assert_eq!(LineDates::parse(&dates.serialize()), Some(dates.clone()));
        assert_eq!(dates.date_of("- a"), LineDate::Committed(date(2026, 2, 20)));
        assert_eq!(dates.date_of("- old"), LineDate::BeyondShallow);
        assert_eq!(dates.date_of("- new"), LineDate::NotCommitted);
        for damaged in ["20504", "x=00", "20504=zz", "20504="] {
            assert_eq!(LineDates::parse(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn a_repeated_line_has_its_earliest_date() {
        let lines = [
            ("- a".to_owned(), Some(200_000_000)),
            ("- a".to_owned(), Some(100_000_000)),
            ("- b".to_owned(), Some(100_000_000)),
            ("- b".to_owned(), None),
            ("prose".to_owned(), Some(100_000_000)),
        ];
        let dates = LineDates::from_lines(&lines);
        assert_eq!(dates.date_of("- a"), LineDate::Committed(date(1973, 3, 3)));
        assert_eq!(dates.date_of("- b"), LineDate::BeyondShallow);
        assert_eq!(dates.date_of("prose"), LineDate::NotCommitted);
    }
}
