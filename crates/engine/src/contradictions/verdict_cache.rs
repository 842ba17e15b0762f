//! Verdicts on pairs of texts, kept in the cache so that a scan judges only what is new and goes on where it was
//! interrupted.
//!
//! The file is derived: without it, everything is judged again. It begins with its version and a checksum; then come
//! entries of a fixed size. It holds hashes and no text.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use heirloom_core::contradiction::{Certainty, FindingKind, Verdict};

use crate::Session;

/// The folder in the cache, and the file in it.
const FOLDER: &str = "contradictions";
const FILE: &str = "verdicts";

/// The first bytes of the file.
const VERSION: &[u8] = b"heirloom-verdicts-2\n";

/// The number of bytes of the checksum.
const CHECKSUM_BYTES: usize = 32;

/// The encoded size of an entry.
const ENTRY_BYTES: usize = 24;

/// The size of the key of an entry.
const KEY_BYTES: usize = 16;

/// Most verdicts that are kept.
const MAX_ENTRIES: usize = 1_000_000;

/// A larger file is not read, in bytes.
const FILE_MAX_BYTES: u64 = (MAX_ENTRIES * ENTRY_BYTES + 1024) as u64;

/// How often a long scan stores its verdicts.
const SAVE_INTERVAL: Duration = Duration::from_secs(10);

/// A hash of two texts and of the judge.
pub(super) type PairKey = [u8; KEY_BYTES];

/// A verdict without its reason, which is found again when it is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CachedVerdict {
    pub(super) probability: f32,
    pub(super) certainty: Certainty,
    pub(super) is_clean: bool,
    pub(super) kind: FindingKind,
    /// Whether the model read the pair.
    pub(super) is_of_model: bool,
}

impl CachedVerdict {
    /// Takes what is kept of a verdict.
    pub(super) fn new(verdict: &Verdict, is_of_model: bool) -> Self {
        let Verdict { probability, certainty, is_clean, kind, .. } = *verdict;
        CachedVerdict { probability: probability as f32, certainty, is_clean, kind, is_of_model }
    }

    /// Returns the verdict without a reason.
    pub(super) fn to_verdict(self) -> Verdict {
        let CachedVerdict { probability, certainty, is_clean, kind, .. } = self;
        let (probability, reason) = (f64::from(probability), String::new());
        Verdict { probability, certainty, is_clean, kind, reason }
    }

    fn encode(self) -> [u8; ENTRY_BYTES - KEY_BYTES] {
        let [p, q, r, s] = self.probability.to_le_bytes();
        let certainty = match self.certainty {
            Certainty::None => 0,
            Certainty::Possible => 1,
            Certainty::Certain => 2,
        };
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or(KINDS.len() - 1);
        [p, q, r, s, certainty, kind as u8, u8::from(self.is_of_model), u8::from(self.is_clean)]
    }

    /// Decodes a verdict; `None` if it was not written by this version. The checksum keeps nobody from writing one: the
    /// cache may come with a clone.
    fn decode(
        [p, q, r, s, certainty, kind, is_of_model, is_clean]: [u8; ENTRY_BYTES - KEY_BYTES],
    ) -> Option<Self> {
        let probability = f32::from_le_bytes([p, q, r, s]);
        let flag = |byte: u8| (byte <= 1).then_some(byte == 1);
        Some(CachedVerdict {
            probability: Some(probability).filter(|it| (0.0..=1.0).contains(it))?,
            certainty: match certainty {
                0 => Certainty::None,
                1 => Certainty::Possible,
                2 => Certainty::Certain,
                _ => return None,
            },
            kind: *KINDS.get(usize::from(kind))?,
            is_clean: flag(is_clean)?,
            is_of_model: flag(is_of_model)?,
        })
    }
}

/// Every kind of difference, in the order of their numbers in the file.
const KINDS: [FindingKind; 8] = [
    FindingKind::Number,
    FindingKind::Unit,
    FindingKind::Version,
    FindingKind::Negation,
    FindingKind::Modality,
    FindingKind::KeyValue,
    FindingKind::Value,
    FindingKind::Other,
];

/// The verdicts that are known.
#[derive(Debug)]
pub(super) struct VerdictCache {
    /// Each verdict, and whether it was used since the cache was read.
    verdicts: HashMap<PairKey, (CachedVerdict, bool)>,
    saved_at: Instant,
    is_changed: bool,
}

impl VerdictCache {
    /// Reads the verdicts; none if there are none, or if the file is damaged.
    pub(super) fn read(session: &Session) -> Self {
        let bytes = session
            .root()
            .existing_cache()
            .and_then(|cache| cache.read(&format!("{FOLDER}/{FILE}"), FILE_MAX_BYTES).ok());
        VerdictCache {
            verdicts: bytes.and_then(|bytes| decode(&bytes)).unwrap_or_default(),
            saved_at: Instant::now(),
            is_changed: false,
        }
    }

