//! `eval`: checks that recall finds what a team expects.

use heirloom_core::record::FactSection;
use heirloom_core::words::normalise;
use heirloom_core::{Problem, Value, byte_order_mark, json, yaml};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::short_memory_id;
use crate::operation::request::explain_mismatch;
use crate::operation::schema;
use crate::ops::request_parts::{InputFile, default_limit};
use crate::recall::{Hit, Search};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Eval;

/// Shortest end of an id that identifies it, in characters.
const MIN_ID_SUFFIX_LENGTH: usize = 8;

const EXPECTATION_HINT: &str = "write each one as `- query: …` and `  must: …`";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Files with expectations: JSON Lines, or a list in JSON or YAML. Each has a `query`, the ids or
    /// texts that it `must` or `must_not` find, and in how many results (`k`, default 10).
    files: Vec<InputFile>,
}

/// What a query is expected to find.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Expectation {
    query: String,
    #[serde(default)]
    must: TextList,
    #[serde(default)]
    must_not: TextList,
    #[serde(default = "default_limit")]
    k: usize,
    #[serde(default)]
    section: Option<FactSection>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    tag: Option<String>,
}

/// One text or a list of texts; numbers are read as texts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(try_from = "Value")]
struct TextList(Vec<String>);

impl TryFrom<Value> for TextList {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(format!("{other} is not a text")),
        };
        match value {
            Value::Array(all) => Ok(TextList(all.into_iter().map(text).collect::<Result<_, _>>()?)),
            one => Ok(TextList(vec![text(one)?])),
        }
    }
}

impl TextList {
    fn texts(&self) -> &[String] {
        &self.0
    }
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct EvalReport {
    /// Number of expectations that were report.
    expectations: usize,
    /// Number of expectations that are met.
    passed: usize,
    /// Expectations that are not met.
    failed: Vec<FailedExpectation>,
    /// Expectations that could not be read.
    problems: Vec<Problem>,
    /// Files or lines of the memory that could not be read; they do not fail the check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Problem>,
}

/// An expectation that is not met.
#[derive(Debug, Serialize, JsonSchema)]
struct FailedExpectation {
    /// File and line of the expectation.
    source: String,
    /// Query.
    query: String,
    /// Number of results that count.
    k: usize,
    /// Expected results that are missing.
    missing: Vec<MissingResult>,
    /// Results that must not be found, but are.
    unwanted: Vec<String>,
    /// Results that were found.
    found: Vec<EvalResult>,
}

/// An expected result that is missing or ranked too low.
#[derive(Debug, Serialize, JsonSchema)]
struct MissingResult {
    /// The expected id or text.
    must: String,
    /// Rank, if it is among ten times as many results.
    rank: Option<usize>,
}

/// A result that was found.
#[derive(Debug, Serialize, JsonSchema)]
struct EvalResult {
    /// Id of the memory.
    id: String,
    /// Text of the memory.
    text: String,
}

impl Operation for Eval {
    type Request = Request;
    type Response = EvalReport;
    const SPEC: Spec = Spec {
        name: "memory_eval",
        usage: "eval <files>...",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Test recall with expected results. Each query must find its expected ids or texts among the first k results, else the exit code is 1.",
    };

