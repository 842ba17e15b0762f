//! A request's schema as command-line arguments, and the arguments as a request.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use heirloom_engine::{Error, Op, schema};
use serde_json::{Map, Value, json};

use crate::completion::{Slot, completer, shifting_completer};

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Flag,
    Text,
    Words(Vec<String>),
    Integer,
    Number,
    List,
    Pairs,
    /// A text that is read from a file.
    Content,
    /// Several texts, each from a file.
    Files,
}

struct Field {
    name: String,
    kind: Kind,
    about: String,
    required: bool,
    default: Option<Value>,
}

/// Adds an operation's arguments to its command.
pub(crate) fn add(command: Command, op: &Op) -> Command {
    let positionals: Vec<&str> = op.positionals().collect();
    let mut fields = fields(op);
    fields.sort_by_key(|field| {
        positionals.iter().position(|name| *name == field.name).unwrap_or(usize::MAX)
    });
    let slots: Vec<Slot> = fields.iter().take(positionals.len()).map(slot).collect();
    let command = fields.into_iter().enumerate().fold(command, |command, (at, field)| {
        let positional = positionals.contains(&field.name.as_str());
        let loose = positional && op.stand_in().is_some();
        let several = op.spec.usage.contains(&format!("{}>...", field.name));
        let arg = argument(&field, positional, loose, several);
        let completer = match loose {
            true => Some(shifting_completer(op, &slots, at)),
            false => completer(op, &field.name),
        };
        command.arg(match completer {
            Some(completer) => arg.add(completer),
            None => arg,
        })
    });
    match op.stand_in() {
        None => command,
        Some((slot, flag)) => command.override_usage(usage(op)).arg(
            Arg::new(flag)
                .long(flag)
                .action(ArgAction::SetTrue)
                .help(format!("Instead of {}: the {flag}'s own", value_name(slot))),
        ),
    }
}

fn slot(field: &Field) -> Slot {
    let words = match &field.kind {
        Kind::Words(words) => words.clone(),
        _ => vec![],
    };
    Slot { field: field.name.clone(), words }
}

/// How a command with shifting arguments is typed, in the names that the help uses.
fn usage(op: &Op) -> String {
    let words = op.spec.usage.split(' ').map(|word| match word.strip_prefix(['<', '[']) {
        None => word.to_owned(),
        Some(rest) => {
            let end = rest.find(['|', '>', ']']).unwrap_or(rest.len());
            format!("{}{}{}", &word[..1], value_name(&rest[..end]), &rest[end..])
        }
    });
    format!("heir {} [OPTIONS]", words.collect::<Vec<_>>().join(" "))
}

/// A loose argument may be shifted by a flag that stands in for another, so that what it is and
/// whether it is missing is only known at the end.
fn argument(field: &Field, positional: bool, loose: bool, several: bool) -> Arg {
    let mut arg = Arg::new(field.name.clone()).help(help(field)).required(field.required && !loose);
    let value_name = value_name(&field.name);
    if loose {
        return match &field.kind {
            Kind::Words(words) => {
                arg.help(format!("{} [{}]", help(field), words.join(", "))).value_name(value_name)
            }
            _ => arg.value_name(value_name),
        };
    }
    if !positional {
        let long = kebab(&field.name);
        // `--tag a --tag b` reads better than `--tags a --tags b`; both are taken.
        arg = match long.strip_suffix('s').filter(|_| field.kind == Kind::List) {
            Some(one) => arg.long(one.to_owned()).visible_alias(long.clone()),
            None => arg.long(long.clone()),
        };
        if matches!(long.as_str(), "plan" | "agent") {
            arg = arg.alias(format!("{long}-id"));
        }
        if field.name == "limit" {
            arg = arg.short('k');
        }
    }
    match &field.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Text if several => arg.value_name(value_name).num_args(1..),
        Kind::Text => arg.value_name(value_name),
        Kind::Words(words) => arg
            .value_name(value_name)
            .ignore_case(true)
            .value_parser(PossibleValuesParser::new(words.iter().map(possible))),
        Kind::Integer => arg.value_name("N").value_parser(value_parser!(i64)),
        Kind::Number => {
            arg.value_name("N").value_parser(value_parser!(f64)).allow_negative_numbers(true)
        }
        Kind::List if positional => arg.value_name(value_name).num_args(1..),
        Kind::List => arg.value_name(value_name).action(ArgAction::Append),
        Kind::Pairs => arg.value_name("KEY=VALUE").action(ArgAction::Append),
        Kind::Content => arg.value_name("FILE"),
        Kind::Files => arg.value_name("PATH").num_args(1..),
    }
}

