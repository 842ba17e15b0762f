//! How often memories were retrieved, cited and ignored: the lines of the usage log and what they add up to.
//!
//! A line is a word, a time in milliseconds and names of memories: `injected 1771718400000 name:12 name:30` (with the
//! tokens of each), `retrieved`, `cited` or `ignored`. A `with` line has the path of a file first, and how often each memory
//! was used while it was open. A `times` line has a memory and when it was used, in minutes. A `counted` line holds the
//! sums of one memory, and a `moved` line names a memory whose sums so far count for another one. A `returned` line takes
//! sums of one memory, and adds them to another one. A `since` line has the time before which sums of some memories were
//! left out. So a log can be extended by appending and shortened by replacing its lines by sums, and both add up to the same.

use std::borrow::Cow;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// How many citations, and as many times being ignored, are assumed of a memory of which nothing is known.
const PRIOR: f64 = 2.0;

/// How much the value of a memory changes between one that is always ignored and one that is always cited.
const FACTOR_SPAN: f64 = 0.8;

/// How often a memory was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageCounts {
    /// How often it was part of an answer or a context.
    pub retrieved: u64,
    /// How often an agent used it after it was part of its context.
    pub cited: u64,
    /// How often an agent did not.
    pub ignored: u64,
    /// The tokens that it took in contexts.
    pub tokens: u64,
    /// When it was last retrieved or cited, in milliseconds since 1970.
    pub last_accessed: i64,
}

impl UsageCounts {
    /// Returns the share of judged contexts in which it was cited; `None` if none was judged.
    pub fn cited_share(&self) -> Option<f64> {
        let judged = self.cited + self.ignored;
        (judged > 0).then(|| self.cited as f64 / judged as f64)
    }

    /// Returns the factor on the value of the memory in a context: 1 if nothing is known, more the more often it was
    /// cited, and less the more often it was ignored. It is `0.6 + 0.8 · (cited + 2) / (cited + ignored + 4)`, so it stays
    /// between 0.6 and 1.4, and a single observation changes it little.
    pub fn value_factor(&self) -> f64 {
        let (cited, ignored) = (self.cited as f64, self.ignored as f64);
        let expected_share = (cited + PRIOR) / (cited + ignored + 2.0 * PRIOR);
        1.0 - FACTOR_SPAN / 2.0 + FACTOR_SPAN * expected_share
    }
}

/// The number of times at which a memory was used that are kept, the latest.
const MAX_TIMES: usize = 24;

/// The counts of all memories, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageFold {
    counts: FxHashMap<String, UsageCounts>,
    files: FxHashMap<String, UsedWithFile>,
    /// When memories were used, in minutes since 1970, the earliest first.
    times: FxHashMap<String, Vec<i64>>,
    /// The time before which it is not known which memories were used, in milliseconds since 1970; `None` if it has all.
    known_since: Option<i64>,
    /// The number of lines that could not be parsed.
    pub damaged_lines: usize,
}

/// The memories that were used while a file was open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct UsedWithFile {
    /// How often each was, by name.
    counts: FxHashMap<String, u64>,
    /// When one was last, in milliseconds since 1970.
    last: i64,
}

/// What happened to some memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageEvent {
    /// They were part of a context.
    Injected,
    /// They answered a question.
    Retrieved,
    /// An agent used them.
    Cited,
    /// An agent did not use them.
    Ignored,
}

impl UsageEvent {
    const ALL: [UsageEvent; 4] =
        [UsageEvent::Injected, UsageEvent::Retrieved, UsageEvent::Cited, UsageEvent::Ignored];

    fn word(self) -> &'static str {
        match self {
            UsageEvent::Injected => "injected",
            UsageEvent::Retrieved => "retrieved",
            UsageEvent::Cited => "cited",
            UsageEvent::Ignored => "ignored",
        }
    }

    /// Writes a line of the log, without its line break. Each memory has the tokens that it took.
    pub fn line<'m>(
        self,
        at_milliseconds: i64,
        memories: impl IntoIterator<Item = (&'m str, usize)>,
    ) -> String {
        let mut line = format!("{} {at_milliseconds}", self.word());
        for (name, tokens) in memories {
            let _ = match self {
                UsageEvent::Injected => write!(line, " {}:{tokens}", escape(name)),
                _ => write!(line, " {}", escape(name)),
            };
        }
        line
    }
}

/// The word of a line with the memories that were used while a file was open.
const WITH_FILE: &str = "with";

