//! What generated facts say about things: aspects with values that exclude each other, and stances with an opposite.
//!
//! Aspects of one kind of thing are independent, so that two facts about one thing contradict each other only if they are of
//! one aspect. `{s}` is the thing, `{k}` its name as a key, `{v}` a value.

use super::things::Kind;

/// In what a planted fact differs from the one that it contradicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference {
    Number,
    Version,
    Negation,
    Choice,
    Modality,
    KeyValue,
    Quantifier,
    Implied,
}

impl Difference {
    pub(super) fn name(self) -> &'static str {
        match self {
            Difference::Number => "number",
            Difference::Version => "version",
            Difference::Negation => "negation",
            Difference::Choice => "choice",
            Difference::Modality => "modality",
            Difference::KeyValue => "key_value",
            Difference::Quantifier => "quantifier",
            Difference::Implied => "implied",
        }
    }
}

/// What can be said about a thing.
#[derive(Debug)]
pub(super) enum Aspect {
    /// One of several values.
    Value {
        difference: Difference,
        statements: &'static [&'static str],
        values: &'static [&'static str],
        /// What no value is compatible with.
        exclusions: &'static [(Difference, &'static str)],
    },
    /// One side or the other.
    Stance { difference: Difference, one: &'static [&'static str], other: &'static [&'static str] },
}

/// Returns the aspects of a kind of thing.
pub(super) fn aspects(kind: Kind) -> &'static [Aspect] {
    match kind {
        Kind::Service => SERVICE,
        Kind::Job => JOB,
        Kind::App => APP,
        Kind::Store => STORE,
        Kind::Team => TEAM,
    }
}

use Difference::{Choice, Implied, KeyValue, Modality, Negation, Number, Quantifier, Version};

