//! When the lines of memory documents were introduced, remembered between runs.
//!
//! `git blame` walks a file's history, so its answer is cached by the hash of the committed content:
//! as long as that is the same, so are the dates of its lines. The file is a cache: lines of it that
//! are damaged are skipped, and all of it where a shallow clone ends elsewhere now.

use std::collections::{BTreeMap, HashMap};

use heirloom_core::day;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::Root;
use crate::files::MAX_CACHE_BYTES;
use crate::git::{self, CommittedLine, Repository};
use crate::history::fingerprint;

/// The file, in the folder of derived files.
const FILE: &str = "line-dates";

/// Of more files than this, only those that are asked for stay in the cache.
const CACHED_FILES_MAX: usize = 100_000;

/// What the history says of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineDate {
    /// The day of the commit that introduced it.
    Committed(Date),
    /// The history of a shallow clone ends before one can tell.
    BeyondShallow,
    /// The checked-out commit has no such line.
    NotCommitted,
}

/// When the lines of a committed file were introduced, by a hash of their text; `None` beyond the
/// end of a shallow clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineDates(HashMap<u64, Option<Date>>);

impl LineDates {
    /// Returns what the history says of a line, given without its line break.
    pub fn of(&self, line: &str) -> LineDate {
        match self.0.get(&hash(line)) {
            Some(Some(date)) => LineDate::Committed(*date),
            Some(None) => LineDate::BeyondShallow,
            None => LineDate::NotCommitted,
        }
    }

    /// A line that is there twice has the earlier date.
    fn of_lines(lines: &[CommittedLine]) -> Self {
        let mut dates: HashMap<u64, Option<Date>> = HashMap::new();
        for (line, seconds) in lines.iter().filter(|(line, _)| may_begin_entry(line)) {
            let moment = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
            let date = moment.map(day::of);
            dates.entry(hash(line)).and_modify(|own| *own = date.min(*own)).or_insert(date);
        }
        LineDates(dates)
    }

    /// Writes it as `day=hash,hash day=hash`, with `?` for a day that is not known.
    fn written(&self) -> String {
        let mut by_day: BTreeMap<Option<i32>, Vec<String>> = BTreeMap::new();
        for (hash, date) in &self.0 {
            by_day.entry(date.map(day::number)).or_default().push(format!("{hash:016x}"));
        }
        let parts = by_day.into_iter().map(|(day, mut hashes)| {
            hashes.sort();
            let day = day.map_or_else(|| "?".to_owned(), |day| day.to_string());
            format!("{day}={}", hashes.join(","))
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    fn read(text: &str) -> Option<Self> {
        let mut dates = HashMap::new();
        for part in text.split(' ').filter(|part| !part.is_empty()) {
            let (day, hashes) = part.split_once('=')?;
            let date = match day {
                "?" => None,
                number => Some(day::of_number(number.parse().ok()?)?),
            };
            for hash in hashes.split(',') {
                dates.insert(u64::from_str_radix(hash, 16).ok()?, date);
            }
        }
        Some(LineDates(dates))
    }
}

/// Returns whether a line may be the first one of an entry: a bullet, a table row or a heading.
fn may_begin_entry(line: &str) -> bool {
    let first = line.trim_start().chars().next();
    first.is_some_and(|c| c.is_ascii_digit() || "-*+|#".contains(c))
}

fn hash(line: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(line.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// The dates of a file's lines, for one committed content of it.
struct Cached {
    blob: String,
    dates: LineDates,
}

/// Returns the dates of the lines of each of these files. A file that no commit has, and one of a
/// history that cannot be read, has none.
pub fn of_files(root: &Root, paths: &[&str]) -> HashMap<String, LineDates> {
    let none = || paths.iter().map(|path| ((*path).to_owned(), LineDates::default())).collect();
    let Some(repository) = root.repository().filter(|own| !own.is_unborn() && !paths.is_empty())
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
            let dates = LineDates::of_lines(&lines);
            cache.insert((*path).to_owned(), Cached { blob: blob.clone(), dates });
            is_changed = true;
        }
    }
    if cache.len() > CACHED_FILES_MAX {
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

/// The first line names the shallow ends; the others are the blob, the path and the dates, with tabs
/// between them.
fn load(root: &Root, repository: &Repository) -> HashMap<String, Cached> {
    let cache = root.existing_cache();
    let text = cache.and_then(|cache| cache.read_text(FILE, MAX_CACHE_BYTES).ok());
    let text = text.unwrap_or_default();
    let mut lines = text.lines();
    if lines.next() != Some(&fingerprint(&repository.shallow_ends())) {
        return HashMap::new();
    }
    let read = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let (blob, path) = (parts.next()?, parts.next()?);
        let dates = LineDates::read(parts.next()?)?;
        Some((path.to_owned(), Cached { blob: blob.to_owned(), dates }))
    };
    lines.filter_map(read).collect()
}

fn save(root: &Root, repository: &Repository, cache: &HashMap<String, Cached>) {
    let mut text = format!("{}\n", fingerprint(&repository.shallow_ends()));
    let mut files: Vec<_> = cache.iter().filter(|(path, _)| !path.contains(['\n', '\t'])).collect();
    files.sort_by_key(|(path, _)| *path);
    for (path, cached) in files {
        text.push_str(&format!("{}\t{path}\t{}\n", cached.blob, cached.dates.written()));
    }
    // A cache that cannot be written is no failure: the next run asks git again.
    drop(root.cache("").and_then(|cache| cache.replace(FILE, &text)));
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn dates_read_back_and_damage_is_noticed() {
        let dates = LineDates(HashMap::from([
            (hash("- a"), Some(date(2026, 2, 20))),
            (hash("- b"), Some(date(2026, 2, 20))),
            (hash("- old"), None),
        ]));
        assert_eq!(LineDates::read(&dates.written()), Some(dates.clone()));
        assert_eq!(dates.of("- a"), LineDate::Committed(date(2026, 2, 20)));
        assert_eq!(dates.of("- old"), LineDate::BeyondShallow);
        assert_eq!(dates.of("- new"), LineDate::NotCommitted);
        for damaged in ["20504", "x=00", "20504=zz", "20504="] {
            assert_eq!(LineDates::read(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn a_line_that_is_there_twice_has_the_earlier_date() {
        let lines = [
            ("- a".to_owned(), Some(200_000_000)),
            ("- a".to_owned(), Some(100_000_000)),
            ("- b".to_owned(), Some(100_000_000)),
            ("- b".to_owned(), None),
            ("prose".to_owned(), Some(100_000_000)),
        ];
        let dates = LineDates::of_lines(&lines);
        assert_eq!(dates.of("- a"), LineDate::Committed(date(1973, 3, 3)));
        assert_eq!(dates.of("- b"), LineDate::BeyondShallow);
        assert_eq!(dates.of("prose"), LineDate::NotCommitted);
    }
}