/// Writes a line that says how often memories were used while a file was open, without its line break.
pub fn used_with_line<'m>(
    at_milliseconds: i64,
    file: &str,
    memories: impl IntoIterator<Item = (&'m str, u64)>,
) -> String {
    let mut line = format!("{WITH_FILE} {at_milliseconds} {}", escape(file));
    for (name, count) in memories {
        let _ = write!(line, " {}:{count}", escape(name));
    }
    line
}

/// The word of a line with the times at which a memory was used.
const TIMES: &str = "times";

/// Writes a line that says when a memory was used, in minutes since 1970, without its line break.
pub fn times_line(at_milliseconds: i64, memory: &str, minutes: &[i64]) -> String {
    let mut line = format!("{TIMES} {at_milliseconds} {}", escape(memory));
    for minutes in minutes {
        let _ = write!(line, " {minutes}");
    }
    line
}

/// The word of a line that lets the sums of one memory count for another.
const MOVED: &str = "moved";

/// Writes a line that lets all that was counted of a memory before count for another one, without its line break.
pub fn moved_line(at_milliseconds: i64, from: &str, to: &str) -> String {
    format!("{MOVED} {at_milliseconds} {} {}", escape(from), escape(to))
}

/// The word of a line that takes sums back.
const RETURNED: &str = "returned";

/// Writes a line that lets some of what was counted of a memory count for another one again, without its line break.
pub fn returned_line(at_milliseconds: i64, from: &str, to: &str, counts: &UsageCounts) -> String {
    let UsageCounts { retrieved, cited, ignored, tokens, last_accessed } = counts;
    let (from, to) = (escape(from), escape(to));
    format!(
        "{RETURNED} {at_milliseconds} {from} {to} {retrieved} {cited} {ignored} {tokens} {last_accessed}"
    )
}

/// The word of a line with the time before which sums are missing.
const SINCE: &str = "since";

impl UsageFold {
    /// Adds up the lines of a log.
    pub fn of_log(text: &str) -> Self {
        let mut fold = UsageFold::default();
        fold.add_lines(text);
        fold
    }