/// A word as it is typed: without capitals, spaces and signs where it has spaces (`known-issues`).
fn possible(word: &String) -> PossibleValue {
    let slug = kebab(&word.replace([' ', '&'], "-"));
    if slug == *word || !word.contains(' ') {
        PossibleValue::new(word.clone())
    } else {
        PossibleValue::new(slug).alias(word.clone())
    }
}

/// `planId` is `plan-id`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        let dash = c.is_uppercase() || matches!(c, '_' | '-' | ' ');
        if dash && !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// `planId` is `PLAN`: on a command line every name is an id.
fn value_name(name: &str) -> String {
    kebab(name).trim_end_matches("-id").to_uppercase().replace('-', "_")
}

fn help(field: &Field) -> String {
    match &field.default {
        Some(default) => format!(
            "{} [default: {}]",
            field.about,
            default.as_str().map_or_else(|| default.to_string(), str::to_owned)
        ),
        None => field.about.clone(),
    }
}

fn fields(op: &Op) -> Vec<Field> {
    let schema = schema::simplified(&op.request_schema().to_value());
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some(properties) = schema["properties"].as_object() else { return vec![] };
    let field = |(name, schema): (&String, &Value)| Field {
        name: name.clone(),
        kind: kind(schema),
        about: schema["description"].as_str().unwrap_or_default().trim_end_matches('.').to_owned(),
        required: required.contains(&name.as_str()),
        default: schema.get("default").cloned(),
    };
    properties.iter().map(field).collect()
}

fn kind(schema: &Value) -> Kind {
    if let Some(words) = schema["enum"].as_array() {
        return Kind::Words(words.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    }
    if schema.get("contentMediaType").is_some() {
        return Kind::Content;
    }
    match schema["type"].as_str() {
        Some("array") if schema["items"]["type"] == "object" => Kind::Files,
        Some("boolean") => Kind::Flag,
        Some("integer") => Kind::Integer,
        Some("number") => Kind::Number,
        Some("array") => Kind::List,
        Some("object") => Kind::Pairs,
        _ => Kind::Text,
    }
}

/// Stands before a text that starts with a dash, so that it is not taken for a flag.
const GUARD: char = '\u{e000}';

/// Guards an argument that is no flag though it starts with a dash: no flag has a space in its name,
/// and people do write `- a list item`.
pub(crate) fn guarded(argument: OsString) -> OsString {
    let is_text = argument.to_str().is_some_and(|text| {
        let name = text.split('=').next().unwrap_or(text);
        text.starts_with('-') && name.contains(char::is_whitespace)
    });
    if !is_text {
        return argument;
    }
    let mut guarded = OsString::from(GUARD.to_string());
    guarded.push(argument);
    guarded
}

fn text_of<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(|text| text.strip_prefix(GUARD).unwrap_or(text))
}

fn texts_of<'m>(matches: &'m ArgMatches, name: &str) -> Option<Vec<&'m str>> {
    let texts = matches.get_many::<String>(name)?;
    Some(texts.map(|text| text.strip_prefix(GUARD).unwrap_or(text)).collect())
}

/// Reads the request that the arguments make.
pub(crate) fn request(matches: &ArgMatches, op: &Op) -> Result<Value, Error> {
    let mut request = Map::new();
    let loose: Vec<&str> = match op.stand_in() {
        Some(_) => op.positionals().collect(),
        None => vec![],
    };
    for field in fields(op).into_iter().filter(|field| !loose.contains(&field.name.as_str())) {
        let name = field.name.as_str();
        let value = match field.kind {
            Kind::Flag => Some(json!(matches.get_flag(name))),
            Kind::Text => typed_text(matches, name)?.map(|text| json!(text)),
            Kind::Words(_) => text_of(matches, name).map(|text| json!(text)),
            Kind::Integer => matches.get_one::<i64>(name).map(|number| json!(number)),
            Kind::Number => matches.get_one::<f64>(name).map(|number| json!(number)),
            Kind::List => texts_of(matches, name).map(|items| json!(items)),
            Kind::Pairs => pairs(matches, name)?,
            Kind::Content => match text_of(matches, name) {
                Some(path) => Some(json!(content(path)?)),
                // `heir compact < talk.txt`: what is piped in is meant.
                None if is_positional(op, name) && !std::io::stdin().is_terminal() => {
                    Some(json!(content("-")?))
                }
                None => None,
            },
            Kind::Files => Some(files(matches, name)?),
        };
        if let Some(value) = value {
            request.insert(field.name, value);
        }
    }
    if let Some((slot, flag)) = op.stand_in() {
        request.extend(shifted(matches, op, slot, matches.get_flag(flag))?);
    }
    Ok(Value::Object(request))
}

