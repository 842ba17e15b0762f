//! Words that say little about what a text is about.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::recall::terms;

/// Words that most texts about software and work have, and keywords of programming languages.
const COMMON_WORDS: &str = "accept add all allow already also always another answer any api app apply args ask \
    available avoid back because before begin behaviour between bool both break bug build call case change check \
    choose class clean clear client code come command commit common complete config configure const contain copy \
    correct count create css csv current data date day debug def default define delete describe detail different \
    directly disable do docs document each edit empty enable end ensure entry enum error even every example exist \
    existing expect export fail false feature field file fill find first fix float folder follow format found full \
    func function general get give go good group handle happen help high hold hour however html http id ignore \
    implement import improve include index info input insert inside install instead int integration issue item job \
    json keep key know large last late later layer leave less let level lib library like limit line link list live \
    load local log long look low main make many match mean message method migrate minute miss mode module month \
    more most move much name need never new next none note now null number object off old once one only open option \
    order other output own package page part pass path people per place plan please point possible prefer present \
    print problem process product production program project provide public pull push put query question read ready \
    reason record reduce refactor release remain remove rename replace report request require result return review \
    right row rule run same save schema script second section see select self send separate server service set \
    setting several share should show side simple single small source split sql src stage staging start state \
    static status stay step still stop store str string struct support sure switch system table take task team tell \
    test text than thing this through time today todo together tool top total touch track true try turn two type \
    unit until update upgrade url use user value var variable version view void want warn way week well whole \
    without word work worker write wrong xml yaml year yet";

/// Words that only join others.
const FUNCTION_WORDS: &str = "after again all also always and any anything are as at back because before both but \
    by each either else even ever every few first for from here however if in instead is it its last least less \
    like many may more most much must near need neither never new no none nor not nothing now of off on once one \
    only or other otherwise out over own per rather same several since so some still such than that the their them \
    then there these they this those through to together too two under until up upon us use used using via was way \
    well were what when where whether which while who whole why will with within without yet you your";

static COMMON_TERMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| terms(COMMON_WORDS).into_iter().collect());
static FUNCTION_TERMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| terms(FUNCTION_WORDS).into_iter().collect());

/// Returns whether most texts about software have a term.
pub(super) fn is_common_term(term: &str) -> bool {
    COMMON_TERMS.contains(term)
}

/// Returns whether a term only joins others.
pub(super) fn is_function_term(term: &str) -> bool {
    FUNCTION_TERMS.contains(term)
}
