//! What ranking makes of long texts, of questions for accounts and of sessions.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use heirloom_core::embedding::Embedder;
use heirloom_core::fold::Standing;
use heirloom_core::recall::{AnswerUnit, Passage, Question, RankedMemory, rank, rank_sessions};
use heirloom_index::{
    ChangedFile, Filter, Index, IndexFolder, Snapshot, Source, StandingFilter, Update,
};
use heirloom_testkit::SeededRng;
use heirloom_testkit::corpus::{CharacterEmbedder, UniversalLexicon};

/// Builds an index of active texts, each with the name of its session, if it is of one.
fn index_of(texts: &[(&str, Option<&str>)]) -> Snapshot {
    let texts: Vec<_> =
        texts.iter().map(|(text, session)| (*text, *session, Standing::Active)).collect();
    index_with_standings(&texts)
}

fn index_with_standings(texts: &[(&str, Option<&str>, Standing)]) -> Snapshot {
    let passages = texts.iter().enumerate().map(|(number, (text, session, standing))| Passage {
        subject_override: None,
        name: format!("entry:{number}"),
        text: (*text).to_owned(),
        title: None,
        summary: None,
        filter_terms: vec![],
        may_instruct: false,
        group: session.map(str::to_owned),
        position: number as i64,
        day: None,
        confidence: None,
        duplicate_of: None,
        standing: *standing,
        part: None,
    });
    let source = Source { path: "notes.md".to_owned(), ..Source::default() };
    let read = ChangedFile { passages: passages.collect(), source, ..ChangedFile::default() };
    let update = Update { changed: vec![read], ..Update::default() };
    let index = Index::new(IndexFolder::unavailable(), &CharacterEmbedder);
    index.build_in_memory(update, &CharacterEmbedder).unwrap()
}

fn question(text: &str) -> Question<'static> {
    let vector = CharacterEmbedder.embed_one(text).unwrap();
    Question::new(text, vector, jiff::civil::date(2026, 1, 1), &UniversalLexicon)
}

/// Returns the names of the answers to a question, best first, and the answers.
fn ask(snapshot: &Snapshot, text: &str) -> (Vec<String>, Vec<RankedMemory>) {
    let view = snapshot.view(StandingFilter::Active, &Filter::default());
    let ranked = rank(&view, &question(text), AnswerUnit::Memory, 10);
    let name = |ranked: &RankedMemory| snapshot.subject(ranked.slot).unwrap().unwrap().to_string();
    (ranked.iter().map(name).collect(), ranked)
}

/// Returns a text of seven chunks, the first and last of which have words of their own.
fn long_text(first: &str, last: &str) -> String {
    let sentence = |word: &str| format!("{}{word} ends here.", "filler ".repeat(56));
    let mut sentences = vec![sentence("other"); 5];
    sentences.insert(0, sentence(first));
    sentences.push(sentence(last));
    sentences.join(" ")
}

#[test]
fn an_answer_that_is_spread_over_a_long_text_is_found() {
    let partial = long_text("quokka", "nothing");
    let whole = long_text("quokka", "wombat");
    let snapshot = index_of(&[(&partial, None), (&whole, None)]);
    let (names, ranked) = ask(&snapshot, "quokka wombat");
    assert_eq!(names, ["entry:1", "entry:0"]);
    let terms = |ranked: &RankedMemory| -> Vec<(String, bool, bool)> {
        let terms = ranked.parts.terms.iter();
        terms.map(|term| (term.term.clone(), term.is_own, term.is_exact)).collect()
    };
    let of =
        |own: &str, other: &str| [(own.to_owned(), true, true), (other.to_owned(), false, true)];
    let mut found = terms(&ranked[0]);
    found.sort_by_key(|(_, is_own, _)| !is_own);
    assert!(found == of("quokka", "wombat") || found == of("wombat", "quokka"), "{found:?}");
}

#[test]
fn memories_like_the_best_answers_count_if_the_question_asks_for_an_account() {
    let snapshot = index_of(&[
        ("the ledger was migrated table by table", None),
        ("the ledgers were migrated, tables first", None),
        ("zz yy xx ledger", None),
    ]);
    let (names, account) = ask(&snapshot, "how did we migrate the ledger");
    assert_eq!(names[2], "entry:2");
    assert!(account.iter().all(|ranked| ranked.parts.likeness_bonus > 0.0));
    assert!(account[0].parts.likeness_bonus > account[2].parts.likeness_bonus);
    let (_, fact) = ask(&snapshot, "when was the ledger migrated");
    assert!(fact.iter().all(|ranked| ranked.parts.likeness_bonus == 0.0));
}

