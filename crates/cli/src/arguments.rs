//! Derives command-line arguments from the schema of a request, and builds the request from the arguments.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use heirloom_engine::{Error, Op, schema};
use serde_json::{Map, Value, json};

use crate::completion::{CompletedField, completer, shifting_completer};

/// The type of a field, as far as parsing it goes.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Flag,
    Text,
    /// One of a few words.
    Choice(Vec<String>),
    Integer,
    Number,
    List,
    Pairs,
    /// Text that is read from a file.
    Content,
    /// Text from several files.
    Files,
    /// Names, each with the text of a file.
    NamedFiles,
}

struct Field {
    name: String,
    kind: Kind,
    about: String,
    required: bool,
    default: Option<Value>,
    /// A one-letter flag.
    short: Option<char>,
    /// Another name of the flag, which is not shown.
    alias: Option<String>,
    /// Whether the name of a file is sent with its text.
    is_named: bool,
}

/// Adds an operation's arguments to its command.
pub(crate) fn add(command: Command, op: &Op) -> Command {
    let positionals: Vec<&str> = op.positionals().collect();
    let mut fields = fields(op);
    fields.sort_by_key(|field| {
        positionals.iter().position(|name| *name == field.name).unwrap_or(usize::MAX)
    });
    let slots: Vec<CompletedField> = fields.iter().take(positionals.len()).map(slot).collect();
    let command = fields.into_iter().enumerate().fold(command, |command, (at, field)| {
        let positional = positionals.contains(&field.name.as_str());
        let is_shiftable = positional && op.flag_alternative().is_some();
        let several = op.spec.usage.contains(&format!("{}>...", field.name));
        let arg = argument(&field, positional, is_shiftable, several);
        let completer = match is_shiftable {
            true => Some(shifting_completer(op, &slots, at)),
            false => completer(op, &field.name),
        };
        command.arg(match completer {
            Some(completer) => arg.add(completer),
            None => arg,
        })
    });
    match op.flag_alternative() {
        None => command,
        Some((slot, flag)) => command.override_usage(usage(op)).arg(
            Arg::new(flag)
                .long(flag)
                .action(ArgAction::SetTrue)
                .help(format!("Instead of {}: the {flag}'s own", value_name(slot))),
        ),
    }
}

fn slot(field: &Field) -> CompletedField {
    let words = match &field.kind {
        Kind::Choice(words) => words.clone(),
        _ => vec![],
    };
    CompletedField { field: field.name.clone(), words }
}

/// Returns the usage line of a command with shiftable arguments.
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

/// Builds the argument of a field. A flag may replace one positional argument, which shifts those behind
/// it; such arguments are checked by [`shifted`], when all are known.
fn argument(field: &Field, positional: bool, is_shiftable: bool, several: bool) -> Arg {
    let is_required = field.required && !is_shiftable;
    let mut arg = Arg::new(field.name.clone()).help(help(field)).required(is_required);
    let value_name = value_name(&field.name);
    if is_shiftable {
        return match &field.kind {
            Kind::Choice(words) => {
                arg.help(format!("{} [{}]", help(field), words.join(", "))).value_name(value_name)
            }
            _ => arg.value_name(value_name),
        };
    }
    if !positional {
        let (long, plural) = (long_flag(field), kebab(&field.name));
        if long != plural {
            arg = arg.visible_alias(plural);
        }
        arg = arg.long(long).short(field.short).aliases(field.alias.clone());
    }
    match &field.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Text if several => arg.value_name(value_name).num_args(1..),
        Kind::Text => arg.value_name(value_name),
        Kind::Choice(words) => arg
            .value_name(value_name)
            .ignore_case(true)
            .value_parser(PossibleValuesParser::new(words.iter().map(possible_value))),
        Kind::Integer => {
            arg.value_name("N").value_parser(parse_integer).allow_negative_numbers(true)
        }
        Kind::Number => arg.value_name("N").value_parser(parse_number).allow_negative_numbers(true),
        Kind::List if positional => arg.value_name(value_name).num_args(1..),
        Kind::List => arg.value_name(value_name).action(ArgAction::Append),
        Kind::Pairs => arg.value_name("KEY=VALUE").action(ArgAction::Append),
        Kind::Content => arg.value_name("FILE"),
        Kind::Files => arg.value_name("PATH").num_args(1..),
        Kind::NamedFiles => arg.value_name("NAME=FILE").action(ArgAction::Append),
    }
}

/// Returns a word of a choice; one with spaces is typed as `known-issues`. `Patterns & Conventions` has two names, each of
/// which is accepted.
fn possible_value(word: &String) -> PossibleValue {
    let slug = kebab(&word.replace([' ', '&'], "-"));
    if slug == *word || !word.contains(' ') {
        PossibleValue::new(word.clone())
    } else {
        let names = word.split(" & ").map(str::to_owned);
        PossibleValue::new(slug).alias(word.clone()).aliases(names.filter(|name| name != word))
    }
}