/// Reads positional arguments of which one is left out where its flag is given.
fn shifted(
    matches: &ArgMatches,
    op: &Op,
    slot: &str,
    without: bool,
) -> Result<Map<String, Value>, Error> {
    let mut typed: Vec<String> = Vec::new();
    for name in op.positionals() {
        typed.extend(typed_text(matches, name)?);
    }
    if !without && let Some(error) = skipped_slot(op, slot, &typed) {
        return Err(error);
    }
    let wanted: Vec<&str> = op.positionals().filter(|name| !(without && *name == slot)).collect();
    let words: Vec<&str> = op.words().collect();
    let refuse =
        |message: String| Err(Error::bad_input(message).hint(format!("heir {}", op.spec.usage)));
    if let Some(extra) = typed.get(wanted.len()) {
        return refuse(format!("heir {}: `{extra}` is one argument too many", words.join(" ")));
    }
    let fields = fields(op);
    let optional = |name: &str| op.spec.usage.contains(&format!("[{name}"));
    let missing = wanted[typed.len()..].iter().find(|name| {
        !optional(name)
            && (fields.iter().any(|field| field.name == **name && field.required) || **name == slot)
    });
    if let Some(missing) = missing {
        return refuse(format!("heir {}: {} is missing", words.join(" "), value_name(missing)));
    }
    Ok(wanted.iter().zip(typed).map(|(name, text)| ((*name).to_owned(), json!(text))).collect())
}

/// Returns what to say of a call that leaves out the argument which a flag may stand in for: the word
/// in its place belongs to the argument after it (`memory add 0042 finding "…"`).
fn skipped_slot(op: &Op, slot: &str, typed: &[String]) -> Option<Error> {
    let at = op.positionals().position(|name| name == slot)?;
    let next = op.positionals().nth(at + 1)?;
    let field = fields(op).into_iter().find(|field| field.name == next)?;
    let Kind::Words(words) = field.kind else { return None };
    let is_word = |at: usize| typed.get(at).is_some_and(|text| words.contains(text));
    if !is_word(at) || is_word(at + 1) {
        return None;
    }
    let flag = op.stand_in()?.1;
    let call = |slot: &str| {
        let quoted = |word: &String| match word.contains(char::is_whitespace) {
            true => format!("{word:?}"),
            false => word.clone(),
        };
        let mut words: Vec<String> = op.words().map(str::to_owned).collect();
        words.extend(typed[..at].iter().map(quoted));
        words.push(slot.to_owned());
        words.extend(typed[at..].iter().map(quoted));
        format!("heir {}", words.join(" "))
    };
    let name = value_name(slot);
    Some(
        Error::bad_input(format!(
            "heir {}: {name} is missing before `{}`",
            op.words().collect::<Vec<_>>().join(" "),
            typed[at]
        ))
        .hint(format!(
            "`{}`, or `{}` for the {flag}'s own",
            call(&name),
            call(&format!("--{flag}"))
        )),
    )
}

fn is_positional(op: &Op, name: &str) -> bool {
    op.positionals().any(|own| own == name)
}

/// Returns a text: what was typed, several words as one text, and for `-` what standard input says.
fn typed_text(matches: &ArgMatches, name: &str) -> Result<Option<String>, Error> {
    match texts_of(matches, name).as_deref() {
        None => Ok(None),
        Some(["-"]) => content("-").map(|text| Some(text.trim_end_matches('\n').to_owned())),
        Some(words) => Ok(Some(words.join(" "))),
    }
}

/// Reads a file, or standard input for `-`.
fn content(path: &str) -> Result<String, Error> {
    if Path::new(path).is_dir() {
        return Err(Error::bad_input(format!("{path} is a folder")).hint("name a file"));
    }
    if path == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Error::bad_input(format!("standard input: {error}")))?;
        return Ok(text);
    }
    let files = heirloom_engine::read_given(Path::new(path))?;
    Ok(files.into_iter().map(|(_, text)| text).collect())
}

fn files(matches: &ArgMatches, name: &str) -> Result<Value, Error> {
    let mut all = Vec::new();
    for path in texts_of(matches, name).into_iter().flatten() {
        if path == "-" {
            all.push(json!({"name": "standard input", "text": content(path)?}));
            continue;
        }
        for (name, text) in heirloom_engine::read_given(Path::new(path))? {
            all.push(json!({"name": name, "text": text}));
        }
    }
    Ok(Value::Array(all))
}

fn pairs(matches: &ArgMatches, name: &str) -> Result<Option<Value>, Error> {
    let Some(items) = texts_of(matches, name) else { return Ok(None) };
    let mut map: Map<String, Value> = Map::new();
    for item in items {
        let Some((key, value)) = item.split_once('=') else {
            return Err(Error::bad_input(format!("--{name} {item}: a `=` is missing"))
                .hint(format!("write it as --{name} key=value")));
        };
        map.insert(key.trim().to_owned(), json!(value.trim()));
    }
    Ok(Some(Value::Object(map)))
}
