//! Opens the embedder that the settings name.

use std::path::Path;
use std::sync::Arc;

use heirloom_core::embedding::{EmbedError, Embedder};
use heirloom_embed::{Endpoint, ModelFiles, Transformer};
use heirloom_store::config::{self, EmbedderKind};
use heirloom_store::confined::is_escape;
use heirloom_store::files;
use heirloom_store::stamp::Stamp;

use super::open_embedders::{OpenEmbedders, SharedEmbedder};
use crate::{Error, Session};

/// An embedder without dimensions, with which a search is lexical only.
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

/// Example of an endpoint for hints.
const ENDPOINT_EXAMPLE: &str = "http://127.0.0.1:11434/v1";

/// Example of a model folder for hints.
const FOLDER_EXAMPLE: &str = "models/minilm";

/// Name of the file with a transformer's dimensions.
const CONFIG_FILE: &str = "config.json";
/// Name of the file with a transformer's vocabulary.
const VOCABULARY_FILE: &str = "vocab.txt";
/// Name of the file with a transformer's weights.
const WEIGHTS_FILE: &str = "model.safetensors";

/// Maximum size of a model file; a larger model would be too slow for a search.
const MAX_MODEL_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// How long to wait for an embedder.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EmbedderTimeout {
    /// For a search, which can do without the embedder.
    Short,
    /// For a command that needs the embedder.
    Long,
}

/// Returns the embedder that the settings name. Any but the builtin one is slow to open and is kept
/// for the next request.
pub(crate) fn open_embedder(
    session: &Session,
    patience: EmbedderTimeout,
) -> Result<SharedEmbedder, Error> {
    let settings = &session.config()?.embedder;
    if settings.kind == EmbedderKind::Static {
        return Ok(Arc::new(heirloom_embed::builtin()));
    }
    let root = session.root().path().display();
    // The key contains the stamps of the model files, so that replaced files are read again.
    let folder = session.remote_embedder().folder.as_deref().or(settings.folder.as_deref());
    let stamps = folder.map(|folder| {
        let folder = session.root().path().join(folder);
        let files = [CONFIG_FILE, VOCABULARY_FILE, WEIGHTS_FILE];
        files.map(|file| Stamp::of(&folder.join(file)))
    });
    let key = format!("{root}\n{settings:?}\n{:?}\n{stamps:?}", session.remote_embedder());
    match (OpenEmbedders::of(session).get(&key), patience) {
        (Some(Ok(embedder)), _) => return Ok(embedder),
        (Some(Err(error)), EmbedderTimeout::Short) => return Err(error),
        _ => {}
    }
    let opened = match settings.kind {
        EmbedderKind::Endpoint => open_endpoint(session, settings, patience)
            .map(|endpoint| Arc::new(endpoint) as SharedEmbedder),
        _ => read_transformer(session, settings)
            .map(|transformer| Arc::new(transformer) as SharedEmbedder),
    };
    OpenEmbedders::of(session).keep(key, &opened);
    opened
}

fn open_endpoint(
    session: &Session,
    settings: &config::Embedder,
    patience: EmbedderTimeout,
) -> Result<Endpoint, Error> {
    let remote = session.remote_embedder();
    let is_invalid = |named: &&str| remote.endpoint.is_none() && !Endpoint::is_valid_url(named);
    if let Some(named) = settings.endpoint.as_deref().filter(is_invalid) {
        let named = named.escape_default();
        let what = format!("embedder.endpoint `{named}` is not an http or https address");
        return Err(Error::bad_input(what).hint(setting_hint("endpoint", ENDPOINT_EXAMPLE)));
    }
    let endpoint = remote.endpoint(settings.endpoint.as_deref()).map_err(|named| {
        Error::bad_input(format!(
            "the settings of this repository name an embedder at {named}, which you have not allowed"
        ))
        .hint(format!("to send memories to it, set HEIRLOOM_EMBEDDER_ENDPOINT={named}"))
    })?;
    let Some(endpoint) = endpoint else {
        return Err(missing_setting("endpoint", ENDPOINT_EXAMPLE));
    };
    if settings.model.is_empty() {
        return Err(missing_setting("model", "nomic-embed-text"));
    }
    let key = remote.key.as_deref();
    Ok(match patience {
        EmbedderTimeout::Short => Endpoint::open_for_query(endpoint, &settings.model, key)?,
        EmbedderTimeout::Long => Endpoint::open(endpoint, &settings.model, key)?,
    })
}

fn read_transformer(session: &Session, settings: &config::Embedder) -> Result<Transformer, Error> {
    // The environment may name any folder. The settings come with the repository, which is untrusted,
    // so they may name only a folder inside the workspace.
    if let Some(folder) = &session.remote_embedder().folder {
        let folder = Path::new(folder);
        let files = ModelFiles {
            config: files::read_user_file(&folder.join(CONFIG_FILE))?,
            vocabulary: files::read_user_file(&folder.join(VOCABULARY_FILE))?,
            weights: files::read_user_file_bytes(&folder.join(WEIGHTS_FILE))?,
        };
        return Ok(Transformer::parse(&files)?);
    }
    let Some(folder) = settings.folder.as_deref() else {
        return Err(missing_setting("folder", FOLDER_EXAMPLE));
    };
    let dir = session.root().dir();
    let path = |name: &str| format!("{}/{name}", folder.trim_end_matches('/'));
    let failed = |name: &str, error: &std::io::Error| match is_escape(error) {
        true => {
            let what = format!("embedder.folder `{folder}` is outside of the workspace");
            let hint = format!("to use it all the same, set HEIRLOOM_EMBEDDER_FOLDER={folder}");
            Error::bad_input(what).hint(hint)
        }
        false => Error::bad_input(format!("{}: {error}", path(name)))
            .hint(setting_hint("folder", FOLDER_EXAMPLE)),
    };
    let text = |name: &str| {
        dir.read_text(&path(name), MAX_MODEL_BYTES).map_err(|error| failed(name, &error))
    };
    let weights = dir.read(&path(WEIGHTS_FILE), MAX_MODEL_BYTES);
    let files = ModelFiles {
        config: text(CONFIG_FILE)?,
        vocabulary: text(VOCABULARY_FILE)?,
        weights: weights.map_err(|error| failed(WEIGHTS_FILE, &error))?,
    };
    Ok(Transformer::parse(&files)?)
}

fn missing_setting(setting: &str, example: &str) -> Error {
    Error::bad_input(format!("the setting embedder.{setting} is missing"))
        .hint(setting_hint(setting, example))
}

fn setting_hint(setting: &str, example: &str) -> String {
    format!("write `{setting} = \"{example}\"` under [embedder] in {}", config::PATH)
}
