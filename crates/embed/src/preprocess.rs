//! Prepares texts for the static model: splits camel-case names and removes emoji.

use std::borrow::Cow;

use heirloom_core::words::split_camel_case;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Inserts spaces between the words of names such as `parseFrontMatter`, and replaces emoji by spaces,
/// because the vocabulary has none.
pub(crate) fn separate_words(text: &str) -> Cow<'_, str> {
    let has_humps = || {
        let mut pairs = text.bytes().zip(text.bytes().skip(1));
        pairs.any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase())
    };
    if text.is_ascii() && !has_humps() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for part in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        for (index, hump) in split_camel_case(word).enumerate() {
            if index > 0 {
                out.push(' ');
            }
            out.push_str(hump);
        }
        out.extend(part[word.len()..].chars().map(|c| if is_emoji(c) { ' ' } else { c }));
    }
    Cow::Owned(out)
}

/// Returns whether a character is a symbol or one of the joiners of emoji sequences.
fn is_emoji(c: char) -> bool {
    !c.is_ascii()
        && (c.general_category_group() == GeneralCategoryGroup::Symbol
            || matches!(c, '\u{200d}' | '\u{fe0f}'))
}

#[cfg(test)]
mod tests {
    use super::separate_words;

    #[test]
    fn camel_case_names_are_split_and_emoji_are_removed() {
        assert_eq!(
            separate_words("parseFrontMatter and HTTPServer"),
            "parse Front Matter and HTTP Server"
        );
        assert_eq!(separate_words("src/authToken.ts, LGBTQ"), "src/auth Token.ts, LGBTQ");
        assert_eq!(separate_words("great😊!"), "great !");
        assert_eq!(separate_words("naïve café, 5 €"), "naïve café, 5  ");
        assert_eq!(separate_words(""), "");
    }
}