const SERVICE: &[Aspect] = &[
    Aspect::Value {
        difference: Number,
        statements: &[
            "Calls to {s} are abandoned after {v}",
            "{s} has to answer within {v}",
            "We give {s} {v} before the caller stops waiting",
        ],
        values: &[
            "2 seconds",
            "5 seconds",
            "800 milliseconds",
            "12 seconds",
            "30 seconds",
            "45 seconds",
            "90 seconds",
            "3 minutes",
        ],
        exclusions: &[(Negation, "Calls to {s} have no deadline and wait as long as it takes")],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} runs with {v} replicas",
            "We keep {v} instances of {s} up",
            "There are {v} pods for {s}",
        ],
        values: &["two", "three", "4", "5", "six", "8", "10", "12"],
        exclusions: &[(Implied, "{s} is a single process without any standby")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "{s} is written in {v}",
            "The code of {s} is {v}",
            "We chose {v} as the language of {s}",
        ],
        values: &[
            "Go",
            "Rust",
            "Kotlin",
            "Java",
            "Python",
            "TypeScript",
            "C#",
            "Elixir",
            "Ruby",
            "Scala",
        ],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Version,
        statements: &[
            "The base image of {s} is {v}",
            "{s} is packaged on top of {v}",
            "Containers of {s} start from {v}",
        ],
        values: &[
            "Debian 11",
            "Debian 12",
            "Alpine 3.18",
            "Alpine 3.20",
            "Ubuntu 22.04",
            "Ubuntu 24.04",
        ],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "{s} keeps its state in {v}",
            "All records of {s} live in {v}",
            "{v} is the only database behind {s}",
        ],
        values: &[
            "PostgreSQL",
            "MySQL",
            "MongoDB",
            "DynamoDB",
            "Cassandra",
            "SQLite",
            "CockroachDB",
            "MariaDB",
        ],
        exclusions: &[(Negation, "{s} has no database and keeps no state")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "Callers of {s} prove who they are with {v}",
            "{s} accepts {v} and nothing else as credentials",
            "Authentication at {s} is done with {v}",
        ],
        values: &[
            "mutual TLS",
            "signed JWTs",
            "API keys",
            "session cookies",
            "Kerberos tickets",
            "HTTP basic auth",
        ],
        exclusions: &[(Negation, "{s} can be called without any credentials")],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} repeats a failed upstream call {v} times",
            "After {v} failed attempts {s} gives up on an upstream",
            "Upstream calls of {s} are retried {v} times at most",
        ],
        values: &["two", "three", "four", "5", "6", "8", "ten"],
        exclusions: &[(Negation, "{s} never repeats a failed upstream call")],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} lets a client make {v} requests a minute",
            "Clients of {s} are cut off above {v} requests a minute",
        ],
        values: &["60", "100", "250", "600", "1,200", "3,000", "9,000"],
        exclusions: &[(Negation, "{s} puts no limit on how often a client calls")],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} listens on port {v}",
            "Connect to {s} on port {v}",
            "Port {v} belongs to {s}",
        ],
        values: &["8080", "8443", "9000", "7070", "5001", "6100", "3344", "10022"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: KeyValue,
        statements: &["`{k}.pool_size = {v}`", "{k}.pool_size: {v}"],
        values: &["4", "8", "16", "20", "32", "50", "64", "100"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: KeyValue,
        statements: &["`{k}.log_level = {v}`", "`{k}.log_level` is set to `{v}`"],
        values: &["debug", "info", "warn", "error", "trace"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "Traces of {s} go to {v}",
            "{s} reports its traces to {v}",
            "Look at {v} for traces of {s}",
        ],
        values: &["Jaeger", "Zipkin", "Tempo", "Honeycomb", "Datadog", "X-Ray"],
        exclusions: &[(Negation, "{s} is not traced")],
    },
    Aspect::Stance {
        difference: Negation,
        one: &[
            "{s} caches its answers",
            "Answers of {s} are served from a cache",
            "Repeated calls to {s} hit a cache",
        ],
        other: &["{s} never caches an answer", "Answers of {s} are not cached"],
    },
    Aspect::Stance {
        difference: Negation,
        one: &[
            "Request bodies are written to the log of {s}",
            "{s} logs the full body of each request",
        ],
        other: &[
            "{s} never logs the body of a request",
            "Bodies of requests stay out of the log of {s}",
        ],
    },
    Aspect::Stance {
        difference: Quantifier,
        one: &[
            "Every route of {s} carries a version in its path",
            "All routes of {s} are versioned in the path",
        ],
        other: &[
            "Some routes of {s} carry no version in their path",
            "No route of {s} is versioned in the path",
        ],
    },
    Aspect::Stance {
        difference: Modality,
        one: &[
            "A change to {s} must be approved by the architects",
            "Approval by the architects is mandatory for a change to {s}",
        ],
        other: &[
            "A change to {s} may be merged without approval by the architects",
            "The architects' approval is optional for changes to {s}",
        ],
    },
    Aspect::Stance {
        difference: Modality,
        one: &["{s} may be restarted at any time", "Anyone may restart {s} during office hours"],
        other: &[
            "{s} must not be restarted during office hours",
            "Restarting {s} during office hours is forbidden",
        ],
    },
    Aspect::Stance {
        difference: Implied,
        one: &["{s} is reachable from the internet", "Anyone on the internet can connect to {s}"],
        other: &[
            "{s} listens on the private network alone",
            "Only hosts inside the VPC can connect to {s}",
        ],
    },
    Aspect::Stance {
        difference: Implied,
        one: &[
            "{s} answers only when the work is done",
            "A response of {s} means that the work has been completed",
        ],
        other: &[
            "{s} queues the work and answers at once",
            "{s} does its work in the background after it has answered",
        ],
    },
];

