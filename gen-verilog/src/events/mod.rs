// SPDX-License-Identifier: Apache-2.0
//! Events inside RTL, as the hardware declares them ([`gpurf_hw::dialect::Watch`]): found in each cycle, with
//! a text for people and values to search by. They come from the signals alone, whatever the SM around them
//! says.

mod declaration;
mod expression;
mod query;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use gpurf_hw::dialect::Watch;
use thiserror::Error;

use crate::{ObservedScope, ObservedSignal, Values};
use declaration::ELEMENT;
use expression::{NameMeanings, Term};

pub(crate) use declaration::{Clause, DeclarationLine, Declared, Piece};
pub(crate) use expression::{EventExpression, EventOperator};

pub use query::Query;

/// A declaration that does not fit its module.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct EventError(String);

/// The events of a module and of all that is in it.
#[derive(Clone)]
pub struct Events {
    instances: Vec<Instance>,
    /// By scope and signal, when its elements have a meaning.
    valid: HashMap<(usize, usize), Term>,
    /// Scopes and signals that events speak of.
    mentioned: HashSet<(usize, usize)>,
}

/// An instance that has events.
#[derive(Clone)]
struct Instance {
    /// The place among all scopes.
    scope: usize,
    path: Vec<String>,
    events: Vec<Arc<Event>>,
}

/// An event of an instance.
struct Event {
    /// As it is declared.
    line: &'static str,
    kind: String,
    fields: Vec<(String, Term)>,
    steps: Vec<Step>,
    text: Vec<Text>,
}

enum Step {
    /// The next variable counts to this number.
    For(u64),
    If(Term),
}

enum Text {
    Plain(String),
    Value(Term, Vec<String>),
}

/// An event that happens in a cycle.
pub struct Occurrence<'a> {
    instance: &'a Instance,
    event: &'a Event,
    values: &'a dyn Values,
    variables: &'a [u64],
}

impl Events {
    /// The events that the hardware declares for these modules.
    ///
    /// # Errors
    /// If a declaration cannot be read, or names what its module does not have.
    pub fn of(scopes: &[ObservedScope]) -> Result<Self, EventError> {
        Self::declared(scopes, Watch::all())
    }

    /// The same of these declarations.
    ///
    /// # Errors
    /// As [`Events::of`].
    pub fn declared(
        scopes: &[ObservedScope],
        watches: impl Iterator<Item = &'static Watch>,
    ) -> Result<Self, EventError> {
        let mut lines: Vec<(&str, &'static str, DeclarationLine)> = vec![];
        for watch in watches {
            for line in watch.lines {
                lines.push((watch.module, line, DeclarationLine::parse(line)?));
            }
        }
        let mut events = Events { instances: vec![], valid: HashMap::new(), mentioned: HashSet::new() };
        for (place, scope) in scopes.iter().enumerate() {
            let inside = Inside { scopes, path: &scope.path, mentioned: RefCell::default() };
            // Views leave out the signals of events that never happen.
            let apart = Inside { scopes, path: &scope.path, mentioned: RefCell::default() };
            let fails = |problem: String| EventError(format!("{}: {problem}", scope.block));
            let mut of_scope = vec![];
            for (module, text, line) in &lines {
                match line {
                    DeclarationLine::Event(declared) if *module == scope.block => {
                        let names = if is_of_contract(&declared.kind) { &apart } else { &inside };
                        let event = Event::bind(text, declared, names);
                        let named = |problem| fails(format!("the event {}: {problem}", declared.kind));
                        of_scope.extend(event.map_err(named)?.map(Arc::new));
                    }
                    DeclarationLine::Valid { signals, condition }
                        if module.is_empty() || *module == scope.block =>
                    {
                        for (signal, prefix) in inside.matching(signals, condition, module.is_empty()) {
                            let names = Element { inside: &inside, prefix };
                            events.valid.insert((place, signal), condition.bind(&names).map_err(fails)?);
                        }
                    }
                    DeclarationLine::Show(signals) if *module == scope.block => {
                        for (signal, is_optional) in signals {
                            match inside.place(signal) {
                                Some(place) => drop(events.mentioned.insert(place)),
                                None if *is_optional => {}
                                None => return Err(fails(format!("show: there is no signal {signal}"))),
                            }
                        }
                    }
                    _ => {}
                }
            }
            if !of_scope.is_empty() {
                events.mentioned.extend(inside.mentioned.take());
                events.instances.push(Instance { scope: place, path: scope.path.clone(), events: of_scope });
            }
        }
        Ok(events)
    }

    /// Places of the scopes that have events, beside those that never happen.
    pub fn scopes(&self) -> impl Iterator<Item = usize> + '_ {
        let happens = |event: &Arc<Event>| !is_of_contract(&event.kind);
        let eventful = self.instances.iter().filter(move |instance| instance.events.iter().any(happens));
        eventful.map(|instance| instance.scope)
    }

    /// Only those that never happen.
    #[must_use]
    pub fn of_contract(mut self) -> Self {
        for instance in &mut self.instances {
            instance.events.retain(|event| is_of_contract(&event.kind));
        }
        self.instances.retain(|instance| !instance.events.is_empty());
        self
    }

