//! Names that people and agents type: checks that a name is safe as a file name, and finds the thing it refers to.

/// A name of this length plus an extension is valid on every supported file system.
const MAX_NAME_BYTES: usize = 120;

const RESERVED_ON_WINDOWS: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Returns why a name cannot be one component of a path, if it cannot.
pub fn unsafe_reason(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name);
    if name.is_empty() {
        Some("it is empty")
    } else if name.contains('\0') {
        Some("it contains a NUL byte")
    } else if name.contains(['/', '\\']) {
        Some("it contains a path separator")
    } else if name == "." || name == ".." {
        Some("it is a relative folder")
    } else if name.chars().any(char::is_control) {
        Some("it contains a control character")
    } else if name.contains(['<', '>', ':', '"', '|', '?', '*']) {
        Some("it contains one of < > : \" | ? *")
    } else if name.starts_with('.') || name.starts_with('-') {
        Some("it starts with a dot or a dash")
    } else if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        Some("it starts or ends with a space or ends with a dot")
    } else if name.len() > MAX_NAME_BYTES {
        Some("it is longer than 120 bytes")
    } else if RESERVED_ON_WINDOWS.iter().any(|reserved| reserved.eq_ignore_ascii_case(stem)) {
        Some("it is reserved on Windows")
    } else {
        None
    }
}

/// The longest slug, in bytes.
const MAX_SLUG_BYTES: usize = 60;

/// Turns a title into a file name: `Use SQLite (not Postgres)` is `use-sqlite-not-postgres`.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars() {
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') && !matches!(c, '\'' | '’') {
            slug.push('-');
        }
    }
    let mut end = slug.len().min(MAX_SLUG_BYTES);
    while !slug.is_char_boundary(end) {
        end -= 1;
    }
    slug[..end].trim_end_matches('-').to_owned()
}

/// Splits a text into the ASCII digits that it starts with and the rest.
pub fn split_leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// Returns the digits that a name starts with: `0042` of `0042-graph`.
pub fn leading_number(name: &str) -> Option<&str> {
    let (digits, rest) = split_leading_digits(name);
    (!digits.is_empty() && !rest.starts_with(|c: char| c.is_alphanumeric())).then_some(digits)
}

/// How many digits the number of a plan has at most; a longer run of digits is a date or an id.
pub const MAX_NUMBER_DIGITS: usize = 6;

/// The largest number of a plan.
pub const MAX_PLAN_NUMBER: u32 = 10_u32.pow(MAX_NUMBER_DIGITS as u32) - 1;

/// Returns the number of a plan or an agent, given its name: 42 of `0042-graph`.
pub fn plan_number(name: &str) -> Option<u32> {
    leading_number(name).filter(|digits| digits.len() <= MAX_NUMBER_DIGITS)?.parse().ok()
}

/// The result of looking up a typed name among candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The name refers to exactly this candidate.
    One(String),
    /// The name fits several candidates.
    Ambiguous(Vec<String>),
    /// The name fits no candidate; these are the [`suggestions`].
    Unknown(Vec<String>),
}

/// How many similar names are suggested for an unknown one.
const MAX_SIMILAR: usize = 5;

/// How many names are suggested for an unknown one if none is similar.
const MAX_OTHERS: usize = 10;

/// Returns a name without the number that it starts with: `graph` of `0042-graph`.
fn without_number(name: &str) -> &str {
    let number = leading_number(name).map_or(0, str::len);
    name[number..].trim_start_matches(['-', '_', ' '])
}

/// Looks up a name that a person typed: like [`find`], else by the name without its number.
pub fn find_loosely<'n>(typed: &str, candidates: impl IntoIterator<Item = &'n str>) -> Match {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let found = find(typed, candidates.iter().copied());
    let folded = typed.to_lowercase();
    let is_equal = |name: &&str| !typed.is_empty() && without_number(name).to_lowercase() == folded;
    let mut equal = candidates.into_iter().filter(is_equal).map(str::to_owned).collect::<Vec<_>>();
    match (found, equal.len()) {
        (Match::Unknown(_), 1) => Match::One(equal.remove(0)),
        (Match::Unknown(_), 2..) => Match::Ambiguous(equal),
        (found, _) => found,
    }
}

/// Returns whether a typed name refers to a thing with a name: it is the name, its leading number, or the name in another
/// case.
pub fn is_name_of(typed: &str, name: &str) -> bool {
    matches!(find(typed, [name]), Match::One(_))
}

/// Looks up a name: by the exact name, else by the leading number, else ignoring case.
pub fn find<'n>(typed: &str, candidates: impl IntoIterator<Item = &'n str>) -> Match {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if candidates.contains(&typed) {
        return Match::One(typed.to_owned());
    }
    let by_number = |typed_number: &str| -> Vec<String> {
        let number_typed = typed_number.trim_start_matches('0');
        candidates
            .iter()
            .filter(|name| {
                leading_number(name)
                    .is_some_and(|number| number.trim_start_matches('0') == number_typed)
            })
            .map(|&name| name.to_owned())
            .collect()
    };
    let all_digits = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit());
    let mut matches = if all_digits { by_number(typed) } else { vec![] };
    if matches.is_empty() {
        let folded = typed.to_lowercase();
        matches = candidates
            .iter()
            .filter(|name| name.to_lowercase() == folded)
            .map(|&name| name.to_owned())
            .collect();
    }
    match matches.len() {
        1 => Match::One(matches.remove(0)),
        0 => Match::Unknown(suggestions(typed, candidates)),
        _ => Match::Ambiguous(matches),
    }
}