/// Returns the flag of a field. `--tag a --tag b` reads better than `--tags a --tags b`, so the flag of a
/// list is its name in the singular; both are accepted.
fn long_flag(field: &Field) -> String {
    let name = kebab(&field.name);
    // `status` is no plural.
    let singular = name.strip_suffix('s').filter(|singular| !singular.ends_with(['s', 'u']));
    match singular.filter(|_| matches!(field.kind, Kind::List | Kind::NamedFiles)) {
        Some(one) => one.to_owned(),
        None => name,
    }
}

/// Returns how a field of an operation is typed: its flag, or the name that the usage shows for a positional argument.
pub(crate) fn spelling(op: Option<&Op>, name: &str) -> String {
    if op.is_some_and(|op| is_positional(op, name)) {
        return value_name(name);
    }
    let field = op.and_then(|op| fields(op).into_iter().find(|field| field.name == name));
    format!("--{}", field.map_or_else(|| kebab(name), |field| long_flag(&field)))
}

/// Returns a field name in kebab case: `plan-id` for `planId`.
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

/// Returns the placeholder of a field in the help: `PLAN` for `planId`.
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
    let full_schema = op.request_schema().to_value();
    let schema = schema::simplify(&full_schema);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some(properties) = schema["properties"].as_object() else { return vec![] };
    let extension = |name: &str, key: &str| full_schema["properties"][name][key].as_str();
    let field = |(name, schema): (&String, &Value)| Field {
        name: name.clone(),
        kind: kind(schema),
        about: schema["description"].as_str().unwrap_or_default().trim_end_matches('.').to_owned(),
        required: required.contains(&name.as_str()),
        default: schema.get("default").cloned(),
        short: extension(name, schema::SHORT_FLAG).and_then(|letter| letter.chars().next()),
        alias: extension(name, schema::FLAG_ALIAS).map(str::to_owned),
        is_named: full_schema["properties"][name][schema::NAMED_CONTENT] == true,
    };
    let has_flag = |(name, _): &(&String, &Value)| {
        full_schema["properties"][name.as_str()].get(schema::NO_FLAG).is_none()
    };
    properties.iter().filter(has_flag).map(field).collect()
}

fn kind(schema: &Value) -> Kind {
    if let Some(words) = schema["enum"].as_array() {
        return Kind::Choice(words.iter().filter_map(Value::as_str).map(str::to_owned).collect());
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
        Some("object") if schema["additionalProperties"].get("contentMediaType").is_some() => {
            Kind::NamedFiles
        }
        Some("object") => Kind::Pairs,
        _ => Kind::Text,
    }
}

/// Parses a whole number.
fn parse_integer(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "it is not a whole number".to_owned())
}

/// Parses a number. JSON has no `NaN` and no infinity, so they would be lost on the way to the operation.
fn parse_number(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("it is not a finite number".to_owned()) }
}

/// Prefix of a text that starts with a dash, so that clap does not parse it as a flag.
const TEXT_PREFIX: char = '\u{e000}';

/// Marks an argument as text if it starts with a dash and has a space in its name, which no flag has:
/// `- a list item`.
pub(crate) fn mark_text(argument: OsString) -> OsString {
    let is_text = argument.to_str().is_some_and(|text| {
        let name = text.split('=').next().unwrap_or(text);
        text.starts_with('-') && name.contains(char::is_whitespace)
    });
    if !is_text {
        return argument;
    }
    let mut marked = OsString::from(TEXT_PREFIX.to_string());
    marked.push(argument);
    marked
}

fn text_of<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(|text| text.strip_prefix(TEXT_PREFIX).unwrap_or(text))
}

fn texts_of<'m>(matches: &'m ArgMatches, name: &str) -> Option<Vec<&'m str>> {
    let texts = matches.get_many::<String>(name)?;
    Some(texts.map(|text| text.strip_prefix(TEXT_PREFIX).unwrap_or(text)).collect())
}

