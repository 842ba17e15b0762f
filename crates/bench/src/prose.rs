//! Deterministic filler text of a realistic shape.

use heirloom_testkit::SeededRng;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "account", "adapter", "agent", "alert", "archive", "audit", "backlog", "batch", "billing",
    "boundary", "branch", "budget", "buffer", "cache", "calendar", "catalogue", "channel",
    "checkpoint", "client", "cluster", "column", "commit", "consumer", "contract", "cursor",
    "customer", "dashboard", "deadline", "decision", "default", "delivery", "document", "domain",
    "draft", "endpoint", "entry", "estimate", "event", "export", "fallback", "feature", "fixture",
    "gateway", "handler", "import", "incident", "index", "invoice", "journal", "latency", "ledger",
    "library", "limit", "loader", "margin", "measure", "member", "merge", "message", "metric",
    "migration", "module", "monitor", "network", "notice", "object", "operator", "order", "owner",
    "package", "parser", "partner", "payment", "permission", "pipeline", "policy", "portal",
    "process", "profile", "project", "protocol", "provider", "queue", "quota", "record", "region",
    "registry", "release", "replica", "report", "request", "response", "retry", "review", "rollout",
    "router", "schedule", "schema", "section", "segment", "service", "session", "setting",
    "shipment", "signal", "snapshot", "source", "stage", "status", "storage", "stream", "summary",
    "support", "survey", "target", "template", "tenant", "threshold", "ticket", "timeline", "token",
    "trace", "transfer", "trigger", "update", "upload", "vendor", "version", "warehouse", "webhook",
    "window", "worker", "workflow",
];

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "accepts", "blocks", "checks", "closes", "copies", "drops", "expects", "filters", "follows",
    "groups", "holds", "keeps", "limits", "loads", "merges", "moves", "names", "opens", "orders",
    "owns", "reads", "records", "rejects", "replaces", "reports", "retries", "returns", "sends",
    "shares", "splits", "stores", "updates", "validates", "waits for", "writes",
];

const LINKS: &[&str] = &["because", "after", "before", "unless", "so that", "while", "once", "and"];

/// A pseudo-random stream of words that depends only on its name.
///
/// Each document has its own stream, named by its path, so that a plan reads the same in a workspace of ten
/// plans and in one of a thousand; the trace compares the two.
pub(crate) struct Prose {
    random: SeededRng,
}

impl Prose {
    /// Starts the stream of `name`, whose FNV-1a hash is the seed.
    pub(crate) fn of(name: &str) -> Prose {
        let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Prose { random: SeededRng::new(name.bytes().fold(0xcbf2_9ce4_8422_2325, fnv)) }
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// Returns one of `choices`.
    pub(crate) fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// Returns a noun.
    pub(crate) fn word(&mut self) -> &'static str {
        self.pick(WORDS)
    }

    /// Returns a date of January 2026 or of the first three weeks of February.
    pub(crate) fn date(&mut self) -> String {
        let day = self.below(51);
        if day < 31 {
            format!("2026-01-{:02}", day + 1)
        } else {
            format!("2026-02-{:02}", day - 30)
        }
    }

    /// Returns a title of three words.
    pub(crate) fn title(&mut self) -> String {
        let words = [self.word(), self.word(), self.word()];
        capitalised(&words.join(" "))
    }

    /// Returns one sentence.
    pub(crate) fn sentence(&mut self) -> String {
        let mut text = self.clause();
        for _ in 0..=self.below(2) {
            text.push_str(&format!(" {} {}", self.pick(LINKS), self.clause()));
        }
        text.push('.');
        capitalised(&text)
    }

    /// Returns a paragraph of `sentences` sentences.
    pub(crate) fn paragraph(&mut self, sentences: usize) -> String {
        let sentences: Vec<_> = (0..sentences).map(|_| self.sentence()).collect();
        sentences.join(" ")
    }

    /// Returns a markdown list of `items` items.
    pub(crate) fn list(&mut self, items: usize) -> String {
        let items: Vec<_> = (0..items).map(|_| format!("- {}", self.sentence())).collect();
        items.join("\n")
    }

    /// Returns a markdown section of two paragraphs.
    pub(crate) fn section(&mut self, heading: &str) -> String {
        format!("## {heading}\n\n{}\n\n{}\n", self.paragraph(4), self.paragraph(3))
    }

    fn clause(&mut self) -> String {
        format!(
            "the {} {} {} the {} {}",
            self.word(),
            self.word(),
            self.pick(VERBS),
            self.word(),
            self.word()
        )
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::Prose;

    #[test]
    fn a_stream_depends_on_its_name_alone() {
        assert_eq!(Prose::of("a").paragraph(9), Prose::of("a").paragraph(9));
        assert_ne!(Prose::of("a").paragraph(9), Prose::of("b").paragraph(9));
    }

    #[test]
    fn dates_are_real_and_before_the_fixed_now() {
        let mut prose = Prose::of("dates");
        for _ in 0..500 {
            let date = prose.date();
            assert!(("2026-01-01".."2026-02-21").contains(&date.as_str()), "{date}");
        }
    }
}