    fn run(session: &Session, request: Request) -> Result<EvalReport, Error> {
        let mut report = EvalReport::default();
        for file in &request.files {
            let expectations = read_expectations(file)?;
            if expectations.is_empty() {
                let problem = Problem::in_file(&file.name, "the file has no expectations");
                report.problems.push(problem.hint(EXPECTATION_HINT));
            }
            for (line, expectation) in expectations {
                let place = format!("{}:{line}", file.name);
                match expectation {
                    Ok(expected) => {
                        report.expectations += 1;
                        let (failed, problems) = check(session, &expected, place)?;
                        report.unread.extend(problems);
                        match failed {
                            Some(failed) => report.failed.push(failed),
                            None => report.passed += 1,
                        }
                    }
                    Err(problem) => report.problems.push(problem),
                }
            }
        }
        report.unread.sort();
        report.unread.dedup();
        Ok(report)
    }
}

/// The line number of an expectation, and the result of reading it.
type Row<T, E> = (usize, Result<T, E>);

/// Reads the expectations of a file, each with its line.
fn read_expectations(file: &InputFile) -> Result<Vec<Row<Expectation, Problem>>, Error> {
    let rows = read_rows(file)?.into_iter().map(|(line, value)| {
        let expectation = value.and_then(|value| parse_expectation(&value)).map_err(|reason| {
            Problem::at(&file.name, line, format!("invalid expectation: {reason}"))
                .hint("its fields are query, must, must_not, k, section, kind, scope and tag")
        });
        (line, expectation)
    });
    Ok(rows.collect())
}

/// Reads a JSON object, JSON Lines, or a list in YAML or JSON.
fn read_rows(file: &InputFile) -> Result<Vec<Row<Value, String>>, Error> {
    if let Some(reason) = &file.unreadable {
        return Err(Error::bad_input(format!("{}: {reason}", file.name)));
    }
    let text = byte_order_mark::strip(&file.text);
    let object = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    if let Some(object) = object {
        return Ok(vec![(1, Ok(object))]);
    }
    if file.name.ends_with(".jsonl") || text.trim_start().starts_with('{') {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read =
            |line| serde_json::from_str(line).map_err(|error| json::describe_syntax_error(&error));
        return Ok(lines.map(|(at, line)| (at + 1, read(line))).collect());
    }
    // A list in JSON is also YAML.
    let node = yaml::parse(text)
        .map_err(|error| Error::from(Problem::at(&file.name, error.line, error.message.clone())))?;
    let Some(node) = node else { return Ok(vec![]) };
    let yaml::YamlKind::List { items, .. } = &node.kind else {
        let problem = Problem::at(&file.name, node.line, "the file is not a list of expectations");
        return Err(problem.hint(EXPECTATION_HINT).into());
    };
    Ok(items.iter().map(|item| (item.line, Ok(item.value()))).collect())
}

/// Parses and checks an expectation. The error is the reason why it is not valid.
fn parse_expectation(value: &Value) -> Result<Expectation, String> {
    let expected = Expectation::deserialize(value).map_err(|error| {
        explain_mismatch(&schema::of_request::<Expectation>().to_value(), value, &error)
    })?;
    let texts = || expected.must.texts().iter().chain(expected.must_not.texts());
    if texts().next().is_none() {
        return Err("it needs `must` or `must_not`".to_owned());
    }
    if expected.query.trim().is_empty() {
        return Err("its `query` is empty".to_owned());
    }
    if texts().any(|text| normalise(text).is_empty()) {
        return Err("an empty `must` or `must_not` would match everything".to_owned());
    }
    if expected.k == 0 {
        return Err("`k` must be at least 1".to_owned());
    }
    Ok(expected)
}

/// Runs the query and compares its results with the expectation. Also returns what could not be read.
fn check(
    session: &Session,
    expected: &Expectation,
    source: String,
) -> Result<(Option<FailedExpectation>, Vec<Problem>), Error> {
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
    if answer.is_lexical_only {
        let reason = answer.problems.last().map(|problem| problem.message.clone());
        return Err(Error::system(format!(
            "recall cannot be checked without the configured embedder: {}",
            reason.unwrap_or_default()
        ))
        .hint("start the embedder, or configure another one"));
    }
    let (hits, unread) = (answer.hits, answer.problems);
    let rank = |must: &str| hits.iter().position(|hit| is_match(hit, must)).map(|at| at + 1);
    let is_in_first_k = |rank: Option<usize>| rank.is_some_and(|rank| rank <= expected.k);
    let missing: Vec<MissingResult> = expected
        .must
        .texts()
        .iter()
        .map(|must| MissingResult { must: must.clone(), rank: rank(must) })
        .filter(|missing| !is_in_first_k(missing.rank))
        .collect();
    let unwanted: Vec<String> = expected
        .must_not
        .texts()
        .iter()
        .filter(|text| is_in_first_k(rank(text)))
        .cloned()
        .collect();
    if missing.is_empty() && unwanted.is_empty() {
        return Ok((None, unread));
    }
    let found = hits
        .iter()
        .take(expected.k)
        .map(|hit| EvalResult { id: hit.item.id.clone(), text: hit.item.text.clone() });
    let failed = FailedExpectation {
        source,
        query: expected.query.clone(),
        k: expected.k,
        missing,
        unwanted,
        found: found.collect(),
    };
    Ok((Some(failed), unread))
}

/// Returns whether a hit has the expected id or path, or contains the expected text.
fn is_match(hit: &Hit, expected: &str) -> bool {
    let expected = expected.trim();
    let is_id = |id: &str| {
        id == expected || expected.len() >= MIN_ID_SUFFIX_LENGTH && id.ends_with(expected)
    };
    let contains_text = || normalise(&hit.item.text).contains(&normalise(expected));
    is_id(&hit.item.id) || hit.meta.path == expected || contains_text()
}

impl Answer for EvalReport {
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
                    Some(rank) => format!("is only number {rank}"),
                    None => "was not found".to_owned(),
                };
                let k = failed.k;
                view.line([span(
                    Role::Plain,
                    format!("  `{}` {place}; expected among the first {k}", missing.must),
                )]);
            }
            for unwanted in &failed.unwanted {
                view.line([span(
                    Role::Plain,
                    format!("  `{unwanted}` was found, but must not be"),
                )]);
            }
            for (at, found) in failed.found.iter().enumerate().take(3) {
                let (id, text) = (short_memory_id(&found.id), &found.text);
                view.line([span(Role::Dim, format!("  {}. {id}  {text}", at + 1))]);
            }
        }
        let role = if self.has_findings() { Role::Bad } else { Role::Good };
        let summary = format!("{} of {} expectations met", self.passed, self.expectations);
        view.line([span(role, summary)]);
        present::problems(&mut view, &self.problems);
        present::problems(&mut view, &self.unread);
        view
    }

    fn has_findings(&self) -> bool {
        !self.failed.is_empty() || !self.problems.is_empty()
    }
}