/// Builds the request from the arguments.
pub(crate) fn build_request(matches: &ArgMatches, op: &Op) -> Result<Value, Error> {
    let mut request = Map::new();
    let shiftable: Vec<&str> = match op.flag_alternative() {
        Some(_) => op.positionals().collect(),
        None => vec![],
    };
    for field in fields(op).into_iter().filter(|field| !shiftable.contains(&field.name.as_str())) {
        let name = field.name.as_str();
        let value = match field.kind {
            Kind::Flag => Some(json!(matches.get_flag(name))),
            Kind::Text => typed_text(matches, name)?.map(|text| json!(text)),
            Kind::Choice(_) => text_of(matches, name).map(|text| json!(text)),
            Kind::Integer => matches.get_one::<i64>(name).map(|number| json!(number)),
            Kind::Number => matches.get_one::<f64>(name).map(|number| json!(number)),
            Kind::List => texts_of(matches, name).map(|items| json!(items)),
            Kind::Pairs => pairs(matches, name)?,
            Kind::Content => match text_of(matches, name) {
                Some(path) if field.is_named => {
                    let name = if path == "-" { "standard input" } else { path };
                    Some(json!({"name": name, "text": content(path)?}))
                }
                Some(path) => Some(json!(content(path)?)),
                // `heir compact < talk.txt` reads standard input.
                None if is_positional(op, name) && !std::io::stdin().is_terminal() => {
                    Some(json!(content("-")?))
                }
                None => None,
            },
            Kind::Files => Some(files(matches, name)?),
            Kind::NamedFiles => named_files(matches, &field)?,
        };
        if let Some(value) = value {
            request.insert(field.name, value);
        }
    }
    if let Some((slot, flag)) = op.flag_alternative() {
        request.extend(shifted(matches, op, slot, matches.get_flag(flag))?);
    }
    Ok(Value::Object(request))
}

/// Reads positional arguments of which a flag may replace one.
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
    // `sprint=sprint-01` names a level, which has no agents of its own.
    let without = without || typed.first().is_some_and(|first| first.contains('='));
    if !without && let Some(error) = skipped_argument(op, slot, &typed) {
        return Err(error);
    }
    let wanted: Vec<&str> = op.positionals().filter(|name| !(without && *name == slot)).collect();
    let words: Vec<&str> = op.words().collect();
    let refuse = |message: String| Err(Error::bad_input(message).hint(usage(op)));
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

/// Returns the error of a call without the argument that a flag may replace: the word in its place is a
/// choice of the argument behind it (`memory add 0042 finding "…"`).
fn skipped_argument(op: &Op, slot: &str, typed: &[String]) -> Option<Error> {
    let at = op.positionals().position(|name| name == slot)?;
    let next = op.positionals().nth(at + 1)?;
    let field = fields(op).into_iter().find(|field| field.name == next)?;
    let Kind::Choice(words) = field.kind else { return None };
    let is_word = |at: usize| typed.get(at).is_some_and(|text| words.contains(text));
    if !is_word(at) || is_word(at + 1) {
        return None;
    }
    let flag = op.flag_alternative()?.1;
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

/// Returns the text of an argument: several words joined, and standard input for `-`.
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
    let files = heirloom_engine::read_files(Path::new(path))?;
    let texts = files.into_iter().filter_map(|(_, text)| text.ok());
    Ok(texts.collect())
}

fn files(matches: &ArgMatches, name: &str) -> Result<Value, Error> {
    let mut all = Vec::new();
    for path in texts_of(matches, name).into_iter().flatten() {
        if path == "-" {
            all.push(json!({"name": "standard input", "text": content(path)?}));
            continue;
        }
        for (name, text) in heirloom_engine::read_files(Path::new(path))? {
            all.push(match text {
                Ok(text) => json!({"name": name, "text": text}),
                Err(reason) => json!({"name": name, "text": "", "unreadable": reason}),
            });
        }
    }
    Ok(Value::Array(all))
}

/// Reads files that have a name of their own. A name without an extension gets that of the file.
fn named_files(matches: &ArgMatches, field: &Field) -> Result<Option<Value>, Error> {
    let Some(items) = texts_of(matches, &field.name) else { return Ok(None) };
    let mut map: Map<String, Value> = Map::new();
    for item in items {
        let Some((name, path)) = item.split_once('=') else {
            let flag = long_flag(field);
            return Err(Error::bad_input(format!("--{flag} {item}: a `=` is missing"))
                .hint(format!("write it as --{flag} name=file")));
        };
        let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
        let name = match (name.contains('.'), extension) {
            (false, Some(extension)) => format!("{name}.{extension}"),
            _ => name.to_owned(),
        };
        if map.contains_key(&name) {
            return Err(named_twice(&long_flag(field), &name));
        }
        map.insert(name, json!(content(path)?));
    }
    Ok(Some(Value::Object(map)))
}

/// Returns the error of a name that is given twice, since the last one would silently win.
fn named_twice(flag: &str, name: &str) -> Error {
    Error::bad_input(format!("--{flag}: `{name}` is given twice"))
        .hint("give each a name of its own")
}

fn pairs(matches: &ArgMatches, name: &str) -> Result<Option<Value>, Error> {
    let Some(items) = texts_of(matches, name) else { return Ok(None) };
    let mut map: Map<String, Value> = Map::new();
    for item in items {
        let Some((key, value)) = item.split_once('=') else {
            return Err(Error::bad_input(format!("--{name} {item}: a `=` is missing"))
                .hint(format!("write it as --{name} key=value")));
        };
        let key = key.trim();
        if map.contains_key(key) {
            return Err(named_twice(name, key));
        }
        map.insert(key.to_owned(), json!(value.trim()));
    }
    Ok(Some(Value::Object(map)))
}
