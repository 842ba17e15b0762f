//! Words with opposite meanings.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::token::stem_of;

/// Pairs of opposites; several words for one side are separated by `|`. Words of one stem need to be named once only.
const OPPOSITES: &[(&str, &str)] = &[
    ("accept|accepted|approve|tolerate", "reject|refuse|decline|deny|refused"),
    ("add|insert", "remove|drop|delete|strip|omit"),
    (
        "allow|permit|allowed|permitted|welcome",
        "forbid|ban|prohibit|forbidden|banned|disallow|block|barred",
    ),
    ("always", "never|sometimes|rarely|occasionally"),
    ("append", "overwrite|replace|prepend"),
    ("automatic|automatically|automated|automate", "manual|manually|hand"),
    ("begin|start|first", "end|finish|stop|last"),
    ("build", "buy|bought"),
    ("central|centrally|centralised|centralized", "decentralised|distributed|local|locally"),
    ("collapse", "expand"),
    ("commit|committed", "ignored|gitignored|uncommitted"),
    ("compatible", "incompatible"),
    ("complete|full|whole", "partial|incomplete|partially"),
    ("connected|online", "disconnected|offline"),
    ("consistent", "inconsistent"),
    ("continuous|continuously|constantly", "once|batch|batches|occasionally|nightly"),
    ("create", "destroy|delete"),
    ("deep", "shallow"),
    ("dedicated|own|separate|separately|individual", "shared|common|same|together|single"),
    ("default", "custom"),
    (
        "delete|deleted|purge|purged|erase|erased|discard|discarded|destroyed",
        "keep|kept|retain|retained|preserve|archive|archived|stay|stays|restore",
    ),
    ("different|differs|differ|various", "same|identical|equal|uniform"),
    (
        "direct|directly|straight|immediately|instantly|once",
        "indirectly|through|later|delayed|queued|eventually|batch|batched",
    ),
    ("empty", "full"),
    (
        "enable|enabled|on|activate|active|activated|switched",
        "disable|disabled|off|deactivate|inactive|deactivated",
    ),
    ("encrypted|encrypt", "plaintext|unencrypted|plain|clear"),
    ("even", "odd"),
    (
        "everyone|everybody|anyone|anybody|public|publicly|open|all",
        "nobody|only|private|restricted|closed|none",
    ),
    ("everything|all|every|each|always", "nothing|none|never|some|part|few"),
    ("explicit|explicitly", "implicit|implicitly"),
    ("exclude|excluded|exclusive", "include|included|contain|inclusive"),
    ("expensive", "cheap"),
    (
        "fail|fails|error|abort|reject|crash",
        "succeed|pass|continue|ignored|ignore|skipped|tolerated",
    ),
    ("fast|quick|quickly", "slow|slowly"),
    (
        "fixed|constant|static|hard-coded|hardcoded",
        "variable|dynamic|adaptive|adjusted|configurable|varies|changes|adapts",
    ),
    (
        "forever|indefinitely|unlimited|permanent|permanently|good",
        "temporary|temporarily|limited|expire|expires|days|hours",
    ),
    ("free|gratis", "paid|charged|cost|costs|fee"),
    ("generate|generated", "handwritten|hand-written|hand|written"),
    ("global|globally", "local|locally"),
    ("grow|increase|raise|rise|more", "shrink|decrease|reduce|lower|fall|less|fewer"),
    ("hidden|hide|invisible", "shown|show|visible|displayed"),
    ("high|higher|highest", "low|lower|lowest"),
    ("internal|internally|in-house|ourselves", "external|externally|outsourced|vendor|third"),
    ("join|joined", "leave|split"),
    ("linear", "quadratic|exponential"),
    ("load", "unload"),
    ("lock|locked", "unlock|unlocked|open"),
    ("long", "short"),
    ("loud", "quiet|silent|silently"),
    ("mandatory|compulsory|obligatory", "voluntary|unnecessary|skip|skipped"),
    ("maximum|max|most", "minimum|min|least"),
    ("merge|merged|combined|joint", "split|separate|separated"),
    ("multiple|many|several|two|various", "single|one|sole"),
    ("new|newest|latest|newer|recent", "old|oldest|older|earliest|legacy"),
    ("nested", "flat"),
    ("open|opened", "closed|close|shut"),
    (
        "parallel|concurrently|simultaneously|concurrent",
        "sequential|sequentially|serial|serially|turn",
    ),
    ("pinned", "floating|latest|range|ranges"),
    ("positive", "negative"),
    ("present|exists|available", "absent|missing|unavailable|gone"),
    ("preserved|keeps|kept|survives|survive", "lost|overwritten|dropped|discarded"),
    ("proportional", "flat|fixed"),
    ("push|pushed", "pull|pulled|poll|polled"),
    (
        "random|randomly|shuffled",
        "ordered|sorted|deterministic|fixed|order|alphabetical|same|reproducible|seeded",
    ),
    ("real|actual", "fake|mock|mocked|simulated|stub|stubbed"),
    ("reduce|reduced", "increase|increased"),
    ("relative", "absolute"),
    ("rounded|round", "truncated|exact"),
    ("safe", "unsafe"),
    (
        "save|saved|stored|persisted|persist|recorded|record|logged|log",
        "forgotten|memory|transient|ephemeral|unlogged",
    ),
    ("separator", "terminator"),
    ("shared", "exclusive|exclusively"),
    ("signed", "unsigned"),
    ("silent|silently", "loudly|warning|error"),
    ("single|one", "multiple|several|many|two|three"),
    ("sorted", "unsorted|unordered"),
    ("strict|strictly", "lenient|loose|loosely"),
    ("strong", "weak|eventual"),
    ("success", "failure"),
    ("supported|supports|support", "unsupported|dropped|incompatible"),
    ("symmetric", "asymmetric"),
    ("tested", "untested"),
    ("together|jointly|batch", "individually|separately|alone"),
    ("tracked", "untracked|ignored"),
    ("trusted|trust", "untrusted|verified|distrust"),
    ("typed", "untyped"),
    ("unique", "duplicate|duplicates|shared|repeated"),
    ("upgrade", "downgrade"),
    ("used|use|uses", "unused|avoid|avoided|abandoned"),
    ("valid", "invalid|expired|revoked"),
    ("versioned", "unversioned"),
    ("wait|waits|blocking", "nonblocking|immediately|proceed"),
    ("wide", "narrow"),
    ("win|wins", "lose|loses"),
    ("with|has|have|having", "without|lack|lacks|lacking"),
    ("writable|editable|changeable|mutable", "read-only|readonly|immutable|frozen|final"),
    ("yes|true", "no|false"),
    ("before|first|earlier|beforehand|ahead", "after|afterwards|later|last|then"),
    ("above|over|exceeds", "below|under"),
    ("front|forward|ascending|forwards", "back|backward|descending|backwards|reverse"),
];

