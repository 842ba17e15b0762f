//! Numbers in a text. Code and prose write one number in many ways: `2_000_000_000`, 2 GB, "two gigabytes".

/// A number of a text, with the numbers that state the same in other units.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    /// The number as written, for people.
    pub(super) written: String,
    /// The number, and then its equivalents in other units.
    forms: Vec<f64>,
}

const NUMERALS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// Numbers with many meanings: round ones, and codes of HTTP.
const MANIFOLD: [f64; 5] = [100.0, 200.0, 404.0, 500.0, 1000.0];

/// Numbers that mean too many things to be looked for.
const UNSPECIFIC: [f64; 2] = [0.0, 1.0];

impl Value {
    /// Finds the values that a statement gives, each once.
    pub(super) fn all_in(text: &str) -> Vec<Value> {
        let pieces: Vec<&str> = pieces(text).collect();
        let mut found: Vec<Value> = Vec::new();
        for (position, piece) in pieces.iter().enumerate() {
            let Some((number, attached)) = parse(piece) else { continue };
            let next = pieces.get(position + 1).copied().unwrap_or_default();
            let unit = if attached.is_empty() { next } else { attached };
            let is_new = found.iter().all(|value| value.number() != number);
            if is_new && !UNSPECIFIC.contains(&number) {
                found.push(Value { written: (*piece).to_owned(), forms: forms(number, unit) });
            }
        }
        found
    }

    /// Returns the number as written.
    pub(super) fn number(&self) -> f64 {
        self.forms.first().copied().unwrap_or_default()
    }

    /// Returns how rarely its form among some numbers comes there by chance, 0 to 1; 0 if it is not among them.
    pub(super) fn specificity_among(&self, numbers: &[f64]) -> f64 {
        let form = self.forms.iter().find(|form| numbers.contains(form));
        match form.copied() {
            None => 0.0,
            Some(form) if form.fract() != 0.0 => 1.0,
            Some(form) if MANIFOLD.contains(&form) => 0.6,
            Some(form) if form < 10.0 => 0.5,
            Some(form) if form < 100.0 => 0.75,
            Some(_) => 1.0,
        }
    }
}

/// Returns all numbers of a text.
pub(super) fn numbers_in(text: &str) -> Vec<f64> {
    pieces(text).filter_map(|piece| parse(piece).map(|(number, _)| number)).collect()
}

/// Splits a text into what may be a number: at spaces and at marks that no number has.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '_' | '%' | '\'');
    text.split(move |c: char| !is_part(c))
        .map(|piece| piece.trim_matches(['.', ',', '\'', '_']))
        .filter(|piece| !piece.is_empty())
}

/// Parses a number at the beginning of a piece, and returns it with what follows: `20U`, `3.days`, `10_000`.
fn parse(piece: &str) -> Option<(f64, &str)> {
    if !piece.starts_with(|c: char| c.is_ascii_digit()) {
        let lower = piece.to_lowercase();
        if lower == "twice" {
            return Some((2.0, ""));
        }
        let index = NUMERALS.iter().position(|numeral| *numeral == lower)?;
        return Some((index as f64, ""));
    }
    let bytes = piece.as_bytes();
    let is_digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    let mut digits = String::new();
    let mut has_point = false;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'0'..=b'9' => digits.push(char::from(*byte)),
            b'_' | b',' | b'\'' if is_digit(end + 1) => {}
            b'.' if !has_point && is_digit(end + 1) => {
                has_point = true;
                digits.push('.');
            }
            _ => break,
        }
        end += 1;
    }
    let attached = piece[end..].trim_start_matches(['.', '_', ',', '\'']);
    Some((digits.parse().ok()?, attached))
}

/// Returns a number and what it is in the units that code may use for it.
fn forms(number: f64, unit: &str) -> Vec<f64> {
    let unit = unit.trim_end_matches(['.', ',']).to_lowercase();
    let factors: &[f64] = match unit.as_str() {
        "ms" | "millisecond" | "milliseconds" => &[0.001, 1000.0],
        "s" | "sec" | "second" | "seconds" => &[1000.0],
        "min" | "minute" | "minutes" => &[60.0, 60_000.0],
        "h" | "hour" | "hours" => &[60.0, 3_600.0, 3_600_000.0],
        "day" | "days" => &[24.0, 86_400.0, 86_400_000.0],
        "week" | "weeks" => &[7.0, 604_800.0],
        "month" | "months" => &[30.0],
        "kb" | "kib" => &[1_000.0, 1_024.0],
        "mb" | "mib" => &[1e6, 1_048_576.0],
        "gb" | "gib" | "gigabyte" | "gigabytes" => &[1e9, 1_073_741_824.0],
        "k" | "thousand" => &[1_000.0],
        "million" => &[1e6],
        "dollar" | "dollars" | "euro" | "euros" | "eur" | "usd" | "v" | "m" | "kg" => {
            &[100.0, 1_000.0]
        }
        unit if unit.starts_with('%') || unit.starts_with("percent") => &[0.01],
        _ => &[],
    };
    let rounded = |form: f64| (form * 1e6).round() / 1e6;
    std::iter::once(number).chain(factors.iter().map(|factor| rounded(number * factor))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_and_code_write_them() {
        assert_eq!(numbers_in("MAX=20U; x = 2_000_000_000"), [20.0, 2e9]);
        assert_eq!(numbers_in("wait 3.days, then twice; 10,000 rows"), [3.0, 2.0, 10_000.0]);
        assert_eq!(numbers_in("at 21:00, 2.55 V and 110%"), [21.0, 0.0, 2.55, 110.0]);
        assert_eq!(numbers_in("five of v2 and sha256"), [5.0]);
    }

    #[test]
    fn units_give_equivalents() {
        let forms = |text: &str| Value::all_in(text)[0].forms.clone();
        assert_eq!(forms("2 GB"), [2.0, 2e9, 2.0 * 1_073_741_824.0]);
        assert_eq!(forms("110 %"), [110.0, 1.1]);
        assert_eq!(forms("15 minutes"), [15.0, 900.0, 900_000.0]);
    }
}