#[test]
fn the_parts_of_a_score_add_up() {
    let long = long_text("quokka", "wombat");
    let snapshot = index_of(&[
        (&long, None),
        ("why is the quokka late?", Some("a")),
        ("the wombat is late", Some("a")),
    ]);
    for text in ["how was the quokka found", "quokka wombat", "wombat"] {
        let (_, ranked) = ask(&snapshot, text);
        assert!(!ranked.is_empty());
        for RankedMemory { score, parts, .. } in ranked {
            let terms: f32 = parts.terms.iter().map(|term| term.score).sum();
            assert!((terms - parts.term_score).abs() < 1e-5, "{parts:?}");
            let bonuses = parts.document_bonus
                + parts.likeness_bonus
                + parts.period_bonus
                + parts.near_tie_bonus;
            let sum = parts.term_score + parts.cosine_score + bonuses - parts.chunk_penalty;
            assert!((sum - score).abs() < 1e-5, "{sum} {score} {parts:?}");
        }
    }
}

#[test]
fn a_session_with_several_good_memories_is_better_than_one_with_one() {
    let snapshot = index_of(&[
        ("the quokka escaped", Some("one")),
        ("lunch was at noon", Some("one")),
        ("nothing else happened", Some("one")),
        ("the quokka escaped", Some("several")),
        ("a quokka came back", Some("several")),
        ("nobody fed the quokka", Some("several")),
    ]);
    let view = snapshot.view(StandingFilter::Active, &Filter::default());
    let ranked = rank_sessions(&view, &question("quokka"), 2, 3);
    let first = snapshot.subject(ranked[0].slots[0]).unwrap().unwrap().to_string();
    assert_eq!((ranked.len(), first.as_str()), (2, "entry:3"));
    assert!(ranked[0].parts.mean_score > ranked[1].parts.mean_score);
    let parts = ranked[0].parts;
    assert!((parts.best + parts.mean_score + parts.term_score - ranked[0].score).abs() < 1e-5);
}

#[test]
fn archived_memories_are_ranked_beside_the_others_and_change_nothing_about_them() {
    const WORDS: &[&str] = &[
        "ledger", "quokka", "wombat", "budget", "retry", "nightly", "token", "schema", "the", "of",
        "why?", "migrated", "table", "queue", "drops", "events",
    ];
    const STANDINGS: [Standing; 6] = [
        Standing::Active,
        Standing::Active,
        Standing::Active,
        Standing::Archived,
        Standing::Archived,
        Standing::Superseded,
    ];
    for seed in 0..20 {
        let mut chance = SeededRng::new(seed);
        let mut pick = |most: usize| -> String {
            let words = (0..1 + chance.below(most)).filter_map(|_| chance.pick(WORDS).copied());
            words.collect::<Vec<_>>().join(" ")
        };
        let texts: Vec<String> =
            (0..150).map(|number| pick(if number % 9 == 0 { 200 } else { 8 })).collect();
        let questions: Vec<String> = (0..12).map(|_| format!("how {} quokca", pick(5))).collect();
        let items: Vec<_> = texts
            .iter()
            .map(|text| {
                let session = (chance.below(2) == 0).then_some("session");
                (text.as_str(), session, *chance.pick(&STANDINGS).unwrap())
            })
            .collect();
        let snapshot = index_with_standings(&items);
        let view = || snapshot.view(StandingFilter::Active, &Filter::default());
        for text in &questions {
            let question = question(text);
            let alone = rank(&view(), &question, AnswerUnit::Memory, 10);
            let (beside, archived) =
                view().rank_with_archived(&question, AnswerUnit::Memory, 10, 3);
            assert_eq!(beside, alone, "{seed} {text}");
            assert!(archived.iter().all(|ranked| snapshot.is_archived(ranked.slot)), "{text}");
            assert!(archived.is_sorted_by(|a, b| a.score >= b.score), "{text}");
            let last = alone.get(9).map_or(0.0, |ranked| ranked.score);
            let later = archived.iter().filter(|ranked| ranked.score < last).count();
            assert!(later <= 3, "{text}: {later}");
        }
    }
}

#[test]
fn an_archived_memory_is_found_by_its_own_words_and_those_of_its_neighbours() {
    let snapshot = index_with_standings(&[
        ("what did the quokka adopt last week?", Some("a"), Standing::Active),
        ("two wombats", Some("a"), Standing::Archived),
        ("the ledger has tables", None, Standing::Active),
        ("the ledger had no tables", None, Standing::Superseded),
    ]);
    let find = |text: &str| {
        let view = snapshot.view(StandingFilter::Active, &Filter::default());
        let (_, archived) = view.rank_with_archived(&question(text), AnswerUnit::Memory, 10, 3);
        let name =
            |ranked: &RankedMemory| snapshot.subject(ranked.slot).unwrap().unwrap().to_string();
        archived.iter().filter(|ranked| ranked.is_answer()).map(name).collect::<Vec<_>>()
    };
    assert_eq!(find("two wombats"), ["entry:1"]);
    assert_eq!(find("quokka adopt"), ["entry:1"], "the question before it is its neighbour");
    assert_eq!(find("ledger tables"), [""; 0], "what was superseded is not ranked");
}