    /// Returns the key of the verdict of a judge on two texts, in whichever order they are.
    pub(super) fn key(judge: &str, a: &str, b: &str) -> PairKey {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let mut hasher = blake3::Hasher::new();
        for part in [judge, a, b] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..KEY_BYTES]);
        key
    }

    /// Returns a verdict that is known.
    pub(super) fn get(&self, key: &PairKey) -> Option<CachedVerdict> {
        self.verdicts.get(key).map(|(verdict, _)| *verdict)
    }

    /// Adds a verdict, or notes that it was used.
    pub(super) fn put(&mut self, key: PairKey, verdict: CachedVerdict) {
        let before = self.verdicts.insert(key, (verdict, true));
        self.is_changed |= before.is_none_or(|(before, _)| before != verdict);
    }

    /// Stores the verdicts if that was not done for a while.
    pub(super) fn save_sometimes(&mut self, session: &Session) {
        if self.saved_at.elapsed() >= SAVE_INTERVAL {
            self.save(session);
        }
    }

    /// Stores the verdicts. Best effort: without them, the next scan judges again.
    pub(super) fn save(&mut self, session: &Session) {
        self.saved_at = Instant::now();
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        if self.verdicts.len() > MAX_ENTRIES {
            self.verdicts.retain(|_, (_, is_used)| *is_used);
        }
        let entries = self.verdicts.iter().take(MAX_ENTRIES);
        let mut payload = Vec::with_capacity(entries.len() * ENTRY_BYTES);
        for (key, (verdict, _)) in entries {
            payload.extend_from_slice(key);
            payload.extend_from_slice(&verdict.encode());
        }
        let checksum = blake3::hash(&payload);
        let bytes = [VERSION, checksum.as_bytes(), &payload].concat();
        let cache = session.root().open_cache(FOLDER);
        drop(cache.and_then(|cache| cache.replace_bytes_unsynced(FILE, &bytes)));
    }
}

fn decode(bytes: &[u8]) -> Option<HashMap<PairKey, (CachedVerdict, bool)>> {
    let rest = bytes.strip_prefix(VERSION)?;
    let (checksum, payload) = rest.split_at_checked(CHECKSUM_BYTES)?;
    if blake3::hash(payload).as_bytes() != checksum {
        return None;
    }
    let entries = payload.as_chunks::<ENTRY_BYTES>().0.iter();
    let decoded = entries.filter_map(|entry| {
        let (key, verdict) = entry.split_first_chunk::<KEY_BYTES>()?;
        Some((*key, (CachedVerdict::decode(verdict.try_into().ok()?)?, false)))
    });
    Some(decoded.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::init;
    use jiff::Timestamp;

    fn cache() -> (tempfile::TempDir, Session, VerdictCache) {
        let folder = tempfile::tempdir().unwrap();
        let today = jiff::civil::date(2026, 2, 22);
        let request =
            init::Request { folder: folder.path(), hierarchy: "plans", name: Some("t"), today };
        init::run(&request).unwrap();
        let session = Session::open(folder.path(), Timestamp::UNIX_EPOCH).unwrap();
        let cache = VerdictCache::read(&session);
        (folder, session, cache)
    }

    fn verdict(probability: f32) -> CachedVerdict {
        let (certainty, kind) = (Certainty::Certain, FindingKind::Negation);
        CachedVerdict { probability, certainty, is_clean: true, kind, is_of_model: true }
    }

    #[test]
    fn verdicts_are_read_back_whatever_the_order_of_the_texts() {
        let (_folder, session, mut cache) = cache();
        let key = VerdictCache::key("rules", "a", "b");
        cache.put(key, verdict(0.75));
        cache.save(&session);
        let read = VerdictCache::read(&session);
        assert_eq!(read.get(&VerdictCache::key("rules", "b", "a")), Some(verdict(0.75)));
        assert_eq!(read.get(&VerdictCache::key("rules", "a", "c")), None);
        assert_eq!(read.get(&VerdictCache::key("other", "a", "b")), None);
    }

    #[test]
    fn a_verdict_that_cannot_have_been_written_is_not_used() {
        let good = verdict(0.5).encode();
        assert_eq!(CachedVerdict::decode(good), Some(verdict(0.5)));
        for probability in [f32::NAN, f32::INFINITY, -0.5, 1.5] {
            assert_eq!(CachedVerdict::decode(verdict(probability).encode()), None);
        }
        for at in 4..good.len() {
            let mut bad = good;
            bad[at] = 200;
            assert_eq!(CachedVerdict::decode(bad), None, "byte {at}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests damage real files")]
    fn a_damaged_file_is_not_used() {
        let (folder, session, mut cache) = cache();
        let key = VerdictCache::key("rules", "a", "b");
        cache.put(key, verdict(0.5));
        cache.save(&session);
        let path = folder.path().join(".heirloom/cache/contradictions/verdicts");
        let bytes = std::fs::read(&path).unwrap();
        for damaged in [&bytes[..bytes.len() - 1], &bytes[..10], b"", &[7; 200]] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(VerdictCache::read(&session).get(&key), None);
        }
    }
}
