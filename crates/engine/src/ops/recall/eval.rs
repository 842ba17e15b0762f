//! `eval`: whether recall still finds what a team expects it to find.

use heirloom_core::record::Section;
use heirloom_core::words::normalised;
use heirloom_core::{Problem, Value, json, yaml};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::MemorySlice;
use crate::operation::request::explained;
use crate::operation::schema;
use crate::ops::given::{File, ten};
use crate::recall::{Hit, Search};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Eval;

/// An id is meant by its tail from this length on.
const TAIL: usize = 8;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Files of expectations: JSON Lines, or a list in JSON or YAML. Each has a `query`, what it
    /// `must` find (ids or text) or `must_not`, and among how many (`k`, 10 unless you say).
    files: Vec<File>,
}

/// What a query is expected to find.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Expectation {
    query: String,
    #[serde(default)]
    must: OneOrMore,
    #[serde(default)]
    must_not: OneOrMore,
    #[serde(default = "ten")]
    k: usize,
    #[serde(default)]
    section: Option<Section>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    tag: Option<String>,
}

/// One text, or a list of them; a number is the text that it is written as.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(try_from = "Value")]
struct OneOrMore(Vec<String>);

impl TryFrom<Value> for OneOrMore {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(format!("{other} is no text")),
        };
        match value {
            Value::Array(all) => {
                Ok(OneOrMore(all.into_iter().map(text).collect::<Result<_, _>>()?))
            }
            one => Ok(OneOrMore(vec![text(one)?])),
        }
    }
}

impl OneOrMore {
    fn all(&self) -> &[String] {
        &self.0
    }
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Checked {
    /// How many expectations were checked.
    expectations: usize,
    /// How many of them hold.
    passed: usize,
    /// Those that do not.
    failed: Vec<Failed>,
    /// Expectations that could not be read.
    problems: Vec<Problem>,
    /// What could not be read of the memory; it is not among the findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Problem>,
}

/// An expectation that does not hold.
#[derive(Debug, Serialize, JsonSchema)]
struct Failed {
    /// Where it is written.
    source: String,
    /// What was asked.
    query: String,
    /// Among how many.
    k: usize,
    /// What is not among them.
    missing: Vec<Missing>,
    /// What should not be among them and is.
    unwanted: Vec<String>,
    /// What was found.
    found: Vec<Found>,
}

/// Something that was not found, or too late.
#[derive(Debug, Serialize, JsonSchema)]
struct Missing {
    /// As it was written.
    must: String,
    /// Where it came, if it came among ten times as many.
    rank: Option<usize>,
}

/// Something that was found.
#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    /// Its id.
    id: String,
    /// What it says.
    text: String,
}

impl Operation for Eval {
    type Request = Request;
    type Response = Checked;
    const SPEC: Spec = Spec {
        name: "memory_eval",
        usage: "eval <files>...",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Check that recall finds what you expect, as a test of your memory: each query must find some ids or texts among its first k. What does not hold fails a script.",
    };

    fn run(session: &Session, request: Request) -> Result<Checked, Error> {
        let mut checked = Checked::default();
        for file in &request.files {
            let expectations = expectations(file)?;
            if expectations.is_empty() {
                let problem = Problem::of_file(&file.name, "no expectation is in it");
                checked.problems.push(problem.hint("write `- query: …` and `  must: …` for each"));
            }
            for (line, read) in expectations {
                let place = format!("{}:{line}", file.name);
                match read {
                    Ok(expected) => {
                        checked.expectations += 1;
                        let (failed, problems) = check(session, &expected, place)?;
                        checked.unread.extend(problems);
                        match failed {
                            Some(failed) => checked.failed.push(failed),
                            None => checked.passed += 1,
                        }
                    }
                    Err(problem) => checked.problems.push(problem),
                }
            }
        }
        checked.unread.sort();
        checked.unread.dedup();
        Ok(checked)
    }
}

/// What stands on a line.
type Row<T, E> = (usize, Result<T, E>);

