//! Messages for names that nobody knows.

/// Names this close to another may be misspelt.
const LIKENESS: f64 = 0.75;

/// Says that nothing of this kind has the name, which one may be meant, and which there are.
pub fn unknown(kind: &str, name: &str, known: &[String]) -> String {
    let likeness = |other: &&String| strsim::jaro_winkler(name, other);
    let nearest = known.iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    let all = known.join(", ");
    match nearest.filter(|nearest| likeness(nearest) >= LIKENESS) {
        Some(nearest) => format!("there is no {kind} {name}; did you mean {nearest}? There are {all}"),
        None => format!("there is no {kind} {name}; there are {all}"),
    }
}
