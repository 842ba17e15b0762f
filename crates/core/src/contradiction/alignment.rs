//! Aligns the words of two statements.

use super::statement::Statement;
use super::token::Token;
use crate::consolidation::WordNearness;

/// The cosine from which two words mean nearly the same.
pub(super) const SYNONYM_MIN_COSINE: f32 = 0.6;

/// The least cosine of two words that are aligned.
const ALIGNED_MIN_COSINE: f32 = 0.3;

/// The cosine of two words of which one is made from the other.
const RELATED_COSINE: f32 = 0.8;

/// The fewest characters that two words of one origin begin with.
const COMMON_BEGINNING_MIN_CHARS: usize = 5;

/// The most words of a statement that are aligned.
const MAX_ALIGNED_WORDS: usize = 40;

/// Two words that stand for each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AlignedPair {
    /// The word of each statement.
    pub(super) a: usize,
    pub(super) b: usize,
    /// The cosine of the two; 1 if their stems are equal.
    pub(super) cosine: f32,
}

/// The words of two statements that stand for each other.
#[derive(Debug)]
pub(super) struct Alignment {
    /// For each word of each statement the cosine of the nearest word of the other.
    pub(super) best_a: Vec<f32>,
    pub(super) best_b: Vec<f32>,
    /// The pairs, the nearest first; each word is in one at most.
    pub(super) pairs: Vec<AlignedPair>,
    /// The words with stems that the other statement does not have.
    pub(super) only_a: Vec<usize>,
    pub(super) only_b: Vec<usize>,
    /// The greatest and the mean cosine of two of these words; -1 if one statement has none.
    pub(super) rest_max: f32,
    pub(super) rest_mean: f32,
}

impl Alignment {
    /// Aligns two statements.
    pub(super) fn new(a: &Statement<'_>, b: &Statement<'_>, nearness: WordNearness<'_>) -> Self {
        let words_a = &a.content[..a.content.len().min(MAX_ALIGNED_WORDS)];
        let words_b = &b.content[..b.content.len().min(MAX_ALIGNED_WORDS)];
        let mut cosines = Vec::with_capacity(words_a.len() * words_b.len());
        for at_a in words_a {
            for at_b in words_b {
                cosines.push(cosine(a, *at_a, b, *at_b, nearness));
            }
        }
        let columns = words_b.len();
        let row = |i: usize| (0..columns).map(move |j| i * columns + j);
        let best_of = |cells: &mut dyn Iterator<Item = usize>| {
            cells.map(|cell| cosines[cell]).fold(0.0f32, f32::max)
        };
        let best_a = (0..words_a.len()).map(|i| best_of(&mut row(i))).collect();
        let best_b = (0..columns)
            .map(|j| best_of(&mut (0..words_a.len()).map(|i| i * columns + j)))
            .collect();
        let is_only =
            |own: &Statement<'_>, other: &Statement<'_>, at: usize| !other.has_stem(own.stem(at));
        let only_a: Vec<usize> =
            (0..words_a.len()).filter(|i| is_only(a, b, words_a[*i])).collect();
        let only_b: Vec<usize> = (0..columns).filter(|j| is_only(b, a, words_b[*j])).collect();
        let rest: Vec<f32> =
            cells_of(&only_a, &only_b, columns).map(|cell| cosines[cell]).collect();
        let rest_max = rest.iter().copied().fold(-1.0, f32::max);
        let rest_mean = match rest.is_empty() {
            true => -1.0,
            false => rest.iter().sum::<f32>() / rest.len() as f32,
        };
        let pairs = align(&cosines, words_a, words_b);
        let [only_a, only_b] = [(only_a, words_a), (only_b, words_b)]
            .map(|(only, words)| only.into_iter().map(|index| words[index]).collect());
        Alignment { best_a, best_b, pairs, only_a, only_b, rest_max, rest_mean }
    }

    /// Returns the word of the second statement that stands for one of the first, with their cosine.
    pub(super) fn of_a(&self, at: usize) -> Option<AlignedPair> {
        self.pairs.iter().find(|pair| pair.a == at).copied()
    }
}

fn cosine(
    a: &Statement<'_>,
    at_a: usize,
    b: &Statement<'_>,
    at_b: usize,
    nearness: WordNearness<'_>,
) -> f32 {
    let (word_a, word_b) = (&a.tokens[at_a], &b.tokens[at_b]);
    if word_a.stem == word_b.stem {
        return 1.0;
    }
    if has_same_beginning(&word_a.stem, &word_b.stem) || shares_part(word_a, word_b) {
        return RELATED_COSINE;
    }
    let cosine = nearness(&word_a.lower, &word_b.lower);
    // Vectors of words that the model does not know have no direction.
    if cosine.is_finite() { cosine.clamp(-1.0, 0.99) } else { 0.0 }
}

/// Returns whether two stems are probably of one word: `encrypt` and `encryption`.
fn has_same_beginning(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let longer = a.len().max(b.len());
    common >= COMMON_BEGINNING_MIN_CHARS
        && common * 3 >= longer * 2
        && !is_numbered(a)
        && !is_numbered(b)
}

fn is_numbered(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether one of two words is a part of the other one, which is a name.
fn shares_part(a: &Token<'_>, b: &Token<'_>) -> bool {
    let has = |one: &Token<'_>, other: &Token<'_>| {
        other.parts.is_empty() && one.parts.contains(&other.stem)
    };
    has(a, b) || has(b, a)
}

/// Returns the cells of a matrix in some rows and columns.
fn cells_of<'i>(
    rows: &'i [usize],
    columns: &'i [usize],
    width: usize,
) -> impl Iterator<Item = usize> + 'i {
    rows.iter().flat_map(move |row| columns.iter().map(move |column| row * width + column))
}

/// Takes the nearest pairs first.
fn align(cosines: &[f32], words_a: &[usize], words_b: &[usize]) -> Vec<AlignedPair> {
    let columns = words_b.len();
    let mut cells: Vec<usize> =
        (0..cosines.len()).filter(|cell| cosines[*cell] >= ALIGNED_MIN_COSINE).collect();
    cells.sort_by(|one, other| cosines[*other].total_cmp(&cosines[*one]).then(one.cmp(other)));
    let (mut is_used_a, mut is_used_b) = (vec![false; words_a.len()], vec![false; columns]);
    let mut pairs = Vec::new();
    for cell in cells {
        let (i, j) = (cell / columns, cell % columns);
        if !is_used_a[i] && !is_used_b[j] {
            (is_used_a[i], is_used_b[j]) = (true, true);
            pairs.push(AlignedPair { a: words_a[i], b: words_b[j], cosine: cosines[cell] });
        }
    }
    pairs
}
