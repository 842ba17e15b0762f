//! A request's schema as command-line arguments, and the arguments as a request.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use heirloom_engine::{Error, Op, schema};
use serde_json::{Map, Value, json};

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
    fields.into_iter().fold(command, |command, field| {
        let positional = positionals.contains(&field.name.as_str());
        command.arg(argument(&field, positional))
    })
}

fn argument(field: &Field, positional: bool) -> Arg {
    let mut arg = Arg::new(field.name.clone()).help(help(field)).required(field.required);
    if !positional {
        arg = arg.long(field.name.replace('_', "-"));
    }
    let value_name = field.name.to_uppercase();
    match &field.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Text => arg.value_name(value_name),
        Kind::Words(words) => {
            arg.value_name(value_name).value_parser(PossibleValuesParser::new(words))
        }
        Kind::Integer => arg.value_name("N").value_parser(value_parser!(i64)),
        Kind::Number => {
            arg.value_name("N").value_parser(value_parser!(f64)).allow_negative_numbers(true)
        }
        Kind::List => arg.value_name(value_name).action(ArgAction::Append),
        Kind::Pairs => arg.value_name("KEY=VALUE").action(ArgAction::Append),
    }
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
    match schema["type"].as_str() {
        Some("boolean") => Kind::Flag,
        Some("integer") => Kind::Integer,
        Some("number") => Kind::Number,
        Some("array") => Kind::List,
        Some("object") => Kind::Pairs,
        _ => Kind::Text,
    }
}

/// Reads the request that the arguments make.
pub(crate) fn request(matches: &ArgMatches, op: &Op) -> Result<Value, Error> {
    let mut request = Map::new();
    for field in fields(op) {
        let name = field.name.as_str();
        let value = match field.kind {
            Kind::Flag => Some(json!(matches.get_flag(name))),
            Kind::Text | Kind::Words(_) => matches.get_one::<String>(name).map(|text| json!(text)),
            Kind::Integer => matches.get_one::<i64>(name).map(|number| json!(number)),
            Kind::Number => matches.get_one::<f64>(name).map(|number| json!(number)),
            Kind::List => {
                matches.get_many::<String>(name).map(|items| json!(items.collect::<Vec<_>>()))
            }
            Kind::Pairs => pairs(matches, name)?,
        };
        if let Some(value) = value {
            request.insert(field.name, value);
        }
    }
    Ok(Value::Object(request))
}

fn pairs(matches: &ArgMatches, name: &str) -> Result<Option<Value>, Error> {
    let Some(items) = matches.get_many::<String>(name) else { return Ok(None) };
    let mut map = Map::new();
    for item in items {
        let Some((key, value)) = item.split_once('=') else {
            return Err(Error::bad_input(format!("--{name} {item}: a `=` is missing"))
                .hint(format!("write it as --{name} level=name")));
        };
        map.insert(key.trim().to_owned(), json!(value.trim()));
    }
    Ok(Some(Value::Object(map)))
}