/// Reads the expectations of a file, each with its line.
fn expectations(file: &File) -> Result<Vec<Row<Expectation, Problem>>, Error> {
    let text = file.text.trim_start_matches('\u{feff}');
    let one = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    let is_lines = file.name.ends_with(".jsonl") || text.trim_start().starts_with('{');
    let rows: Vec<Row<Value, String>> = if let Some(one) = one {
        vec![(1, Ok(one))]
    } else if is_lines {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(at, line)| {
                (at + 1, serde_json::from_str(line).map_err(|e| json::syntax_error(&e)))
            })
            .collect()
    } else {
        // JSON is YAML.
        let node = yaml::parse(text).map_err(|error| {
            Error::from(Problem::at(&file.name, error.line, error.message.clone()))
        })?;
        let Some(node) = node else { return Ok(vec![]) };
        let yaml::Kind::List { items, .. } = &node.kind else {
            let problem = Problem::at(&file.name, node.line, "this is no list of expectations");
            return Err(problem.hint("write `- query: …` and `  must: …` for each").into());
        };
        items.iter().map(|item| (item.line, Ok(item.value()))).collect()
    };
    let read = rows.into_iter().map(|(line, value)| {
        let read = value.and_then(|value| {
            let schema = || schema::<Expectation>().to_value();
            Expectation::deserialize(&value).map_err(|error| explained(&schema(), &value, &error))
        });
        let checked = read.and_then(|expected| {
            let all = || expected.must.all().iter().chain(expected.must_not.all());
            if all().next().is_none() {
                return Err("it says neither what must be found nor what must not".to_owned());
            }
            if all().any(|text| normalised(text).is_empty()) || expected.query.trim().is_empty() {
                return Err("an empty text is found everywhere".to_owned());
            }
            if expected.k == 0 {
                return Err("nothing is among the first 0".to_owned());
            }
            Ok(expected)
        });
        let named = checked.map_err(|what| {
            Problem::at(&file.name, line, format!("this is no expectation: {what}"))
                .hint("its fields are query, must, must_not, k, section, kind, scope and tag")
        });
        (line, named)
    });
    Ok(read.collect())
}

fn check(
    session: &Session,
    expected: &Expectation,
    source: String,
) -> Result<(Option<Failed>, Vec<Problem>), Error> {
    let search = Search {
        query: &expected.query,
        limit: expected.k.saturating_mul(10),
        section: expected.section,
        kinds: expected.kind.clone().into_iter().collect(),
        scope: expected.scope.as_deref(),
        tag: expected.tag.as_deref(),
        ..Search::default()
    };
    let answer = search.run(session)?;
    if answer.is_by_words {
        let why = answer.problems.last().map(|problem| problem.message.clone());
        return Err(Error::system(format!("nothing can be told: {}", why.unwrap_or_default()))
            .hint("start the embedder that is set, or set another"));
    }
    let (hits, unread) = (answer.hits, answer.problems);
    let rank = |must: &str| hits.iter().position(|hit| is_meant(hit, must)).map(|at| at + 1);
    let is_among = |rank: Option<usize>| rank.is_some_and(|rank| rank <= expected.k);
    let missing: Vec<Missing> = expected
        .must
        .all()
        .iter()
        .map(|must| Missing { must: must.clone(), rank: rank(must) })
        .filter(|missing| !is_among(missing.rank))
        .collect();
    let unwanted: Vec<String> =
        expected.must_not.all().iter().filter(|text| is_among(rank(text))).cloned().collect();
    if missing.is_empty() && unwanted.is_empty() {
        return Ok((None, unread));
    }
    let found = hits
        .iter()
        .take(expected.k)
        .map(|hit| Found { id: hit.thing.id.clone(), text: hit.thing.text.clone() });
    let failed = Failed {
        source,
        query: expected.query.clone(),
        k: expected.k,
        missing,
        unwanted,
        found: found.collect(),
    };
    Ok((Some(failed), unread))
}

/// Returns whether a hit is what an id or a text means.
fn is_meant(hit: &Hit, meant: &str) -> bool {
    let meant = meant.trim();
    let is_id = |id: &str| id == meant || meant.len() >= TAIL && id.ends_with(meant);
    let says = || normalised(&hit.thing.text).contains(&normalised(meant));
    is_id(&hit.thing.id) || hit.meta.path == meant || says()
}

impl Answer for Checked {
    fn view(&self) -> View {
        let mut view = View::new();
        for failed in &self.failed {
            view.line([
                span(Role::Bad, "fails"),
                span(Role::Plain, format!("  {}", failed.query)),
                span(Role::Dim, format!("  {}", failed.source)),
            ]);
            for missing in &failed.missing {
                let place = match missing.rank {
                    Some(rank) => format!("comes only as number {rank}"),
                    None => "is not found".to_owned(),
                };
                let k = failed.k;
                view.line([span(Role::Plain, format!("  `{}` {place}, of {k}", missing.must))]);
            }
            for unwanted in &failed.unwanted {
                view.line([span(Role::Plain, format!("  `{unwanted}` is found"))]);
            }
            for (at, found) in failed.found.iter().enumerate().take(3) {
                let (id, text) = (MemorySlice::short_name(&found.id), &found.text);
                view.line([span(Role::Dim, format!("  {}. {id}  {text}", at + 1))]);
            }
        }
        let role = if self.has_findings() { Role::Bad } else { Role::Good };
        let said = format!("{} of {} expectations hold", self.passed, self.expectations);
        view.line([span(role, said)]);
        present::problems(&mut view, &self.problems);
        present::problems(&mut view, &self.unread);
        view
    }

    fn has_findings(&self) -> bool {
        !self.failed.is_empty() || !self.problems.is_empty()
    }
}
