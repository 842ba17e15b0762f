//! Property tests: an edit of one key leaves every other byte unchanged, for generated front matter, any key and any
//! value.
//!
//! The generator, not the code under test, determines the bytes that an edit may change: the ones between the colon of
//! the key and the end of its value.

use std::ops::Range;

use heirloom_core::frontmatter::{self, FrontMatterLocation};
use heirloom_core::merge::Tree;
use heirloom_core::yaml;
use heirloom_core::{Document, Problem, Value};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, json};

const PATH: &str = "plans/p.md";

/// A value as a person may write it: its text from the colon to its last byte.
#[derive(Debug, Clone)]
struct GeneratedValue {
    text: String,
    value: Value,
    form: Form,
    /// A comment between the colon and the value.
    head: Option<String>,
    /// The number of blank lines that belong to it (`|+`).
    blank_after: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// A scalar, whose edit must never be refused.
    Scalar,
    /// A block scalar: `|` or `>`.
    Block,
    List,
    /// A list whose last item is a block scalar.
    ListWithBlockText,
    Map,
    /// A value with an anchor or a tag on it or in it.
    AnchoredOrTagged,
    /// An alias of the last anchor before it, or a scalar if there is none.
    Alias,
}

/// A value with the lines above it and the comment after it.
#[derive(Debug, Clone)]
struct EntryLayout {
    written: GeneratedValue,
    above: Vec<String>,
    trailing: Option<String>,
}

/// A document with the positions of its entries.
#[derive(Debug, Clone)]
struct GeneratedDocument {
    text: String,
    yaml: Range<usize>,
    entries: Vec<GeneratedEntry>,
    flow: bool,
}

#[derive(Debug, Clone)]
struct GeneratedEntry {
    key: String,
    line: usize,
    last_line: usize,
    /// The bytes that an edit may change.
    span: Range<usize>,
    written: GeneratedValue,
}

impl GeneratedDocument {
    fn values(&self) -> Map<String, Value> {
        self.entries.iter().map(|entry| (entry.key.clone(), entry.written.value.clone())).collect()
    }

    fn pick(&self, index: Index) -> &GeneratedEntry {
        &self.entries[index.index(self.entries.len())]
    }
}

const KEYS: &[(&str, &str)] = &[
    ("status", "status"),
    ("updated", "updated"),
    ("tags", "tags"),
    ("brand_voice", "brand_voice"),
    ("with-dash", "with-dash"),
    ("two words", "two words"),
    ("a: b", "\"a: b\""),
    ("it's # not", "'it''s # not'"),
    ("q\"t", "\"q\\\"t\""),
    ("12", "12"),
    ("true", "'true'"),
    ("ключ", "ключ"),
    ("日本", "\"日本\""),
    ("é😀", "é😀"),
    ("---x", "\"---x\""),
];

/// Texts that are hard to write as YAML.
#[rustfmt::skip]
const TRICKY_TEXTS: &[&str] = &[
    "", " ", " lead", "trail ", "a: b", "a:", ":", "# x", "x # y", "x #y", "- x", "-", "--",
    "---", "...", "? x", "?", "it's", "'", "\"", "say \"x\"", "\\", "a\\nb", "two\nlines", "\n",
    "end\n", "a\r\nb", "\r", "\t", "a\tb", "null", "~", "true", "False", "yes", "12", "-0",
    "0042", "0x1f", "1e3", ".5", ".inf", "2026-02-02", "*a", "&a", "!t", "!!str x", "%x", "@x",
    "`x`", "[x", "x]", "{x", "x}", "x, y", "[]", "{}", "|", "> x", "<<", "=", "\u{2028}",
    "\u{2029}x", "\u{feff}", "\u{feff}x", "\u{85}", "\u{a0}", "\u{a0}x\u{a0}", "\u{3000}",
    "\u{c}", "\u{0}", "\u{1b}[0m", "\u{7f}", "\u{200b}", "é", "😀", "👩‍👩‍👧", "e\u{301}",
    "\u{10ffff}", "\u{fffe}",
];

