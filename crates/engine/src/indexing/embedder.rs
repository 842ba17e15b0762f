//! Opens the embedder that the settings name.

use std::sync::Arc;

use heirloom_core::embedding::{EmbedError, Embedder};
use heirloom_embed::Endpoint;
use heirloom_store::config::{self, EmbedderKind};
use heirloom_store::stamp::Stamp;

use super::embedder_settings::{MODEL_FILES, missing_setting, setting_hint};
use super::open_embedders::{OpenEmbedders, SharedEmbedder};
#[cfg(feature = "transformer")]
use super::transformer::open_transformer;
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
        MODEL_FILES.map(|file| Stamp::of(&folder.join(file)))
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
        _ => open_transformer(session, settings),
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

/// Explains that this program cannot open the transformer that the settings name.
#[cfg(not(feature = "transformer"))]
fn open_transformer(_: &Session, _: &config::Embedder) -> Result<SharedEmbedder, Error> {
    Err(Error::bad_input("this build of heir has no transformers, which embedder.kind names").hint(
        format!("use the kind `static` or `endpoint` in {}, or build heir with the feature `transformer`", config::PATH),
    ))
}