    /// Adds lines that were appended to the log.
    pub fn add_lines(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.is_empty()) {
            if self.add_line(line).is_none() {
                self.damaged_lines += 1;
            }
        }
    }

    /// Returns the counts of a memory.
    pub fn counts(&self, name: &str) -> UsageCounts {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Returns all memories with their counts, in no order.
    pub fn all(&self) -> impl Iterator<Item = (&str, &UsageCounts)> {
        self.counts.iter().map(|(name, counts)| (name.as_str(), counts))
    }

    /// Returns the time before which it is not known which memories were used, in milliseconds since 1970, since the sums
    /// of some were left out; `None` if it has all.
    pub fn known_since(&self) -> Option<i64> {
        self.known_since
    }

    /// Returns whether memories were used while files were open.
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Returns the memories that were used while a file was open, with how often they were, most often first.
    pub fn used_with(&self, file: &str) -> Vec<(&str, u64)> {
        let used = self.files.get(file).into_iter().flat_map(|file| &file.counts);
        let mut used: Vec<(&str, u64)> =
            used.map(|(name, count)| (name.as_str(), *count)).collect();
        used.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        used
    }

    /// Returns when memories were used, in minutes since 1970, the earliest first; the memories are in no order.
    pub fn times(&self) -> impl Iterator<Item = (&str, &[i64])> {
        self.times.iter().map(|(name, times)| (name.as_str(), times.as_slice()))
    }

    /// Writes the sums of the memories that were accessed last, at most `limit`, of a quarter as many files, and the times
    /// of an eighth as many memories, as lines of a log.
    pub fn to_log(&self, limit: usize) -> String {
        let mut all: Vec<(&str, &UsageCounts)> = self.all().collect();
        all.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.last_accessed), *name));
        let mut text = String::new();
        let left_out = all.get(limit).map(|(_, counts)| counts.last_accessed);
        if let Some(since) = self.known_since.max(left_out) {
            let _ = writeln!(text, "{SINCE} {since}");
        }
        for (name, counts) in all.into_iter().take(limit) {
            let UsageCounts { retrieved, cited, ignored, tokens, last_accessed } = counts;
            let _ = writeln!(
                text,
                "counted {last_accessed} {} {retrieved} {cited} {ignored} {tokens}",
                escape(name)
            );
        }
        let mut files: Vec<(&String, &UsedWithFile)> = self.files.iter().collect();
        files.sort_by_key(|(path, file)| (std::cmp::Reverse(file.last), *path));
        for (path, file) in files.into_iter().take(limit.div_ceil(4)) {
            let line = used_with_line(file.last, path, self.used_with(path));
            let _ = writeln!(text, "{line}");
        }
        let mut times: Vec<(&str, &[i64])> = self.times().collect();
        times.sort_by_key(|(name, times)| (std::cmp::Reverse(times.last().copied()), *name));
        for (name, minutes) in times.into_iter().take(limit.div_ceil(8)) {
            let last = minutes.last().copied().unwrap_or_default();
            let _ = writeln!(text, "{}", times_line(last.saturating_mul(60_000), name, minutes));
        }
        text
    }

    /// Adds a line; `None` if it is damaged. A damaged line adds nothing.
    fn add_line(&mut self, line: &str) -> Option<()> {
        let mut words = line.split(' ');
        let kind = words.next()?;
        let at: i64 = words.next()?.parse().ok()?;
        if kind == "counted" {
            let name = unescape(words.next()?);
            let mut numbers = words.map(|word| word.parse::<u64>().ok());
            let mut next = || numbers.next().flatten();
            let (retrieved, cited, ignored, tokens) = (next()?, next()?, next()?, next()?);
            let sums = UsageCounts { retrieved, cited, ignored, tokens, last_accessed: at };
            self.add(&name, &sums);
            return Some(());
        }
        if kind == WITH_FILE {
            return self.add_file(at, &unescape(words.next()?), words);
        }
        if kind == TIMES {
            return self.add_times(&unescape(words.next()?), words);
        }
        if kind == MOVED {
            let (from, to) = (unescape(words.next()?), unescape(words.next()?));
            self.move_counts(&from, &to);
            return Some(());
        }
        if kind == SINCE {
            self.known_since = self.known_since.max(Some(at));
            return Some(());
        }
        if kind == RETURNED {
            let (from, to) = (unescape(words.next()?), unescape(words.next()?));
            let mut numbers = words.map(|word| word.parse::<u64>().ok());
            let mut next = || numbers.next().flatten();
            let (retrieved, cited, ignored, tokens) = (next()?, next()?, next()?, next()?);
            let last_accessed = i64::try_from(next()?).ok()?;
            let counts = UsageCounts { retrieved, cited, ignored, tokens, last_accessed };
            self.return_counts(&from, &to, &counts);
            return Some(());
        }
        let event = UsageEvent::ALL.into_iter().find(|event| event.word() == kind)?;
        let parse = |word: &'_ str| -> Option<(String, UsageCounts)> {
            let mut counts = UsageCounts { last_accessed: at, ..UsageCounts::default() };
            let name = match event {
                UsageEvent::Injected => {
                    let (name, tokens) = word.rsplit_once(':')?;
                    (counts.retrieved, counts.tokens) = (1, tokens.parse().ok()?);
                    name
                }
                UsageEvent::Retrieved => {
                    counts.retrieved = 1;
                    word
                }
                UsageEvent::Cited => {
                    counts.cited = 1;
                    word
                }
                UsageEvent::Ignored => {
                    (counts.ignored, counts.last_accessed) = (1, 0);
                    word
                }
            };
            (!name.is_empty()).then(|| (unescape(name).into_owned(), counts))
        };
        let memories: Option<Vec<(String, UsageCounts)>> = words.map(parse).collect();
        memories?.iter().for_each(|(name, counts)| self.add(name, counts));
        Some(())
    }

    fn add_file<'w>(
        &mut self,
        at: i64,
        file: &str,
        memories: impl Iterator<Item = &'w str>,
    ) -> Option<()> {
        let parse = |word: &'w str| -> Option<(Cow<'w, str>, u64)> {
            let (name, count) = word.rsplit_once(':')?;
            Some((unescape(name), count.parse().ok()?))
        };
        let memories: Option<Vec<(Cow<'_, str>, u64)>> = memories.map(parse).collect();
        let memories = memories?;
        let used = self.files.entry(file.to_owned()).or_default();
        used.last = used.last.max(at);
        for (name, count) in memories {
            let sum = used.counts.entry(name.into_owned()).or_default();
            *sum = sum.saturating_add(count);
        }
        Some(())
    }

    fn add_times<'w>(&mut self, name: &str, minutes: impl Iterator<Item = &'w str>) -> Option<()> {
        let minutes: Option<Vec<i64>> = minutes.map(|word| word.parse().ok()).collect();
        self.add_minutes(name, minutes.filter(|minutes| !minutes.is_empty())?);
        Some(())
    }

    /// Lets all that was counted of a memory count for another one.
    fn move_counts(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        if let Some(counts) = self.counts.remove(from) {
            self.add(to, &counts);
        }
        for file in self.files.values_mut() {
            if let Some(count) = file.counts.remove(from) {
                let sum = file.counts.entry(to.to_owned()).or_default();
                *sum = sum.saturating_add(count);
            }
        }
        if let Some(minutes) = self.times.remove(from) {
            self.add_minutes(to, minutes);
        }
    }

    /// Takes what was counted of a memory for another one before, and lets it count for that one.
    fn return_counts(&mut self, from: &str, to: &str, counts: &UsageCounts) {
        if let Some(holder) = self.counts.get_mut(from).filter(|_| from != to) {
            holder.retrieved = holder.retrieved.saturating_sub(counts.retrieved);
            holder.cited = holder.cited.saturating_sub(counts.cited);
            holder.ignored = holder.ignored.saturating_sub(counts.ignored);
            holder.tokens = holder.tokens.saturating_sub(counts.tokens);
            if *holder
                == (UsageCounts { last_accessed: holder.last_accessed, ..UsageCounts::default() })
            {
                self.counts.remove(from);
            }
            self.add(to, counts);
        }
    }

    fn add_minutes(&mut self, name: &str, minutes: Vec<i64>) {
        let times = self.times.entry(name.to_owned()).or_default();
        times.extend(minutes);
        times.sort_unstable();
        times.dedup();
        let surplus = times.len().saturating_sub(MAX_TIMES);
        times.drain(..surplus);
    }

    fn add(&mut self, name: &str, more: &UsageCounts) {
        let counts = match self.counts.get_mut(name) {
            Some(counts) => counts,
            None => self.counts.entry(name.to_owned()).or_default(),
        };
        counts.retrieved = counts.retrieved.saturating_add(more.retrieved);
        counts.cited = counts.cited.saturating_add(more.cited);
        counts.ignored = counts.ignored.saturating_add(more.ignored);
        counts.tokens = counts.tokens.saturating_add(more.tokens);
        counts.last_accessed = counts.last_accessed.max(more.last_accessed);
    }
}