fn word() -> impl Strategy<Value = String> {
    "[vzéя][a-z0-9éя]{0,5}"
}

fn scalar() -> impl Strategy<Value = (String, Value)> {
    let typed = select(vec![
        ("1", json!(1)),
        ("-7", json!(-7)),
        ("1.5", json!(1.5)),
        ("true", json!(true)),
        ("null", json!(null)),
        ("~", json!(null)),
        ("2026-01-31", json!("2026-01-31")),
        ("0042", json!("0042")),
        ("80%", json!("80%")),
        ("a:b", json!("a:b")),
        ("x#y", json!("x#y")),
    ]);
    prop_oneof![
        3 => (word(), word()).prop_map(|(a, b)| (format!("{a} {b}"), json!(format!("{a} {b}")))),
        2 => typed.prop_map(|(written, value)| (written.to_owned(), value)),
        2 => "[a-zé:#,\\[\\]{}\"'&*! -]{0,8}".prop_map(|text| (format!("'{}'", text.replace('\'', "''")), json!(text))),
        2 => "[a-zé:#,\\[\\]{}\"'\\\\&*! -]{0,8}".prop_map(|text| (format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")), json!(text))),
    ]
}

fn comment() -> impl Strategy<Value = Option<String>> {
    prop_oneof![2 => Just(None), 1 => "[a-zé:'\"-]{0,6}".prop_map(|text| Some(format!("#{text}")))]
}

fn plain(text: String, value: Value, form: Form) -> GeneratedValue {
    GeneratedValue { text, value, form, head: None, blank_after: 0 }
}

/// Values that are valid inside of braces, and so everywhere.
fn flow_value() -> impl Strategy<Value = GeneratedValue> {
    let items = || prop::collection::vec(scalar(), 0..4);
    prop_oneof![
        4 => (scalar(), 1..4usize).prop_map(|((written, value), gap)| plain(format!("{}{written}", " ".repeat(gap)), value, Form::Scalar)),
        1 => Just(plain(String::new(), Value::Null, Form::Scalar)),
        2 => (items(), any::<bool>()).prop_map(|(items, tail)| {
            let written: Vec<String> = items.iter().map(|(written, _)| quote_for_flow(written)).collect();
            let tail = if tail && !items.is_empty() { "," } else { "" };
            plain(format!(" [{}{tail}]", written.join(", ")), items.into_iter().map(|(_, value)| value).collect(), Form::List)
        }),
        1 => items().prop_map(|items| {
            let written: Vec<String> = items.iter().enumerate().map(|(at, (written, _))| format!("k{at}: {}", quote_for_flow(written))).collect();
            plain(format!(" {{{}}}", written.join(", ")), numbered_map(items), Form::Map)
        }),
    ]
}

/// Quotes plain scalars with a colon or a hash, which have another meaning inside of brackets.
fn quote_for_flow(written: &str) -> String {
    if matches!(written, "a:b" | "x#y") { format!("\"{written}\"") } else { written.to_owned() }
}

fn numbered_map(items: Vec<(String, Value)>) -> Value {
    Value::Object(
        items.into_iter().enumerate().map(|(at, (_, value))| (format!("k{at}"), value)).collect(),
    )
}

fn any_value() -> impl Strategy<Value = GeneratedValue> {
    let block_items = || (prop::collection::vec((scalar(), comment()), 1..4), 0..3usize, comment());
    prop_oneof![
        5 => flow_value(),
        3 => block_items().prop_map(|(items, indent, head)| block(items, &"  ".repeat(indent), head, |_| "- ".to_owned(), Form::List)),
        2 => block_items().prop_map(|(items, indent, head)| block(items, &"  ".repeat(indent + 1), head, |at| format!("k{at}: "), Form::Map)),
        2 => multi_line_brackets(),
        2 => (prop::collection::vec(word(), 1..4), select(vec!["|", ">-", "|+", "|-", ">"]), 0..3usize).prop_map(|(words, mark, blanks)| block_scalar(&words, mark, blanks)),
        1 => (word(), word()).prop_map(|(a, b)| plain(format!("\n- {a}\n- |\n  {b}"), json!([a, format!("{b}\n")]), Form::ListWithBlockText)),
        1 => select(vec![" |", " >-", " |+"]).prop_map(|mark| plain(mark.to_owned(), json!(""), Form::Block)),
        1 => (word(), word()).prop_map(|(a, b)| plain(format!(" {a}\n  {b}"), json!(format!("{a} {b}")), Form::Scalar)),
        1 => (word(), word()).prop_map(|(a, b)| plain(format!(" \"{a}\n  {b}\""), json!(format!("{a} {b}")), Form::Scalar)),
        1 => (scalar(), comment()).prop_map(|((written, value), head)| GeneratedValue { text: format!("{}\n  {written}", with_space(head.as_ref())), value, form: Form::Scalar, head, blank_after: 0 }),
        1 => scalar().prop_map(|(written, value)| plain(format!(" &ANCHOR {written}"), value, Form::AnchoredOrTagged)),
        1 => word().prop_map(|word| plain(format!("\n  - x\n  - &ANCHOR {word}"), json!(["x", word]), Form::AnchoredOrTagged)),
        1 => word().prop_map(|word| plain(format!(" !!str {word}"), json!(word), Form::AnchoredOrTagged)),
        1 => Just(plain(" *ANCHOR".to_owned(), Value::Null, Form::Alias)),
    ]
}

/// Writes a list or a map below its key. The comment after the last item comes after the entry, so the caller adds it.
fn block(
    items: Vec<((String, Value), Option<String>)>,
    indent: &str,
    head: Option<String>,
    mark: impl Fn(usize) -> String,
    form: Form,
) -> GeneratedValue {
    let mut text = with_space(head.as_ref());
    let last = items.len() - 1;
    let mut values = Vec::new();
    for (at, ((written, value), comment)) in items.into_iter().enumerate() {
        let comment = if at == last { String::new() } else { with_space(comment.as_ref()) };
        text.push_str(&format!("\n{indent}{}{written}{comment}", mark(at)));
        values.push((written, value));
    }
    let value = if form == Form::List {
        values.into_iter().map(|(_, value)| value).collect()
    } else {
        numbered_map(values)
    };
    GeneratedValue { text, value, form, head, blank_after: 0 }
}

fn multi_line_brackets() -> impl Strategy<Value = GeneratedValue> {
    prop::collection::vec((scalar(), comment()), 1..4).prop_map(|items| {
        let mut text = " [".to_owned();
        for ((written, _), comment) in &items {
            text.push_str(&format!(
                "\n    {},{}",
                quote_for_flow(written),
                with_space(comment.as_ref())
            ));
        }
        text.push_str("\n  ]");
        plain(text, items.into_iter().map(|((_, value), _)| value).collect(), Form::List)
    })
}

fn block_scalar(words: &[String], mark: &str, blanks: usize) -> GeneratedValue {
    let mut value = words.join(if mark.starts_with('>') { " " } else { "\n" });
    if !mark.ends_with('-') {
        value.push('\n');
    }
    let kept = mark.ends_with('+');
    if kept {
        value.push_str(&"\n".repeat(blanks));
    }
    let lines: String = words.iter().map(|word| format!("\n  {word}")).collect();
    GeneratedValue {
        text: format!(" {mark}{lines}"),
        value: Value::String(value),
        form: Form::Block,
        head: None,
        blank_after: if kept { blanks } else { 0 },
    }
}

fn with_space(comment: Option<&String>) -> String {
    comment.map_or(String::new(), |comment| format!(" {comment}"))
}

fn layout(written: impl Strategy<Value = GeneratedValue>) -> impl Strategy<Value = EntryLayout> {
    let above = prop::collection::vec(
        prop_oneof![Just(String::new()), "[a-zé: '-]{0,6}".prop_map(|text| format!("# {text}"))],
        0..3,
    );
    (written, above, comment()).prop_map(|(written, above, trailing)| EntryLayout {
        written,
        above,
        trailing,
    })
}

fn document() -> impl Strategy<Value = GeneratedDocument> {
    let lines = prop_oneof![
        4 => prop::collection::vec(layout(any_value()), 1..6).prop_map(|lines| (lines, false)),
        1 => prop::collection::vec(layout(flow_value()), 1..5).prop_map(|lines| (lines, true)),
    ];
    let body =
        select(vec!["", "\n# T\n\ntext", "body: no\n", "\n---\nstatus: body\n---\n", "é 😀\n\n"]);
    let keys = Just(KEYS.to_vec()).prop_shuffle();
    (lines, keys, body, any::<[bool; 4]>()).prop_map(
        |((lines, flow), keys, body, [crlf, bom, dots, newline])| {
            let fence = if dots { "..." } else { "---" };
            let after_fence =
                if body.is_empty() && !newline { String::new() } else { format!("\n{body}") };
            let generated = if flow { render_flow(&lines, &keys) } else { render(&lines, &keys) };
            add_fences(&generated, crlf, bom, &format!("{fence}{after_fence}"))
        },
    )
}

/// Renders the front matter with `\n`; spans are relative to the front matter.
fn render(lines: &[EntryLayout], keys: &[(&str, &str)]) -> GeneratedDocument {
    let mut text = String::new();
    let mut entries = Vec::new();
    let mut anchor: Option<(String, Value)> = None;
    for (at, (line, (key, key_written))) in lines.iter().zip(keys).enumerate() {
        let mut written = line.written.clone();
        resolve_anchor(&mut written, &mut anchor, at);
        line.above.iter().for_each(|above| text.push_str(&format!("{above}\n")));
        let first_line = 1 + text.matches('\n').count();
        text.push_str(&format!("{key_written}:"));
        let start = text.len();
        text.push_str(&written.text);
        let end = text.len();
        let last_line = 1 + text.matches('\n').count();
        if !matches!(written.form, Form::Block | Form::ListWithBlockText) {
            text.push_str(&with_space(line.trailing.as_ref()));
        }
        text.push_str(&"\n".repeat(1 + written.blank_after));
        entries.push(GeneratedEntry {
            key: (*key).to_owned(),
            line: first_line,
            last_line,
            span: start..end,
            written,
        });
    }
    keep_blank_lines(lines, &mut entries);
    GeneratedDocument { yaml: 0..text.len(), text, entries, flow: false }
}

fn render_flow(lines: &[EntryLayout], keys: &[(&str, &str)]) -> GeneratedDocument {
    let mut text = "{".to_owned();
    let mut entries = Vec::new();
    let is_multi_line = lines.iter().any(|line| line.trailing.is_some());
    for (line, (key, key_written)) in lines.iter().zip(keys) {
        text.push_str(if is_multi_line { "\n  " } else { "" });
        let first_line = 1 + text.matches('\n').count();
        text.push_str(&format!("{key_written}:"));
        let start = text.len();
        text.push_str(&line.written.text);
        entries.push(GeneratedEntry {
            key: (*key).to_owned(),
            line: first_line,
            last_line: first_line,
            span: start..text.len(),
            written: line.written.clone(),
        });
        text.push_str(if is_multi_line { "," } else { ", " });
        text.push_str(
            &line
                .trailing
                .as_ref()
                .filter(|_| is_multi_line)
                .map_or(String::new(), |comment| format!(" {comment}")),
        );
    }
    if !is_multi_line {
        text.truncate(text.len() - ", ".len());
    }
    text.push_str(if is_multi_line { "\n}\n" } else { "}\n" });
    GeneratedDocument { yaml: 0..text.len(), text, entries, flow: true }
}

/// Adds the blank lines above an entry to a `|+` before it.
fn keep_blank_lines(lines: &[EntryLayout], entries: &mut [GeneratedEntry]) {
    for at in 1..entries.len() {
        let blanks = lines[at].above.iter().take_while(|above| above.is_empty()).count();
        let before = &mut entries[at - 1].written;
        if before.form == Form::Block
            && before.text.starts_with(" |+")
            && let Value::String(text) = &mut before.value
        {
            text.push_str(&"\n".repeat(blanks));
        }
    }
}

fn resolve_anchor(written: &mut GeneratedValue, last: &mut Option<(String, Value)>, at: usize) {
    match (written.form, &last) {
        (Form::Alias, Some((name, value))) => {
            written.text = format!(" *{name}");
            written.value = value.clone();
        }
        (Form::Alias, None) => *written = plain(" v".to_owned(), json!("v"), Form::Scalar),
        (Form::AnchoredOrTagged, _) if written.text.contains("&ANCHOR") => {
            let name = format!("a{at}");
            written.text = written.text.replace("ANCHOR", &name);
            let anchored = written
                .value
                .as_array()
                .and_then(|items| items.last())
                .unwrap_or(&written.value)
                .clone();
            *last = Some((name, anchored));
        }
        _ => {}
    }
}

/// Adds the fences and the body, and converts the line breaks.
fn add_fences(
    generated: &GeneratedDocument,
    crlf: bool,
    bom: bool,
    tail: &str,
) -> GeneratedDocument {
    let convert = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    let head = format!("{}{}", if bom { "\u{feff}" } else { "" }, convert("---\n"));
    let shifted = |at: usize| head.len() + convert(&generated.text[..at]).len();
    let entries = generated.entries.iter().map(|entry| GeneratedEntry {
        span: shifted(entry.span.start)..shifted(entry.span.end),
        line: entry.line + 1,
        last_line: entry.last_line + 1,
        ..entry.clone()
    });
    GeneratedDocument {
        yaml: head.len()..shifted(generated.text.len()),
        entries: entries.collect(),
        text: format!("{head}{}{}", convert(&generated.text), convert(tail)),
        flow: generated.flow,
    }
}

fn tricky_text() -> impl Strategy<Value = String> {
    prop_oneof![3 => select(TRICKY_TEXTS.to_vec()).prop_map(str::to_owned), 1 => word(), 1 => "\\PC{0,12}", 1 => any::<String>()]
}

fn new_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        5 => tricky_text().prop_map(Value::String),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_filter("JSON has no number for it", |number| number.is_finite()).prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
        2 => prop::collection::vec(tricky_text(), 0..4).prop_map(|items| json!(items)),
    ]
}

