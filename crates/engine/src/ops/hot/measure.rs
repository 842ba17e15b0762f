//! Measures hot memory: lines and tokens of every file against its budget, and of the whole.

use heirloom_core::Problem;
use heirloom_core::hot::budget::{count_lines, stated_budget};
use heirloom_core::hot::clients;
use heirloom_core::hot::{Budget, Fill, Size, SourceFile, item};
use heirloom_store::tokens::TokenCounter;
use schemars::JsonSchema;
use serde::Serialize;

use crate::hot::{HotFiles, client_files, item_referent, read_rules};
use crate::usage::{Usage, UsageReport};
use crate::{Error, Session};

/// Hot memory with its sizes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HotMeasure {
    /// Folder of the rules.
    pub(crate) folder: String,
    /// Rules, by name.
    pub(crate) files: Vec<MeasuredFile>,
    /// What clients load besides, in every conversation.
    pub(crate) client_files: Vec<MeasuredClientFile>,
    /// Client that loads the most besides the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) heaviest_client: Option<&'static str>,
    /// What a conversation loads: the rules, and what that client loads besides.
    pub(crate) whole: Size,
    /// Budget of the whole.
    pub(crate) budget: Budget,
    /// How far it is used.
    pub(crate) fill: Fill,
    /// Files and budgets that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<Problem>,
}

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MeasuredFile {
    /// Path.
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) size: Size,
    /// Budget that it states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<Budget>,
    /// How far that is used.
    pub(crate) fill: Fill,
    /// Its headings, each with the text up to the next one.
    pub(crate) items: Vec<MeasuredItem>,
}

/// An item of a rule.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MeasuredItem {
    /// Name that other commands take: `FILE#HEADING`.
    pub(super) name: String,
    /// Heading.
    pub(super) heading: String,
    /// Its line.
    pub(super) line: usize,
    #[serde(flatten)]
    pub(super) size: Size,
    /// How often agents used it, if sessions were judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<UsageReport>,
    #[serde(skip)]
    pub(super) cited_share: Option<f64>,
}

/// A file of a client.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MeasuredClientFile {
    /// Path.
    pub(super) path: String,
    /// Clients that load it.
    pub(super) clients: Vec<&'static str>,
    #[serde(flatten)]
    pub(super) size: Size,
}

impl HotMeasure {
    /// Measures the files of the workspace.
    pub(crate) fn of(session: &Session) -> Result<Self, Error> {
        let settings = &session.config()?.hot;
        let HotFiles { folder, files, mut problems } = read_rules(session)?;
        let mut counter = TokenCounter::open(session.root());
        let usage = Usage::read(session);
        let mut sum = Size::default();
        let measured = files.iter().map(|file| {
            let budget = stated_budget(&file.path, &file.text).unwrap_or_else(|problem| {
                problems.push(problem);
                None
            });
            let size = measure(&mut counter, &file.text);
            sum += size;
            MeasuredFile {
                path: file.path.clone(),
                size,
                budget,
                fill: budget.unwrap_or_default().fill(size, settings.warning_share),
                items: measure_items(&mut counter, &usage, file),
            }
        });
        let measured: Vec<MeasuredFile> = measured.collect();
        let others = client_files(session.root(), &folder).into_iter();
        let others = others.map(|file| MeasuredClientFile {
            size: measure(&mut counter, &file.text),
            path: file.path,
            clients: file.clients,
        });
        let client_files: Vec<MeasuredClientFile> =
            others.filter(|file| file.size.lines > 0).collect();
        counter.save();
        let (heaviest, more) = heaviest(&client_files);
        sum += more;
        let budget = settings.budget();
        Ok(HotMeasure {
            folder,
            files: measured,
            client_files,
            heaviest_client: heaviest,
            whole: sum,
            budget,
            fill: budget.fill(sum, settings.warning_share),
            problems,
        })
    }

    /// Returns the size of the rules alone.
    pub(super) fn rules_size(&self) -> Size {
        let mut sum = Size::default();
        self.files.iter().for_each(|file| sum += file.size);
        sum
    }

    /// Returns whether a budget is exceeded or cannot be read.
    pub(crate) fn has_findings(&self) -> bool {
        self.fill == Fill::Over
            || self.files.iter().any(|file| file.fill == Fill::Over)
            || !self.problems.is_empty()
    }

    /// Returns the name of the client that loads the most besides the rules.
    pub(super) fn heaviest_name(&self) -> Option<&'static str> {
        self.heaviest_client.and_then(clients::find).map(|client| client.name)
    }
}

fn measure(counter: &mut TokenCounter<'_>, text: &str) -> Size {
    Size { lines: count_lines(text), tokens: counter.count(text) }
}

fn measure_items(
    counter: &mut TokenCounter<'_>,
    usage: &Usage,
    file: &SourceFile,
) -> Vec<MeasuredItem> {
    let items = item::items(&file.text).into_iter();
    let measured = items.map(|item| {
        let own = &file.text[item.bytes.start..item.own_end];
        let counts = usage.counts(&item_referent(&file.path, &item.slug));
        let is_judged = counts.cited + counts.ignored > 0;
        MeasuredItem {
            name: format!("{}#{}", heirloom_core::path::file_name(&file.path), item.slug),
            heading: item.heading,
            line: item.line,
            size: measure(counter, own),
            usage: is_judged.then(|| UsageReport::of(&counts)),
            cited_share: counts.cited_share(),
        }
    });
    measured.collect()
}

/// Returns the client whose own files take the most tokens, and their size. A conversation takes place in one client, so
/// what others load does not count.
fn heaviest(files: &[MeasuredClientFile]) -> (Option<&'static str>, Size) {
    let loads = clients::CLIENTS.iter().map(|client| {
        let mut sum = Size::default();
        let own = files.iter().filter(|file| file.clients.contains(&client.id));
        own.for_each(|file| sum += file.size);
        (client.id, sum)
    });
    let heaviest = loads.rev().max_by_key(|(_, size)| (size.tokens, size.lines));
    match heaviest {
        Some((client, size)) if size.lines > 0 => (Some(client), size),
        _ => (None, Size::default()),
    }
}