/// Escapes what separates the words of a line; the names of documents are paths, which may contain it.
fn escape(name: &str) -> Cow<'_, str> {
    if !name.contains(['%', ' ', '\n', '\r']) {
        return Cow::Borrowed(name);
    }
    let name = name.replace('%', "%25").replace(' ', "%20");
    Cow::Owned(name.replace('\n', "%0A").replace('\r', "%0D"))
}

fn unescape(name: &str) -> Cow<'_, str> {
    if !name.contains('%') {
        return Cow::Borrowed(name);
    }
    let name = name.replace("%20", " ").replace("%0A", "\n").replace("%0D", "\r");
    Cow::Owned(name.replace("%25", "%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> String {
        let lines = [
            UsageEvent::Injected.line(1_000, [("a", 12), ("doc:my notes 100%.md", 30)]),
            UsageEvent::Retrieved.line(2_000, [("a", 0)]),
            UsageEvent::Cited.line(3_000, [("a", 0)]),
            UsageEvent::Ignored.line(3_000, [("doc:my notes 100%.md", 0)]),
            used_with_line(3_000, "src/my file.rs", [("a", 1)]),
            used_with_line(4_000, "src/my file.rs", [("b", 1), ("a", 1)]),
            times_line(3_000, "a b", &[29_530_001]),
            times_line(3_000, "a b", &[29_528_561, 29_530_001]),
        ];
        lines.map(|line| format!("{line}\n")).concat()
    }

    #[test]
    fn lines_add_up() {
        let fold = UsageFold::of_log(&log());
        let expected =
            UsageCounts { retrieved: 2, cited: 1, ignored: 0, tokens: 12, last_accessed: 3_000 };
        assert_eq!(fold.counts("a"), expected);
        let document = fold.counts("doc:my notes 100%.md");
        assert_eq!((document.retrieved, document.ignored, document.last_accessed), (1, 1, 1_000));
        assert_eq!(fold.counts("unknown"), UsageCounts::default());
        assert_eq!(fold.used_with("src/my file.rs"), [("a", 2), ("b", 1)]);
        assert!(fold.used_with("src/other.rs").is_empty());
        assert_eq!(fold.times().collect::<Vec<_>>(), [("a b", &[29_528_561, 29_530_001][..])]);
    }

    #[test]
    fn counts_of_a_replaced_memory_move_to_its_successor() {
        let moved = format!("{}{}\n", log(), moved_line(5_000, "a", "new"));
        let fold = UsageFold::of_log(&moved);
        assert_eq!(fold.counts("a"), UsageCounts::default());
        assert_eq!(fold.counts("new"), UsageFold::of_log(&log()).counts("a"));
        assert_eq!(fold.used_with("src/my file.rs"), [("new", 2), ("b", 1)]);
        let again = format!("{moved}{}\n", moved_line(6_000, "a", "new"));
        assert_eq!(UsageFold::of_log(&again), fold);
    }

    #[test]
    fn counts_are_returned_to_the_memory_that_they_are_of() {
        let lines = |lines: &[String]| UsageFold::of_log(&lines.join("\n"));
        let cited = |at, name| UsageEvent::Cited.line(at, [(name, 0)]);
        let before = [cited(1_000, "a"), cited(2_000, "b"), cited(3_000, "b")];
        let of_b = lines(&before).counts("b");
        let moved = [before.as_slice(), &[moved_line(4_000, "b", "a"), cited(5_000, "a")]].concat();
        assert_eq!(lines(&moved).counts("a").cited, 4);
        let returned = [moved, vec![returned_line(6_000, "a", "b", &of_b)]].concat();
        let fold = lines(&returned);
        assert_eq!((fold.counts("a").cited, fold.counts("b")), (2, of_b));
        assert_eq!(fold.damaged_lines, 0);
    }

    #[test]
    fn a_log_tells_since_when_it_has_all() {
        let lines = [(1_000, "a"), (2_000, "b"), (3_000, "c")]
            .map(|(at, name)| UsageEvent::Cited.line(at, [(name, 0)]));
        let fold = UsageFold::of_log(&lines.join("\n"));
        assert_eq!(fold.known_since(), None);
        let shortened = UsageFold::of_log(&fold.to_log(2));
        assert_eq!((shortened.known_since(), shortened.all().count()), (Some(1_000), 2));
        assert_eq!(UsageFold::of_log(&shortened.to_log(2)).known_since(), Some(1_000));
    }

    #[test]
    fn the_latest_times_are_kept() {
        let minutes: Vec<i64> = (0..100).collect();
        let fold = UsageFold::of_log(&times_line(1, "a", &minutes));
        let (_, times) = fold.times().next().unwrap();
        assert_eq!(times, &minutes[100 - MAX_TIMES..]);
    }

    #[test]
    fn sums_say_the_same_as_the_lines_that_they_replace() {
        let fold = UsageFold::of_log(&log());
        let sums = fold.to_log(10);
        assert_eq!(UsageFold::of_log(&sums), fold);
        let twice = UsageFold::of_log(&format!("{sums}{}", log()));
        assert_eq!(twice.counts("a").retrieved, 4);
        assert_eq!(UsageFold::of_log(&fold.to_log(1)).all().count(), 1);
    }

    #[test]
    fn damaged_lines_are_counted_and_change_nothing() {
        let damaged = "injected 5 a:1 b:x\ncited\nnonsense 5 a\ncounted 5 a 1 2\nretrieved now a\n\
            with 5 src/x.rs a:1 b\ntimes 5 a\ntimes 5 a 1 x\n";
        let fold = UsageFold::of_log(&format!("{damaged}{}", log()));
        assert_eq!(fold.damaged_lines, 8);
        assert!(fold.used_with("src/x.rs").is_empty());
        assert_eq!(fold.counts("a"), UsageFold::of_log(&log()).counts("a"));
    }

    #[test]
    fn the_factor_is_bounded_and_monotone() {
        let factor = |cited, ignored| {
            UsageCounts { cited, ignored, ..UsageCounts::default() }.value_factor()
        };
        assert!((factor(0, 0) - 1.0).abs() < 1e-9);
        assert!(factor(1, 0) > 1.0 && factor(0, 1) < 1.0);
        assert!(factor(3, 1) > factor(2, 1) && factor(2, 1) > factor(2, 2));
        assert!(factor(0, u64::from(u32::MAX)) >= 0.6 && factor(u64::from(u32::MAX), 0) <= 1.4);
    }
}