/// Reads the values of a front matter.
fn values(text: &str) -> Map<String, Value> {
    let FrontMatterLocation::Block { yaml, .. } = frontmatter::split(text) else {
        panic!("no front matter: {text:?}")
    };
    match yaml::parse(&text[yaml]) {
        Ok(Some(root)) => root.value().as_object().cloned().unwrap_or_default(),
        other => panic!("{other:?}: {text:?}"),
    }
}

/// Checks that an edit was refused because of an anchor or a tag, and that the problem names the line.
fn check_refusal(entry: &GeneratedEntry, problem: &Problem) -> Result<(), TestCaseError> {
    prop_assert_eq!(&problem.path, PATH);
    prop_assert!(
        (entry.line..=entry.last_line).contains(&problem.line),
        "{} is not in {}..={}",
        problem.line,
        entry.line,
        entry.last_line
    );
    prop_assert_eq!(entry.written.form, Form::AnchoredOrTagged, "refused: {}", problem);
    prop_assert!(problem.message.contains("anchor"), "{}", problem);
    Ok(())
}

fn check_bytes(before: &str, after: &str, span: &Range<usize>) -> Result<(), TestCaseError> {
    let (head, tail) = (&before[..span.start], &before[span.end..]);
    prop_assert!(
        after.len() >= head.len() + tail.len() && after.starts_with(head) && after.ends_with(tail),
        "{:?}",
        after
    );
    Ok(())
}

