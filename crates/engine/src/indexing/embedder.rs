//! Which embedder the settings name.

use std::path::Path;
use std::sync::Arc;

use heirloom_core::embedding::{EmbedError, Embedder};
use heirloom_embed::{Endpoint, Files, Transformer};
use heirloom_store::config::{self, EmbedderKind};
use heirloom_store::confined::is_escape;
use heirloom_store::files;
use heirloom_store::stamp::Stamp;

use super::open_index::OpenIndexes;
use crate::{Error, Session};

/// An embedder that others may use at the same time.
pub(crate) type SharedEmbedder = Arc<dyn Embedder>;

/// One that knows the meaning of nothing, so that words alone are looked for.
pub(crate) struct LexicalOnly;

impl Embedder for LexicalOnly {
    fn name(&self) -> &str {
        "none"
    }

    fn dimensions(&self) -> usize {
        0
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        texts.iter().for_each(|_| take(&[]));
        Ok(())
    }
}

/// What an endpoint looks like.
const EXAMPLE: &str = "http://127.0.0.1:11434/v1";

/// The files of a transformer.
const SHAPE: &str = "config.json";
const VOCABULARY: &str = "vocab.txt";
const WEIGHTS: &str = "model.safetensors";

/// A larger file is no sentence transformer that could answer in time.
const MAX_MODEL_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// How long one waits for an embedder.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Patience {
    /// As one who has a question.
    Short,
    /// As one who wants it to work.
    Long,
}

/// Returns the embedder that the settings name. One that is slow to open is kept for the next time.
pub(crate) fn embedder(session: &Session, patience: Patience) -> Result<SharedEmbedder, Error> {
    let settings = &session.config()?.embedder;
    if settings.kind == EmbedderKind::Static {
        return Ok(Arc::new(heirloom_embed::builtin()));
    }
    let root = session.root().path().display();
    // One whose files were replaced is another.
    let folder = session.remote_embedder().folder.as_deref().or(settings.folder.as_deref());
    let stamps = folder.map(|folder| {
        let folder = session.root().path().join(folder);
        [SHAPE, VOCABULARY, WEIGHTS].map(|file| Stamp::of(&folder.join(file)))
    });
    let known_as = format!("{root}\n{settings:?}\n{:?}\n{stamps:?}", session.remote_embedder());
    match (OpenIndexes::of(session).embedder(&known_as), patience) {
        (Some(Ok(kept)), _) => return Ok(kept),
        (Some(Err(error)), Patience::Short) => return Err(error),
        _ => {}
    }
    let opened = match settings.kind {
        EmbedderKind::Endpoint => endpoint(session, settings, patience)
            .map(|endpoint| Arc::new(endpoint) as SharedEmbedder),
        _ => transformer(session, settings)
            .map(|transformer| Arc::new(transformer) as SharedEmbedder),
    };
    OpenIndexes::of(session).keep_embedder(known_as, &opened);
    opened
}

fn endpoint(
    session: &Session,
    settings: &config::Embedder,
    patience: Patience,
) -> Result<Endpoint, Error> {
    let remote = session.remote_embedder();
    let is_wrong = |named: &&str| remote.endpoint.is_none() && !Endpoint::is_address(named);
    if let Some(named) = settings.endpoint.as_deref().filter(is_wrong) {
        let named = named.escape_default();
        return Err(Error::bad_input(format!("`{named}` is no address of an embedder"))
            .hint(write("endpoint", EXAMPLE)));
    }
    let endpoint = remote.endpoint(settings.endpoint.as_deref()).map_err(|named| {
        Error::bad_input(format!(
            "the settings name an embedder at {named}, and settings come with the repository"
        ))
        .hint(format!("to send it what is remembered, set HEIRLOOM_EMBEDDER_ENDPOINT={named}"))
    })?;
    let Some(endpoint) = endpoint else {
        return Err(missing("endpoint", EXAMPLE));
    };
    if settings.model.is_empty() {
        return Err(missing("model", "nomic-embed-text"));
    }
    let key = remote.key.as_deref();
    Ok(match patience {
        Patience::Short => Endpoint::open_soon(endpoint, &settings.model, key)?,
        Patience::Long => Endpoint::open(endpoint, &settings.model, key)?,
    })
}

fn transformer(session: &Session, settings: &config::Embedder) -> Result<Transformer, Error> {
    // The person at this machine may name a folder anywhere; the settings, which come with the
    // repository, may name one of the workspace.
    if let Some(folder) = &session.remote_embedder().folder {
        let folder = Path::new(folder);
        let files = Files {
            config: files::read_given(&folder.join(SHAPE))?,
            vocabulary: files::read_given(&folder.join(VOCABULARY))?,
            weights: files::read_bytes_given(&folder.join(WEIGHTS))?,
        };
        return Ok(Transformer::read(&files)?);
    }
    let Some(folder) = settings.folder.as_deref() else {
        return Err(missing("folder", "models/minilm"));
    };
    let dir = session.root().dir();
    let path = |name: &str| format!("{}/{name}", folder.trim_end_matches('/'));
    let failed = |name: &str, error: &std::io::Error| {
        let hint = match is_escape(error) {
            true => format!("to use a folder elsewhere, set HEIRLOOM_EMBEDDER_FOLDER={folder}"),
            false => write("folder", "models/minilm"),
        };
        let message = match is_escape(error) {
            true => format!("embedder.folder `{folder}` is not a folder of the workspace"),
            false => format!("{}: {error}", path(name)),
        };
        Error::bad_input(message).hint(hint)
    };
    let text = |name: &str| {
        dir.read_text(&path(name), MAX_MODEL_BYTES).map_err(|error| failed(name, &error))
    };
    let weights = dir.read(&path(WEIGHTS), MAX_MODEL_BYTES);
    let files = Files {
        config: text(SHAPE)?,
        vocabulary: text(VOCABULARY)?,
        weights: weights.map_err(|error| failed(WEIGHTS, &error))?,
    };
    Ok(Transformer::read(&files)?)
}

fn missing(setting: &str, example: &str) -> Error {
    Error::bad_input(format!("the settings name no embedder.{setting}"))
        .hint(write(setting, example))
}

fn write(setting: &str, example: &str) -> String {
    format!("write `{setting} = \"{example}\"` under [embedder] in {}", config::PATH)
}
