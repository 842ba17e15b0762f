//! Reads simple mappings without the YAML parser: a line for each key, with a single value or a list in brackets. Most
//! front matter is simple, and a listing reads that of a thousand documents.

use saphyr_parser::ScalarStyle;
use serde_json::Map;

use super::scalar::parse_scalar;
use crate::Value;

/// Returns the mapping that a text is; `None` if the text is not simple, so that it has to be parsed.
pub fn parse_simple_mapping(text: &str) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(':')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || !key.bytes().all(is_name) {
            return None;
        }
        let value = parse_value(value.strip_prefix(' ')?.trim_matches(' '))?;
        if fields.insert(key.to_owned(), value).is_some() {
            return None;
        }
    }
    (!fields.is_empty()).then_some(fields)
}

fn parse_value(text: &str) -> Option<Value> {
    match text.strip_prefix('[') {
        None => parse_item(text, false),
        Some(list) => {
            let list = list.strip_suffix(']')?.trim_matches(' ');
            if list.is_empty() {
                return Some(Value::Array(vec![]));
            }
            let items = list.split(',').map(|item| parse_item(item.trim_matches(' '), true));
            items.collect::<Option<Vec<Value>>>().map(Value::Array)
        }
    }
}

/// Parses a single value.
fn parse_item(text: &str, in_list: bool) -> Option<Value> {
    let first = text.chars().next()?;
    let is_printable =
        |c: char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    if !text.chars().all(is_printable) {
        return None;
    }
    if matches!(first, '"' | '\'') {
        let inner = text.get(1..)?.strip_suffix(first)?;
        let is_split = in_list && inner.contains(',');
        let is_plain = !inner.contains([first, '\\']) && !is_split;
        return is_plain.then(|| Value::String(inner.to_owned()));
    }
    let is_safe_start = first.is_alphanumeric() || matches!(first, '/' | '(' | '.' | '_');
    let has_mark = text.contains(": ") || text.contains(" #") || text.ends_with(':');
    let has_list_mark = in_list && text.contains(['[', ']', '{', '}', '"', '\'', '#', ':', '?']);
    if !is_safe_start || has_mark || has_list_mark || text.starts_with("...") {
        return None;
    }
    Some(parse_scalar(text, ScalarStyle::Plain, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;
    use serde_json::json;

    #[test]
    fn simple_front_matter_is_read() {
        let text = "# c\nname: \"A: b\"\nstatus: done\r\ncreated: 2026-02-08\ntags: [a, 'b c', 3]\nempty: []\n";
        assert_eq!(
            parse_simple_mapping(text).map(Value::Object),
            Some(
                json!({"name": "A: b", "status": "done", "created": "2026-02-08", "tags": ["a", "b c", 3], "empty": []})
            )
        );
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        for text in [
            "",
            "a:",
            "a: |\n  x",
            "a: x\n  y",
            "a:\n  - x",
            "a: x # c",
            "a: x: y",
            "a: &x 1",
            "a: \"x\\n\"",
            "a: 1\na: 2",
            "a: [x, {b: 1}]",
            "- x",
            "a: [x",
            "a: 'x' y",
            "a: *x",
        ] {
            assert_eq!(parse_simple_mapping(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_read_is_what_the_parser_reads(
            lines in proptest::collection::vec("[ab-]{1,2}: ?[-ab12 '\"\\[\\],:#.~_/(){}?&*!|>%@`é]{0,10}", 1..4),
        ) {
            let text = lines.join("\n");
            if let Some(fields) = parse_simple_mapping(&text) {
                let parsed = yaml::parse(&text).ok().flatten().map(|node| node.value());
                proptest::prop_assert_eq!(parsed, Some(Value::Object(fields)), "{}", text);
            }
        }
    }
}
