//! The facts that every server holds.

/// A fact of a project.
pub(super) struct Fact {
    /// A name for servers that need one.
    pub(super) name: &'static str,
    /// The section in heir, and the type elsewhere.
    pub(super) section: &'static str,
    pub(super) text: &'static str,
}

const fn fact(name: &'static str, section: &'static str, text: &'static str) -> Fact {
    Fact { name, section, text }
}

/// The facts of a small shop.
pub(super) const FACTS: &[Fact] = &[
    fact(
        "Amounts",
        "Decisions",
        "Amounts are integers in cents, with the currency beside them; floats are rejected at the border.",
    ),
    fact(
        "Refunds",
        "Decisions",
        "A refund is an event of its own and never changes the payment that it refers to.",
    ),
    fact(
        "Ledger",
        "Architecture",
        "The ledger is append-only; a balance is the sum of its entries, cached for an hour.",
    ),
    fact(
        "Outbox",
        "Architecture",
        "Events leave the shop through an outbox table that a worker empties every five seconds.",
    ),
    fact(
        "Database",
        "Decisions",
        "PostgreSQL 16 holds everything but sessions, which are in Redis with a time to live of a day.",
    ),
    fact(
        "Migrations",
        "Constraints",
        "A migration must run while the old version still serves: add first, fill, and drop a release later.",
    ),
    fact(
        "Deploys",
        "Constraints",
        "Nothing is deployed on Fridays after noon, and never while a migration fills a table.",
    ),
    fact(
        "Tests",
        "Specs",
        "Every endpoint has a contract test; the suite has to stay under four minutes on two cores.",
    ),
    fact(
        "Timeouts",
        "Specs",
        "Calls to the bank time out after eight seconds and are retried twice with a key that makes them idempotent.",
    ),
    fact(
        "Bank sandbox",
        "Known Issues",
        "The bank's sandbox answers with 500 on the last day of a month; tests skip it then.",
    ),
    fact(
        "Rounding",
        "Known Issues",
        "The old importer rounded half to even, so invoices before March differ by up to a cent.",
    ),
    fact(
        "Search",
        "Decisions",
        "Product search stays in the database until there are a million products; then it moves to an index of its own.",
    ),
    fact(
        "Images",
        "Architecture",
        "Images are resized when they are uploaded and served by their hash, so that caches never expire.",
    ),
    fact(
        "Logs",
        "Constraints",
        "Logs must not contain names, addresses or card numbers; the formatter drops unknown fields.",
    ),
    fact(
        "Feature flags",
        "Patterns & Conventions",
        "A feature flag is a row with an owner and a date of removal; the build fails two weeks after it.",
    ),
    fact(
        "Errors",
        "Patterns & Conventions",
        "Handlers return typed errors; only the edge turns them into status codes and messages.",
    ),
    fact(
        "Names",
        "Patterns & Conventions",
        "Tables are named in the plural, columns in the singular, and foreign keys end in _id.",
    ),
    fact(
        "Invoices",
        "Decisions",
        "Invoices are rendered once and stored; a correction is a new invoice that names the old one.",
    ),
    fact(
        "Tax",
        "Specs",
        "Tax is computed per line and rounded per line, as the authority asks for.",
    ),
    fact(
        "Load",
        "Specs",
        "The shop serves 400 requests a second at its peak with a latency of 300 ms at p99.",
    ),
];