fn table() -> &'static HashMap<String, Vec<(u16, bool)>> {
    static TABLE: OnceLock<HashMap<String, Vec<(u16, bool)>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<String, Vec<(u16, bool)>> = HashMap::new();
        for (number, (one, other)) in OPPOSITES.iter().enumerate() {
            for (words, is_first) in [(one, true), (other, false)] {
                for word in words.split('|') {
                    for form in [word.to_owned(), stem_of(word)] {
                        let sides = table.entry(form).or_default();
                        let side = (number as u16, is_first);
                        if !sides.contains(&side) {
                            sides.push(side);
                        }
                    }
                }
            }
        }
        table
    })
}

/// Returns the sides of opposites that a word is on: the number of the pair, and whether it is the first side. The word is
/// looked up as it is, and by its stem.
pub(super) fn sides(lower: &str, stem: &str) -> &'static [(u16, bool)] {
    let of = |word: &str| table().get(word).map_or(&[] as &[_], Vec::as_slice);
    match of(lower) {
        [] if !stem.is_empty() => of(stem),
        found => found,
    }
}

/// Returns whether two words are on different sides of opposites.
pub(super) fn are_opposite(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|word| sides(word, &stem_of(word)));
    one.iter().any(|(pair, is_first)| other.contains(&(*pair, !*is_first)))
}

/// Returns whether a word is the other one with a prefix that negates it: `encrypted` and `unencrypted`.
pub(super) fn is_negated_form(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let prefixes = ["un", "non", "in", "im", "dis", "de", "ir", "anti", "il"];
    let of_prefix = long.strip_suffix(short).is_some_and(|prefix| prefixes.contains(&prefix));
    short.len() > 3 && of_prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_on_different_sides_of_a_pair() {
        assert!(are_opposite("enabled", "disabled"));
        assert!(are_opposite("allowing", "forbids"));
        assert!(!are_opposite("enabled", "activated"));
        assert!(is_negated_form("encrypted", "unencrypted"));
        assert!(!is_negated_form("to", "into"));
    }
}
