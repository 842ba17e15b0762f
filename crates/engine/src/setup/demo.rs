//! A realistic example workspace, dated from today, for `heir demo`.

use std::path::{Path, PathBuf};

use heirloom_store::Root;
use jiff::civil::Date;

use super::init;
use crate::Error;

/// The plan of the example.
pub const PLAN: &str = "0042-refund-flow";
/// The agent of the example.
pub const AGENT: &str = "001-refund-api";

/// Writes the example into an empty folder. `{-n}` in a text stands for the date n days ago.
pub fn write(folder: &Path, today: Date) -> Result<(), Error> {
    let root = Root::open_new(folder)?;
    for (path, text) in DOCUMENTS {
        root.create(path, &fill_dates(text, today))?;
    }
    init::run(&init::Request {
        folder,
        hierarchy: "plans",
        name: Some("Larkspur Payments"),
        today,
    })?;
    Ok(())
}

/// Creates a folder, or checks that it is empty, so that the example does not mix with other files.
pub fn empty_folder(folder: &Path) -> Result<PathBuf, Error> {
    heirloom_store::files::make_empty_folder(folder).map_err(Error::from)
}

fn fill_dates(text: &str, today: Date) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{-") {
        out.push_str(before);
        let (days, after) = after.split_once('}').unwrap_or((after, ""));
        let date = today.saturating_sub(jiff::Span::new().days(days.parse::<i64>().unwrap_or(0)));
        out.push_str(&date.to_string());
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The documents of the example: path and text.
const DOCUMENTS: &[(&str, &str)] = &[
    (
        ".heirloom/workspace.md",
        r#"---
name: Larkspur Payments
type: workspace
created: {-210}
updated: {-5}
brand_voice: professional
review:
  required_approvals: 2
  tools: [cargo-deny, clippy]
---

# Workspace: Larkspur Payments

## Mission

Move money for small shops without ever losing a cent or a customer's trust.

## Principles

- Money is integer minor units and a currency, never a float.
- Every write is idempotent: the caller sends a key, and sends it again after a timeout.
- A log line never holds a card number, a token or an e-mail address.

## Active decisions

- ADR-0002: PostgreSQL is the ledger's database
- ADR-0004: Events leave through an outbox table

## Defaults

```yaml
defaults:
  language: Rust
  database: PostgreSQL
  test_coverage: 80%
  pr_process: squash-merge
```
"#,
    ),
    (
        ".heirloom/context/architecture.md",
        "---\nname: architecture\ntype: context\ncreated: {-200}\nupdated: {-20}\n---\n\n# Architecture\n\nServices talk over events; a synchronous call across services needs a reason in the plan.\nThe ledger is append-only: a correction is a new entry, never an update.\n",
    ),
    (
        ".heirloom/context/brand.md",
        "---\nname: brand\ntype: context\ncreated: {-200}\nupdated: {-3}\nrefresh_interval: 90\n---\n\n# Brand\n\nSay *refund*, not *chargeback*: a chargeback is what the bank does. Say *shop*, not *merchant*, to shops.\n",
    ),
    (
        ".heirloom/context/conventions.md",
        "---\nname: conventions\ntype: context\ncreated: {-200}\nupdated: {-8}\n---\n\n# Conventions\n\nA change comes with its test. A migration is written so that the version before it still runs.\n",
    ),
    (
        ".heirloom/context/vision.md",
        "---\nname: vision\ntype: context\ncreated: {-200}\nupdated: {-11}\nrefresh_interval: 180\n---\n\n# Vision\n\nA corner shop takes payments as easily as it opens its door, and keeps its books without knowing it.\n",
    ),
    (
        ".heirloom/context/nfrs.md",
        "---\nname: nfrs\ntype: context\ncreated: {-200}\nupdated: {-41}\nlatency:\n  p99_ms: 300\n---\n\n# Non-functional requirements\n\n- p99 of every public endpoint under 300 ms at 200 requests a second.\n- A lost zone loses no acknowledged payment.\n",
    ),
    (
        ".heirloom/adrs/ADR-0001-use-mysql-for-the-ledger.md",
        "---\ntitle: Use MySQL for the ledger\ntype: adr\nstatus: superseded\ncreated: {-190}\nupdated: {-120}\nsupersedes: []\nsuperseded_by: ADR-0002\n---\n\n# ADR-0001: Use MySQL for the ledger\n\n## Decision\n\nMySQL, because the team knew it.\n",
    ),
    (
        ".heirloom/adrs/ADR-0002-use-postgresql-for-the-ledger.md",
        "---\ntitle: Use PostgreSQL for the ledger\ntype: adr\nstatus: accepted\ncreated: {-120}\nupdated: {-12}\nsupersedes: [ADR-0001]\nsuperseded_by: null\n---\n\n# ADR-0002: Use PostgreSQL for the ledger\n\n## Context\n\nSerializable transactions without gap locks, and partitions that can be detached.\n\n## Decision\n\nPostgreSQL, one cluster per region.\n",
    ),
    (
        ".heirloom/adrs/ADR-0003-nightly-export.md",
        "---\ntitle: Nightly export to the warehouse\ntype: adr\nstatus: deprecated\ncreated: {-150}\nupdated: {-60}\n---\n\n# ADR-0003: Nightly export to the warehouse\n\n## Decision\n\nA job copies the day's entries at two in the morning.\n",
    ),
    (
        ".heirloom/adrs/ADR-0004-outbox-for-events.md",
        "---\ntitle: Events leave through an outbox table\ntype: adr\nstatus: accepted\ncreated: {-80}\nupdated: {-9}\n---\n\n# ADR-0004: Events leave through an outbox table\n\n## Decision\n\nThe event is a row in the same transaction as the change; a relay publishes it at least once.\n",
    ),
    (
        ".heirloom/projects/checkout/project.md",
        "---\nname: checkout\ntype: project\nstatus: active\ncreated: {-100}\nupdated: {-6}\nbrand_voice: casual\noverrides: [brand_voice]\ndefaults:\n  test_coverage: 90%\nreview:\n  tools: [cargo-mutants]\n---\n\n# Project: Checkout\n\n## Goals\n\nA shop goes from sign-up to its first payment in ten minutes.\n\n## Constraints\n\n- The public API is versioned by date; a field is added, never changed.\n",
    ),
    (
        ".heirloom/projects/checkout/adrs/ADR-0001-date-versions.md",
        "---\ntitle: Version the public API by date\ntype: adr\nstatus: accepted\ncreated: {-95}\nupdated: {-10}\n---\n\n# ADR-0001: Version the public API by date\n\n## Decision\n\nA header names the date; the newest is the default for new keys only.\n",
    ),
    (
        "plans/0042-refund-flow/0042-refund-flow-plan.md",
        "---\ntitle: Refund flow\ntype: plan\nstatus: in_progress\nproject: checkout\ncreated: {-18}\nupdated: {-2}\ndefaults:\n  database: SQLite\n---\n\n# Refund flow\n\n## Scope\n\nFull and partial refunds from the dashboard and the API. Disputes are another plan.\n\n## Decisions\n\n- A refund is a ledger entry of its own that points at the payment, as ADR-0002 and ADR-0004 have it.\n- The warehouse gets refunds the way ADR-0003 describes.\n",
    ),
    (
        "plans/0042-refund-flow/context.md",
        "---\nupdated: {-2}\nlatency:\n  p99_ms: 200\noverrides: [latency.p99_ms]\n---\n\nThe processor's sandbox refuses amounts that end in 99; use 42.00 in examples.\n",
    ),
    (
        "plans/0042-refund-flow/plan.memory.md",
        "---\nplan: 0042-refund-flow\ncreated: {-17}\nupdated: {-1}\ncontributors: [000, 001]\n---\n\n# Plan Memory: Refund flow\n\n## Shared Discoveries\n\n- The processor answers 409 to a refund that is already under way; treat it as success.\n\n## Open Questions\n\n- [ ] Who pays the fee of a partial refund?\n",
    ),
    (
        "plans/0042-refund-flow/agents/000-ledger-entries.md",
        "---\ntitle: Ledger entries\ntype: agent\nplan: 0042-refund-flow\nstatus: done\ncreated: {-17}\nupdated: {-6}\n---\n\n# Ledger entries\n\n## Task\n\nThe refund entry and its invariant: refunds of a payment never exceed it.\n",
    ),
    (
        "plans/0042-refund-flow/agents/001-refund-api.md",
        "---\ntitle: Refund API\ntype: agent\nplan: 0042-refund-flow\nstatus: in_progress\ndepends_on: [000-ledger-entries]\ncreated: {-10}\nupdated: {-1}\n---\n\n# Refund API\n\n## Task\n\n`POST /refunds` with an idempotency key, and its place in the API reference.\n",
    ),
    (
        "plans/0042-refund-flow/agents/001-refund-api.memory.md",
        "---\nagent: 001-refund-api\nplan: 0042-refund-flow\ncreated: {-9}\nupdated: {-1}\nsessions: 2\n---\n\n# Agent Memory: Refund API\n\n## Findings\n\n- The idempotency middleware runs before authentication, so keys must be scoped by shop.\n\n## Blockers\n\n- [ ] The sandbox account has no refund permission\n",
    ),
];
