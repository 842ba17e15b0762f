//! Identifiers of files. Two files that share a rare identifier often change together.

use rustc_hash::FxHashMap;

/// The part of a file that is searched for identifiers, from its beginning.
pub const IDENTIFIERS_MAX_BYTES: usize = 200_000;

/// A file with more identifiers is generated, or data.
const MAX_IDENTIFIERS_PER_FILE: usize = 4_000;

/// The least length of an identifier, in bytes.
const MIN_IDENTIFIER_BYTES: usize = 3;

/// A file with a zero byte among its first bytes is binary.
const BINARY_CHECK_BYTES: usize = 4_000;

/// An identifier in more files is not rare.
const MAX_FILES_OF_RARE_IDENTIFIER: usize = 25;

/// Returns the hashes of the identifiers of a text, sorted. A binary file has none, nor has a file with too many.
pub fn identifiers(content: &[u8]) -> Vec<u32> {
    let content = &content[..content.len().min(IDENTIFIERS_MAX_BYTES)];
    if content.iter().take(BINARY_CHECK_BYTES).any(|byte| *byte == 0) {
        return vec![];
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut found: Vec<u32> = content
        .split(|byte| !is_part(byte))
        .map(|word| {
            let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
            &word[digits..]
        })
        .filter(|word| word.len() >= MIN_IDENTIFIER_BYTES)
        .map(hash_word)
        .collect();
    found.sort_unstable();
    found.dedup();
    if found.len() > MAX_IDENTIFIERS_PER_FILE { vec![] } else { found }
}

/// Returns a hash of the part of a content that is read.
pub fn content_hash(content: &[u8]) -> u64 {
    let read = &content[..content.len().min(IDENTIFIERS_MAX_BYTES)];
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(read).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// The least length of a name by which a memory can be found, in bytes.
const MIN_DISTINCTIVE_BYTES: usize = 6;

/// Returns the names in a text that consist of several words, such as `parse_line` and `parseLine`; the most frequent
/// first, and of equally frequent ones the earlier.
pub fn distinctive_names(text: &str, limit: usize) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut counts: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    let names = text.split(|c: char| !is_part(c)).filter(|name| has_several_words(name));
    for (position, name) in names.enumerate() {
        counts.entry(name).or_insert((0, position)).0 += 1;
    }
    let mut names: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
    names.sort_by_key(|(_, (count, position))| (std::cmp::Reverse(*count), *position));
    names.into_iter().take(limit).map(|(name, _)| name).collect()
}

/// Returns whether a name consists of several words, such as `parse_line` and `parseLine`.
pub(super) fn has_several_words(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let mut pairs = inner.as_bytes().windows(2);
    let has_hump = pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    inner.len() >= MIN_DISTINCTIVE_BYTES
        && !inner.starts_with(|c: char| c.is_ascii_digit())
        && (inner.contains('_') || has_hump)
}

/// Hashes a word in lower case (FNV-1a). The hash is stored, so it must not depend on a library.
pub(super) fn hash_word(word: &[u8]) -> u32 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let add =
        |hash: u64, byte: &u8| (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(PRIME);
    let hash = word.iter().fold(OFFSET, add);
    (hash ^ (hash >> 32)) as u32
}

/// The identifiers of all files, and the files of every identifier.
#[derive(Debug, Clone, Default)]
pub(super) struct IdentifierIndex {
    /// The identifiers of each file, sorted.
    words: Vec<Vec<u32>>,
    /// The files of each identifier.
    files: FxHashMap<u32, Vec<u32>>,
}

impl IdentifierIndex {
    /// Returns the identifiers of a file.
    pub(super) fn of_file(&self, file: u32) -> &[u32] {
        self.words.get(file as usize).map_or(&[], Vec::as_slice)
    }

    /// Replaces the identifiers of a file.
    pub(super) fn replace(&mut self, file: u32, words: Vec<u32>) {
        let number = file as usize;
        if self.words.len() <= number {
            self.words.resize(number + 1, vec![]);
        }
        let old = std::mem::take(&mut self.words[number]);
        for word in old.iter().filter(|word| words.binary_search(word).is_err()) {
            if let Some(files) = self.files.get_mut(word) {
                files.retain(|other| *other != file);
            }
        }
        for word in words.iter().filter(|word| old.binary_search(word).is_err()) {
            self.files.entry(*word).or_default().push(file);
        }
        self.words[number] = words;
    }

    /// Returns for each file the weight of the rare identifiers that it shares with `words`, and the weight of all rare
    /// identifiers among `words`. An identifier in few files weighs more.
    pub(super) fn shared_weights(&self, words: &[u32], files: usize) -> (Vec<f64>, f64) {
        let logarithm = (files.max(10) as f64).ln();
        let mut shared = vec![0.0; files];
        let mut total = 0.0;
        for word in words {
            let Some(holders) = self.files.get(word) else { continue };
            if !(2..=MAX_FILES_OF_RARE_IDENTIFIER).contains(&holders.len()) {
                continue;
            }
            let count = holders.len() as f64;
            let weight = (1.0 - count.ln() / logarithm) / count.sqrt();
            total += weight;
            for file in holders {
                shared[*file as usize] += weight;
            }
        }
        (shared, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_words_of_letters_digits_and_underscores() {
        let words = ["parse_line", "x86", "Self"].map(|word| hash_word(word.as_bytes()));
        let mut words = words.to_vec();
        words.sort_unstable();
        assert_eq!(identifiers(b"fn parse_line(x86) -> 12Self, ab; PARSE_LINE"), words);
        assert_eq!(identifiers(b"abc\0def"), [0; 0]);
    }

    #[test]
    fn distinctive_names_have_several_words() {
        let text = "parse_line(parseLine, parser, x_y, parse_line); let Parser = _private_name;";
        assert_eq!(distinctive_names(text, 9), ["parse_line", "parseLine", "_private_name"]);
        assert_eq!(distinctive_names(text, 1), ["parse_line"]);
    }

    #[test]
    fn replacing_the_identifiers_of_a_file_forgets_the_old_ones() {
        let mut index = IdentifierIndex::default();
        index.replace(0, vec![1, 2]);
        index.replace(1, vec![2, 3]);
        index.replace(0, vec![1, 3]);
        let (shared, total) = index.shared_weights(index.of_file(0), 2);
        assert!(shared[1] > 0.0 && shared[1] == total);
        assert_eq!(index.shared_weights(&[2], 2).1, 0.0);
    }
}