/// Returns the candidates to suggest for an unknown name: those most similar to it, else the first ones.
pub fn suggestions<'n>(typed: &str, candidates: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let similar = nearest(typed, candidates.iter().copied(), MAX_SIMILAR);
    if !similar.is_empty() {
        return similar;
    }
    candidates.into_iter().take(MAX_OTHERS).map(str::to_owned).collect()
}

/// Returns at most `most` candidates that are similar to a typed word, nearest first.
pub fn nearest<'n>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'n str>,
    most: usize,
) -> Vec<String> {
    let folded = typed.to_lowercase();
    let max_distance = (folded.chars().count() / 3).max(2);
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let contained =
                folded.len() >= 3 && (lower.contains(&folded) || folded.contains(&lower));
            let distance = edit_distance(&folded, &lower);
            (contained || distance <= max_distance).then_some((
                if contained { distance.min(max_distance) } else { distance },
                candidate,
            ))
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(most).map(|(_, candidate)| candidate.to_owned()).collect()
}

/// Returns at most `most` candidates: those that are similar to a typed word, nearest first, then the others in their order.
pub fn nearest_first(typed: &str, candidates: &[&str], most: usize) -> Vec<String> {
    let mut sorted = nearest(typed, candidates.iter().copied(), most);
    for candidate in candidates {
        if sorted.len() < most && !sorted.iter().any(|other| other == candidate) {
            sorted.push((*candidate).to_owned());
        }
    }
    sorted
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_candidates_come_before_the_others() {
        let words = ["new", "partial", "done"];
        assert_eq!(nearest_first("don", &words, 3), ["done", "new", "partial"]);
        assert_eq!(nearest_first("don", &words, 2), ["done", "new"]);
        assert_eq!(nearest_first("zzzzzz", &words, 3), words);
    }

    #[test]
    fn a_name_may_be_typed_as_its_number_or_in_another_case() {
        for (typed, expected) in
            [("0042-graph", true), ("42", true), ("0042-GRAPH", true), ("43", false), ("", false)]
        {
            assert_eq!(is_name_of(typed, "0042-graph"), expected, "{typed}");
        }
    }

    #[test]
    fn unsafe_names_are_refused() {
        for name in [
            "", "..", "../x", "a/b", "a\\b", "a\0b", "/etc", "nul", "COM1.md", ".git", "-rf",
            "a\nb", "x ", "a:b",
        ] {
            assert!(unsafe_reason(name).is_some(), "{name:?}");
        }
        for name in ["0042-knowledge-graph", "ünïcode", "a b", "v1.2"] {
            assert_eq!(unsafe_reason(name), None, "{name:?}");
        }
    }

    #[test]
    fn names_are_found_by_number_and_by_text() {
        let names = ["0042-graph", "0043-auth", "043-other"];
        assert_eq!(find("42", names), Match::One("0042-graph".into()));
        assert_eq!(find("0042-graph", names), Match::One("0042-graph".into()));
        assert_eq!(
            find("43", names),
            Match::Ambiguous(vec!["0043-auth".into(), "043-other".into()])
        );
        assert_eq!(find("0042-grph", names), Match::Unknown(vec!["0042-graph".into()]));
        assert_eq!(find("000", ["000-a", "001-b"]), Match::One("000-a".into()));
        assert_eq!(find_loosely("42", names), Match::One("0042-graph".into()));
        assert_eq!(find_loosely("Auth", names), Match::One("0043-auth".into()));
        assert_eq!(
            find_loosely("a", ["000-a", "001-a"]),
            Match::Ambiguous(vec!["000-a".into(), "001-a".into()])
        );
        assert_eq!(find_loosely("a", ["000-a", "a"]), Match::One("a".into()));
        assert_eq!(find_loosely("", ["x-y-z"]), Match::Unknown(vec!["x-y-z".into()]));
        assert_eq!(find_loosely("0042-grph", names), Match::Unknown(vec!["0042-graph".into()]));
    }

    #[test]
    fn a_plan_number_is_not_a_date() {
        assert_eq!(plan_number("0042-graph"), Some(42));
        assert_eq!(plan_number("999999-x"), Some(MAX_PLAN_NUMBER));
        assert_eq!(plan_number("20260222-notes"), None);
        assert_eq!(plan_number("graph"), None);
    }

    #[test]
    fn titles_become_slugs() {
        assert_eq!(slug("Use SQLite (not Postgres)!"), "use-sqlite-not-postgres");
        assert_eq!(slug("Don't"), "dont");
        assert_eq!(slug("???"), "");
    }
}