const JOB: &[Aspect] = &[
    Aspect::Value {
        difference: Number,
        statements: &["{s} runs {v}", "We schedule {s} {v}", "{s} is started {v} by cron"],
        values: &[
            "every 10 minutes",
            "hourly",
            "every 6 hours",
            "twice a day",
            "once a day",
            "weekly",
            "on the first of each month",
        ],
        exclusions: &[(Negation, "{s} has no schedule and is only started by hand")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "{s} writes its result as {v}",
            "The output of {s} is {v}",
            "{v} is the file format of {s}",
        ],
        values: &["CSV", "Parquet", "JSON lines", "XML", "Avro", "Excel sheets"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} works through {v} rows at a time",
            "The batch size of {s} is {v} rows",
            "Rows are taken in batches of {v} by {s}",
        ],
        values: &["50", "100", "200", "500", "1,000", "5,000", "20,000"],
        exclusions: &[(Implied, "{s} handles each row on its own, without batches")],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} gets {v} of memory",
            "The memory limit of {s} is {v}",
            "{s} is killed when it takes more than {v} of memory",
        ],
        values: &["512 MB", "1 GB", "2 GB", "4 GB", "6 GB", "12 GB"],
        exclusions: &[(Negation, "{s} has no memory limit")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["{s} uses {v} worker threads", "{v} worker threads share the work of {s}"],
        values: &["2", "3", "four", "6", "eight", "16", "24"],
        exclusions: &[(Implied, "{s} is strictly single-threaded")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "The results of {s} are delivered to {v}",
            "{s} puts what it makes on {v}",
            "Find the results of {s} on {v}",
        ],
        values: &[
            "an SFTP server",
            "S3",
            "a network share",
            "BigQuery",
            "SharePoint",
            "Azure Blob Storage",
        ],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "Results of {s} are deleted after {v}",
            "We keep what {s} makes for {v}",
            "The results of {s} stay around for {v}",
        ],
        values: &["3 days", "a week", "14 days", "30 days", "90 days", "one year", "10 years"],
        exclusions: &[(Negation, "Results of {s} are never deleted")],
    },
    Aspect::Value {
        difference: KeyValue,
        statements: &["`{k}.timeout_minutes = {v}`", "{k}.timeout_minutes: {v}"],
        values: &["5", "10", "15", "20", "45", "60", "120", "240"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "{s} is orchestrated by {v}",
            "We moved {s} to {v}",
            "{v} starts and watches {s}",
        ],
        values: &["Airflow", "Dagster", "Prefect", "Argo Workflows", "Jenkins", "Temporal"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Version,
        statements: &["{s} needs Python {v}", "{s} is run with Python {v}"],
        values: &["3.9", "3.10", "3.11", "3.12", "3.13"],
        exclusions: &[(Implied, "{s} is a shell script without any Python in it")],
    },
    Aspect::Stance {
        difference: Negation,
        one: &["{s} sends an alert when it fails", "A failure of {s} pages the engineer on call"],
        other: &["Nobody is alerted when {s} fails", "{s} fails silently"],
    },
    Aspect::Stance {
        difference: Implied,
        one: &[
            "{s} continues where it stopped when it is interrupted",
            "An interrupted {s} resumes from its last checkpoint",
        ],
        other: &[
            "After an interruption {s} begins from scratch",
            "{s} cannot be resumed and has to start over",
        ],
    },
    Aspect::Stance {
        difference: Choice,
        one: &["{s} reads from the replica", "{s} takes its data from the read replica"],
        other: &["{s} reads from the primary", "{s} takes its data from the primary database"],
    },
    Aspect::Stance {
        difference: Modality,
        one: &["{s} may run twice at the same time", "Two runs of {s} are allowed to overlap"],
        other: &[
            "{s} must never run twice at the same time",
            "Two runs of {s} are not allowed to overlap",
        ],
    },
    Aspect::Stance {
        difference: Quantifier,
        one: &["{s} stops at the first bad row", "A single bad row ends {s}"],
        other: &["{s} skips bad rows and goes on", "No number of bad rows makes {s} stop"],
    },
    Aspect::Stance {
        difference: Negation,
        one: &["The output of {s} is encrypted", "{s} encrypts what it writes"],
        other: &["The output of {s} is unencrypted", "{s} writes plain text, without encryption"],
    },
];