fn is_insertion(before: &str, after: &str) -> bool {
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let rest = before.len() - same;
    after.len() >= before.len()
        && after.as_bytes()[after.len() - rest..] == before.as_bytes()[same..]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_documents_parse_to_their_values(generated in document()) {
        prop_assert_eq!(values(&generated.text), generated.values());
        let yaml = &generated.text[generated.yaml.clone()];
        prop_assert_eq!(yaml::parse(yaml), yaml::parse(yaml));
    }

    #[test]
    fn setting_a_key_changes_nothing_else(generated in document(), index: Index, value in new_value()) {
        let entry = generated.pick(index);
        let before = &generated.text;
        if entry.written.value == value {
            prop_assert_eq!(&frontmatter::set(PATH, before, &entry.key, &value), &Ok(before.clone()));
            return Ok(());
        }
        match frontmatter::set(PATH, before, &entry.key, &value) {
            Err(problem) => check_refusal(entry, &problem)?,
            Ok(after) => {
                prop_assert!(entry.written.form != Form::AnchoredOrTagged, "an anchored value was changed");
                check_bytes(before, &after, &entry.span)?;
                let changed = &after[entry.span.start..after.len() - (before.len() - entry.span.end)];
                prop_assert!(entry.written.head.as_ref().is_none_or(|head| changed.contains(head.as_str())), "lost a comment: {:?}", changed);
                let mut expected = generated.values();
                expected.insert(entry.key.clone(), value.clone());
                prop_assert_eq!(values(&after), expected);
                prop_assert_eq!(frontmatter::set(PATH, &after, &entry.key, &value), Ok(after.clone()), "setting it again");
            }
        }
    }

    #[test]
    fn setting_a_key_works_without_a_final_line_break(generated in document(), index: Index, value in new_value()) {
        let entry = generated.pick(index);
        let last = generated.entries.last().is_some_and(|last| matches!(last.written.form, Form::Block | Form::ListWithBlockText));
        let before = generated.text[generated.yaml.clone()].trim_end_matches(['\r', '\n']);
        if last || entry.written.value == value {
            return Ok(());
        }
        match yaml::set_key(before, &entry.key, &value) {
            Err(error) => prop_assert!(entry.written.form == Form::AnchoredOrTagged, "refused: {}", error),
            Ok(next) => {
                let offset = generated.yaml.start;
                check_bytes(before, &next, &(entry.span.start - offset..entry.span.end - offset))?;
            }
        }
    }

    #[test]
    fn setting_a_missing_key_only_inserts(generated in document(), key in tricky_text(), value in new_value()) {
        let before = &generated.text;
        prop_assume!(key != "<<" && generated.entries.iter().all(|entry| entry.key != key));
        let after = match frontmatter::set(PATH, before, &key, &value) {
            Ok(after) => after,
            Err(problem) => return Err(TestCaseError::fail(format!("refused: {problem}"))),
        };
        prop_assert!(is_insertion(before, &after), "{:?}", after);
        if !generated.flow {
            check_bytes(before, &after, &(generated.yaml.end..generated.yaml.end))?;
        }
        let mut expected = generated.values();
        expected.insert(key, value);
        prop_assert_eq!(values(&after), expected);
    }

    #[test]
    fn appending_an_item_only_inserts(generated in document(), index: Index, item in tricky_text()) {
        let entry = generated.pick(index);
        let before = &generated.text;
        let old = match &entry.written.value {
            Value::Null => vec![],
            Value::Array(items) => items.clone(),
            single => vec![single.clone()],
        };
        let after = match frontmatter::append_to_list(PATH, before, &entry.key, &item) {
            Ok(after) => after,
            Err(problem) => return check_refusal(entry, &problem),
        };
        if old.contains(&json!(item)) {
            prop_assert_eq!(before, &after);
            return Ok(());
        }
        match entry.written.form {
            Form::List | Form::ListWithBlockText if !old.is_empty() => prop_assert!(is_insertion(before, &after), "{:?}", after),
            _ => check_bytes(before, &after, &entry.span)?,
        }
        let mut expected = generated.values();
        expected.insert(entry.key.clone(), old.into_iter().chain([json!(item)]).collect());
        prop_assert_eq!(values(&after), expected);
    }

    #[test]
    fn resolving_is_deterministic(parent in document(), child in document()) {
        let resolve = || {
            let layers = [&parent, &child].map(|generated| Document::parse(PATH, &generated.text).values);
            layers.into_iter().fold(Tree::default(), Tree::merge).into_value()
        };
        prop_assert_eq!(resolve(), resolve());
    }
}