    /// Kinds of events that there are, each once, in the order of their declaration.
    pub fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = vec![];
        for event in self.instances.iter().flat_map(|instance| &instance.events) {
            if !kinds.contains(&event.kind.as_str()) {
                kinds.push(&event.kind);
            }
        }
        kinds
    }

    /// Tells if an event speaks of a signal, by its scope and its place there.
    pub fn mention(&self, place: (usize, usize)) -> bool {
        self.mentioned.contains(&place)
    }

    /// Every event of the cycle that has been observed.
    pub fn visit(&self, values: &dyn Values, mut see: impl FnMut(&Occurrence)) {
        let mut variables = vec![];
        for instance in &self.instances {
            for event in &instance.events {
                event.steps(&event.steps, values, &mut variables, &mut |variables| {
                    see(&Occurrence { instance, event, values, variables });
                });
            }
        }
    }

    /// Texts of the cycle's events in one scope, one behind the other.
    pub fn text(&self, scope: usize, values: &dyn Values, text: &mut String) {
        text.clear();
        let mut variables = vec![];
        for instance in self.instances.iter().filter(|instance| instance.scope == scope) {
            for event in &instance.events {
                event.steps(&event.steps, values, &mut variables, &mut |variables| {
                    if !text.is_empty() {
                        text.push_str(", ");
                    }
                    Occurrence { instance, event, values, variables }.write(text);
                });
            }
        }
    }

    /// Tells if an element of a signal has a meaning in the cycle. Signals are counted within their scopes.
    pub fn is_valid(&self, place: (usize, usize), element: usize, values: &dyn Values) -> bool {
        self.valid.get(&place).is_none_or(|condition| condition.value(values, &[element as u64]) != 0)
    }

    /// The meaning of this signal depends on others.
    pub fn has_condition(&self, place: (usize, usize)) -> bool {
        self.valid.contains_key(&place)
    }
}

/// Kinds of events that never happen: whoever drives the module breaks a rule, or the module does.
pub const CONTRACT: [&str; 2] = ["misuse", "fault"];

/// Tells if events of a kind are part of a module's contract.
pub fn is_of_contract(kind: &str) -> bool {
    CONTRACT.contains(&kind)
}

/// An event as it is declared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclaredEvent {
    /// The event's kind.
    pub kind: String,
    /// The module that has it, without parameters.
    pub module: &'static str,
    /// Names of the values by which it can be searched for.
    pub fields: Vec<String>,
    /// The text, with values in braces.
    pub text: &'static str,
    /// The clauses that say when it happens.
    pub condition: &'static str,
}

/// All events that the hardware declares, by kind and module.
///
/// # Errors
/// If a declaration cannot be read.
pub fn declared_events() -> Result<Vec<DeclaredEvent>, EventError> {
    let mut events = vec![];
    for watch in Watch::all() {
        for line in watch.lines {
            if let DeclarationLine::Event(Declared { kind, fields, .. }) = DeclarationLine::parse(line)? {
                let fields = fields.into_iter().map(|(name, _)| name).collect();
                let (head, text) = line.split_once(": ").unwrap_or((line, ""));
                // Behind the kind and its values.
                let clauses = head.find(" for ").into_iter().chain(head.find(" if ")).min();
                let condition = clauses.map_or("", |at| head[at..].trim());
                events.push(DeclaredEvent { kind, module: watch.module, fields, text, condition });
            }
        }
    }
    events.sort();
    Ok(events)
}

impl Occurrence<'_> {
    /// The kind: `hit`.
    pub fn kind(&self) -> &str {
        &self.event.kind
    }

    /// The line that declares it.
    pub fn declaration(&self) -> &'static str {
        self.event.line
    }

    /// Names of the instances around it, and of its own.
    pub fn path(&self) -> &[String] {
        &self.instance.path
    }

    /// One of its values by name.
    pub fn field(&self, name: &str) -> Option<u64> {
        let (_, term) = self.event.fields.iter().find(|(field, _)| field == name)?;
        Some(term.value(self.values, self.variables))
    }

    /// Appends its text.
    pub fn write(&self, to: &mut String) {
        for piece in &self.event.text {
            match piece {
                Text::Plain(text) => to.push_str(text),
                Text::Value(term, names) => {
                    let value = term.value(self.values, self.variables);
                    let states = if names.is_empty() { term.states() } else { names };
                    match states.get(value as usize) {
                        Some(name) => to.push_str(name),
                        None => write!(to, "{value}").expect("a text takes all"),
                    }
                }
            }
        }
    }
}