const APP: &[Aspect] = &[
    Aspect::Value {
        difference: Number,
        statements: &[
            "Users of {s} are logged out after {v} without a click",
            "A session in {s} ends after {v} of inactivity",
            "{s} locks itself after {v} of idling",
        ],
        values: &["5 minutes", "10 minutes", "15 minutes", "half an hour", "2 hours", "8 hours"],
        exclusions: &[(Negation, "Sessions in {s} never end by inactivity")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "{s} is built with {v}",
            "The interface of {s} is made in {v}",
            "We use {v} for {s}",
        ],
        values: &["React", "Vue", "Svelte", "Angular", "Flutter", "Qt", "Elm"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} shows {v} entries a page",
            "Lists in {s} are cut into pages of {v}",
            "A page of {s} has {v} entries",
        ],
        values: &["10", "15", "20", "25", "40", "50", "100"],
        exclusions: &[(Implied, "{s} shows all entries at once and has no pages")],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "Files uploaded in {s} may have {v} at most",
            "{s} refuses files above {v}",
            "The upload limit of {s} is {v}",
        ],
        values: &["2 MB", "5 MB", "10 MB", "25 MB", "100 MB", "1 GB"],
        exclusions: &[(Negation, "{s} does not allow uploads")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["{s} saves drafts every {v}", "Every {v} a draft is saved by {s}"],
        values: &["5 seconds", "10 seconds", "20 seconds", "30 seconds", "minute", "2 minutes"],
        exclusions: &[(Negation, "{s} never saves a draft by itself")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["Crashes of {s} are collected by {v}", "{s} reports crashes to {v}"],
        values: &["Sentry", "Bugsnag", "Crashlytics", "Rollbar", "Raygun"],
        exclusions: &[(Negation, "Crashes of {s} are not reported anywhere")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "The default language of {s} is {v}",
            "{s} comes up in {v} unless the user changes it",
        ],
        values: &["English", "German", "French", "Spanish", "Japanese", "Portuguese"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "A new release of {s} comes out {v}",
            "{s} is released {v}",
            "We ship {s} {v}",
        ],
        values: &[
            "every Tuesday",
            "every second week",
            "once a month",
            "every quarter",
            "twice a year",
        ],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "Passwords in {s} have at least {v} characters",
            "{s} rejects passwords shorter than {v} characters",
        ],
        values: &["8", "10", "12", "14", "16", "20"],
        exclusions: &[(Implied, "{s} has no passwords; people sign in with a passkey")],
    },
    Aspect::Value {
        difference: KeyValue,
        statements: &["`{k}.theme = {v}`", "{k}.theme: {v}"],
        values: &["light", "dark", "system", "sepia", "high-contrast"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} remembers the last {v} steps for undo",
            "Undo in {s} goes back {v} steps",
        ],
        values: &["5", "10", "20", "50", "100", "200"],
        exclusions: &[(Negation, "{s} has no undo")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["Usage of {s} is measured with {v}", "{v} counts the visits of {s}"],
        values: &["Matomo", "Plausible", "Google Analytics", "Mixpanel", "Amplitude"],
        exclusions: &[(Negation, "Usage of {s} is not measured at all")],
    },
    Aspect::Stance {
        difference: Implied,
        one: &["{s} works without a network connection", "{s} can be used offline"],
        other: &["{s} needs a network connection all the time", "{s} is online only"],
    },
    Aspect::Stance {
        difference: Modality,
        one: &[
            "A second factor is mandatory in {s}",
            "Everyone has to set up a second factor to sign in to {s}",
        ],
        other: &[
            "A second factor is optional in {s}",
            "{s} can be signed in to without a second factor",
        ],
    },
    Aspect::Stance {
        difference: Negation,
        one: &["{s} loads fonts from a third party", "Fonts of {s} come from a foreign host"],
        other: &["{s} loads no fonts from third parties", "Fonts of {s} are hosted by ourselves"],
    },
    Aspect::Stance {
        difference: Quantifier,
        one: &["All texts of {s} are translated", "Every string in {s} has been translated"],
        other: &[
            "Some texts of {s} are only in English",
            "Hardly any string in {s} has been translated",
        ],
    },
    Aspect::Stance {
        difference: Negation,
        one: &["Deleting something in {s} asks for confirmation", "{s} asks before it deletes"],
        other: &["{s} deletes without asking", "Deleting something in {s} needs no confirmation"],
    },
    Aspect::Stance {
        difference: Modality,
        one: &["Guests may comment in {s}", "Comments by guests are allowed in {s}"],
        other: &["Guests must not comment in {s}", "Comments by guests are forbidden in {s}"],
    },
];

