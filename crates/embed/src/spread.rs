//! Texts as a model of words can read them: names in their words, and no emoji stuck to a word.

use std::borrow::Cow;

use heirloom_core::words::humps;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Puts spaces between the words of names such as `parseFrontMatter`, and in the place of emoji,
/// for which there are no pieces.
pub(crate) fn spread(text: &str) -> Cow<'_, str> {
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
        for (at, hump) in humps(word).enumerate() {
            if at > 0 {
                out.push(' ');
            }
            out.push_str(hump);
        }
        out.extend(part[word.len()..].chars().map(|c| if is_picture(c) { ' ' } else { c }));
    }
    Cow::Owned(out)
}

fn is_picture(c: char) -> bool {
    !c.is_ascii()
        && (c.general_category_group() == GeneralCategoryGroup::Symbol
            || matches!(c, '\u{200d}' | '\u{fe0f}'))
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn names_are_read_in_their_words_and_emoji_not_at_all() {
        assert_eq!(spread("parseFrontMatter and HTTPServer"), "parse Front Matter and HTTP Server");
        assert_eq!(spread("src/authToken.ts, LGBTQ"), "src/auth Token.ts, LGBTQ");
        assert_eq!(spread("great😊!"), "great !");
        assert_eq!(spread("naïve café, 5 €"), "naïve café, 5  ");
        assert_eq!(spread(""), "");
    }
}