impl Event {
    /// None if a signal that it may do without is not there.
    fn bind(line: &'static str, declared: &Declared, inside: &Inside) -> Result<Option<Self>, String> {
        let mut variables = vec![];
        let mut steps = vec![];
        for clause in &declared.clauses {
            match clause {
                Clause::For { variable, signal, is_optional } => {
                    let count = match inside.signal(signal) {
                        Some(signal) if signal.is_array => signal.count(),
                        Some(signal) => signal.width,
                        None if *is_optional => return Ok(None),
                        None => return Err(format!("there is no signal {signal}")),
                    };
                    variables.push(variable.clone());
                    steps.push(Step::For(count as u64));
                }
                Clause::If(condition) => {
                    let names = Local { inside, variables: &variables, fields: &[], are_shown: false };
                    steps.push(Step::If(condition.bind(&names)?));
                }
            }
        }
        let names = Local { inside, variables: &variables, fields: &[], are_shown: true };
        let bound = |(name, value): &(String, EventExpression)| Ok((name.clone(), value.bind(&names)?));
        let fields: Vec<_> = declared.fields.iter().map(bound).collect::<Result<_, String>>()?;
        let names = Local { inside, variables: &variables, fields: &fields, are_shown: true };
        let text = declared.text.iter().map(|piece| {
            Ok(match piece {
                Piece::Plain(text) => Text::Plain(text.clone()),
                Piece::Value { expression, names: of_values } => {
                    Text::Value(expression.bind(&names)?, of_values.clone())
                }
            })
        });
        let text = text.collect::<Result<_, String>>()?;
        Ok(Some(Event { line, kind: declared.kind.clone(), fields, steps, text }))
    }

    fn steps(
        &self,
        steps: &[Step],
        values: &dyn Values,
        variables: &mut Vec<u64>,
        happens: &mut dyn FnMut(&[u64]),
    ) {
        match steps.split_first() {
            None => happens(variables),
            Some((Step::If(condition), rest)) => {
                if condition.value(values, variables) != 0 {
                    self.steps(rest, values, variables, happens);
                }
            }
            Some((Step::For(count), rest)) => {
                for number in 0..*count {
                    variables.push(number);
                    self.steps(rest, values, variables, happens);
                    variables.pop();
                }
            }
        }
    }
}

/// Signals as a module names them.
struct Inside<'a> {
    scopes: &'a [ObservedScope],
    path: &'a [String],
    /// The signals that people read when they look at an event.
    mentioned: RefCell<HashSet<(usize, usize)>>,
}

impl Inside<'_> {
    fn place(&self, path: &str) -> Option<(usize, usize)> {
        let (of_part, name) = path.rsplit_once('.').map_or((None, path), |(part, name)| (Some(part), name));
        let steps = || {
            self.path.iter().map(String::as_str).chain(of_part.into_iter().flat_map(|part| part.split('.')))
        };
        let place = self.scopes.iter().position(|scope| scope.path.iter().map(String::as_str).eq(steps()))?;
        let signals = &self.scopes[place].signals;
        let signal = signals.iter().position(|signal| signal.name == name)?;
        Some((place, signal))
    }

    fn signal(&self, path: &str) -> Option<Arc<ObservedSignal>> {
        let (scope, signal) = self.place(path)?;
        Some(Arc::new(self.scopes[scope].signals[signal].clone()))
    }

    /// Places of the module's signals that these names stand for, each with what its `*` stands for.
    /// `everywhere`: only where the condition's signals are there too.
    fn matching(
        &self,
        names: &[String],
        condition: &EventExpression,
        everywhere: bool,
    ) -> Vec<(usize, String)> {
        let scope = self.scopes.iter().find(|scope| scope.path == self.path).expect("it is among them");
        let mut found = vec![];
        for (place, signal) in scope.signals.iter().enumerate() {
            for name in names {
                let prefix = match name.strip_prefix('*') {
                    Some(ending) => signal.name.strip_suffix(ending),
                    None => (signal.name == *name).then_some(""),
                };
                let Some(prefix) = prefix.filter(|prefix| prefix.is_empty() || prefix.ends_with('_')) else {
                    continue;
                };
                let fits = condition.bind(&Element { inside: self, prefix: prefix.into() }).is_ok();
                if fits || !everywhere {
                    found.push((place, prefix.to_string()));
                }
            }
        }
        found
    }
}

/// Names in an event.
struct Local<'a> {
    inside: &'a Inside<'a>,
    variables: &'a [String],
    fields: &'a [(String, Term)],
    /// The text shows their values.
    are_shown: bool,
}

impl NameMeanings for Local<'_> {
    fn signal(&self, path: &str) -> Option<Arc<ObservedSignal>> {
        // How a condition finds its way through the parts of a module is no news.
        if self.are_shown || !path.contains('.') {
            self.inside.mentioned.borrow_mut().extend(self.inside.place(path));
        }
        self.inside.signal(path)
    }

    fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable == name)
    }

    fn field(&self, name: &str) -> Option<Term> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, term)| term.clone())
    }
}

/// Names in a condition of validity.
struct Element<'a> {
    inside: &'a Inside<'a>,
    prefix: String,
}

impl NameMeanings for Element<'_> {
    fn signal(&self, path: &str) -> Option<Arc<ObservedSignal>> {
        match path.strip_prefix('*') {
            Some(ending) => self.inside.signal(&format!("{}{ending}", self.prefix)),
            None => self.inside.signal(path),
        }
    }

    fn variable(&self, name: &str) -> Option<usize> {
        (name == ELEMENT).then_some(0)
    }

    fn field(&self, _: &str) -> Option<Term> {
        None
    }
}