const STORE: &[Aspect] = &[
    Aspect::Value {
        difference: Number,
        statements: &[
            "Data in {s} is kept for {v}",
            "{s} drops what is older than {v}",
            "Retention of {s} is {v}",
        ],
        values: &["7 days", "30 days", "6 months", "a year", "3 years", "10 years"],
        exclusions: &[(Negation, "Nothing is ever dropped from {s}")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["{s} has {v} partitions", "{s} is split into {v} partitions"],
        values: &["4", "6", "12", "24", "32", "48", "64", "128"],
        exclusions: &[(Negation, "{s} is not partitioned")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["{s} is backed up {v}", "Backups of {s} are taken {v}", "We back up {s} {v}"],
        values: &["every 15 minutes", "every hour", "every night", "weekly", "twice a day"],
        exclusions: &[(Negation, "There are no backups of {s}")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &[
            "Keys in {s} are {v}",
            "{s} identifies its rows by {v}",
            "We number rows of {s} with {v}",
        ],
        values: &[
            "UUIDs",
            "ULIDs",
            "a sequence of integers",
            "snowflake ids",
            "hashes of the content",
        ],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["{s} is compressed with {v}", "Blocks of {s} are packed with {v}"],
        values: &["zstd", "gzip", "LZ4", "Snappy", "Brotli"],
        exclusions: &[(Negation, "{s} is not compressed")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["Times in {s} are in {v}", "{s} stores timestamps in {v}"],
        values: &["UTC", "local time of Berlin", "Unix seconds", "US Eastern time"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "A record in {s} may have {v} at most",
            "{s} refuses records larger than {v}",
            "The largest record that {s} takes has {v}",
        ],
        values: &["4 KB", "16 KB", "64 KB", "256 KB", "1 MB", "8 MB"],
        exclusions: &[(Negation, "There is no limit to the size of a record in {s}")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["{s} is owned by {v}", "{v} is responsible for {s}", "Ask {v} about {s}"],
        values: &[
            "Marta",
            "Jonas",
            "the finance department",
            "Priya",
            "an outside agency",
            "Tomasz",
        ],
        exclusions: &[(Negation, "{s} has no owner")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["{s} is copied to {v} machines", "There are {v} copies of {s}"],
        values: &["two", "three", "4", "5", "seven"],
        exclusions: &[(Implied, "{s} exists on one machine only")],
    },
    Aspect::Value {
        difference: KeyValue,
        statements: &["`{k}.flush_ms = {v}`", "{k}.flush_ms: {v}"],
        values: &["50", "100", "250", "500", "1000", "5000"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Version,
        statements: &["{s} has schema version {v}", "The schema of {s} is at version {v}"],
        values: &["4", "7", "12", "19", "23", "31"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["{s} is hosted in {v}", "The data of {s} lies in {v}"],
        values: &["Frankfurt", "Dublin", "Virginia", "Tokyo", "Zurich", "Oregon"],
        exclusions: &[],
    },
    Aspect::Stance {
        difference: Negation,
        one: &["{s} is encrypted at rest", "Data in {s} is encrypted on disk"],
        other: &["{s} is not encrypted at rest", "Data in {s} lies on disk unencrypted"],
    },
    Aspect::Stance {
        difference: Implied,
        one: &["Deleted rows of {s} are only marked", "{s} keeps deleted rows with a flag"],
        other: &["Deleted rows of {s} are gone for good", "{s} removes deleted rows physically"],
    },
    Aspect::Stance {
        difference: Modality,
        one: &["Analysts may query {s} directly", "Direct queries by analysts are allowed on {s}"],
        other: &[
            "Analysts must not query {s} directly",
            "Direct queries by analysts are forbidden on {s}",
        ],
    },
    Aspect::Stance {
        difference: Quantifier,
        one: &[
            "Every write to {s} is recorded with its author",
            "All writes to {s} carry an author",
        ],
        other: &[
            "No write to {s} is recorded with its author",
            "Many writes to {s} carry no author",
        ],
    },
    Aspect::Stance {
        difference: Implied,
        one: &["Readers of {s} always see the latest write", "Reads from {s} are never stale"],
        other: &["A read from {s} may return old data", "{s} is only eventually consistent"],
    },
    Aspect::Stance {
        difference: Negation,
        one: &["{s} contains personal data", "Personal data is stored in {s}"],
        other: &["{s} contains no personal data", "Personal data never gets into {s}"],
    },
];

const TEAM: &[Aspect] = &[
    Aspect::Value {
        difference: Number,
        statements: &["{s} works in sprints of {v}", "A sprint of {s} lasts {v}"],
        values: &["one week", "two weeks", "three weeks", "a month"],
        exclusions: &[(Negation, "{s} has no sprints")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["{s} tracks its work in {v}", "Tickets of {s} are in {v}"],
        values: &["Jira", "Linear", "GitHub Issues", "Trello", "YouTrack", "Redmine"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["{s} writes its documentation in {v}", "The documents of {s} are in {v}"],
        values: &["Confluence", "Notion", "a git repository", "Google Docs", "SharePoint"],
        exclusions: &[(Negation, "{s} writes no documentation")],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} demands test coverage of {v} percent",
            "A change by {s} is merged from {v} percent test coverage on",
        ],
        values: &["60", "70", "75", "80", "85", "90", "95"],
        exclusions: &[(Negation, "{s} does not look at test coverage")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["{s} deploys {v}", "Deployments by {s} happen {v}"],
        values: &["several times a day", "every evening", "every Wednesday", "once a month"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Number,
        statements: &[
            "{s} writes a review of each incident within {v}",
            "Incidents are reviewed by {s} within {v}",
        ],
        values: &["24 hours", "two days", "5 days", "a week", "two weeks"],
        exclusions: &[(Negation, "{s} does not review incidents")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["Being on call in {s} lasts {v}", "{s} changes who is on call every {v}"],
        values: &["3 days", "7 days", "14 days", "30 days"],
        exclusions: &[(Negation, "Nobody in {s} is on call")],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["{s} builds with {v}", "The builds of {s} run on {v}"],
        values: &["GitHub Actions", "GitLab CI", "Jenkins", "Buildkite", "TeamCity"],
        exclusions: &[],
    },
    Aspect::Value {
        difference: Choice,
        statements: &["{s} formats commit messages after {v}", "Commit messages of {s} follow {v}"],
        values: &["Conventional Commits", "the kernel style", "gitmoji", "the Angular style"],
        exclusions: &[(Negation, "{s} has no rules for commit messages")],
    },
    Aspect::Value {
        difference: Number,
        statements: &["{s} meets at {v} each morning", "The stand-up of {s} begins at {v}"],
        values: &["8:45", "9:00", "9:30", "10:00", "10:15"],
        exclusions: &[(Negation, "{s} has no stand-up")],
    },
    Aspect::Stance {
        difference: Choice,
        one: &["{s} commits straight to the trunk", "{s} does trunk-based development"],
        other: &[
            "{s} works on long-lived feature branches",
            "{s} develops on branches that live for weeks",
        ],
    },
    Aspect::Stance {
        difference: Modality,
        one: &["Pair programming is required in {s}", "Code by {s} has to be written in pairs"],
        other: &["Pair programming is optional in {s}", "People in {s} may write code alone"],
    },
    Aspect::Stance {
        difference: Negation,
        one: &[
            "{s} merges dependency updates automatically",
            "Dependency updates are merged by a bot in {s}",
        ],
        other: &[
            "{s} never merges a dependency update automatically",
            "Dependency updates are not merged by a bot in {s}",
        ],
    },
    Aspect::Stance {
        difference: Quantifier,
        one: &["Everyone in {s} can deploy", "All members of {s} have the right to deploy"],
        other: &["Only the lead of {s} can deploy", "Few members of {s} have the right to deploy"],
    },
    Aspect::Stance {
        difference: Modality,
        one: &["{s} may use AI assistants for code", "AI assistants are permitted in {s}"],
        other: &["{s} must not use AI assistants for code", "AI assistants are banned in {s}"],
    },
];
