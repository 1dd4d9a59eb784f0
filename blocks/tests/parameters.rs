// SPDX-License-Identifier: Apache-2.0
//! The registry keeps its own declarations.

use gpurf_blocks::{Parameter, Parameters, Values, PARAMETERS, TIMING, TIMINGS};

fn set(parameter: &Parameter, text: &str) -> Result<Parameters, String> {
    let mut parameters = Parameters::default();
    parameters.set(parameter.name, text).map(|()| parameters).map_err(|error| error.to_string())
}

#[test]
fn every_possible_value_is_taken_and_given_back() {
    for parameter in PARAMETERS {
        for text in parameter.values.texts() {
            assert_eq!(set(parameter, &text).unwrap().text_of(parameter.name), text, "{}", parameter.name);
        }
    }
}

#[test]
fn a_value_beyond_is_refused_with_what_is_possible() {
    for parameter in PARAMETERS {
        let beyond = match parameter.values {
            Values::OneOf(numbers) => {
                numbers[0].checked_sub(1).into_iter().chain([parameter.values.largest() + 1]).collect()
            }
            Values::Range { first, last, step } if step > 1 => vec![first + 1, last + step],
            Values::Range { last, .. } => vec![last + 1],
            Values::Names(_) | Values::File(_) => vec![],
        };
        let beyond = beyond.iter().map(usize::to_string).chain(["".into(), "-1".into(), "nothing".into()]);
        for text in beyond {
            let (name, possible) = (parameter.name, parameter.possible());
            let message = set(parameter, &text).unwrap_err();
            let expected = format!("{name}={text} is not possible; {name} is {possible}");
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}

#[test]
fn defaults_are_possible_and_go_together() {
    assert_eq!(Parameters::default().check(), Ok(()));
    for parameter in PARAMETERS {
        let is_possible = parameter.values.texts().any(|text| text == parameter.default());
        assert!(is_possible || matches!(parameter.values, Values::File(_)), "{parameter}");
    }
}

#[test]
fn names_are_told_apart() {
    let shorts: Vec<_> =
        PARAMETERS.iter().map(|parameter| parameter.short.unwrap_or(parameter.name)).collect();
    for (index, short) in shorts.iter().enumerate() {
        assert!(!shorts[..index].contains(short), "{short} stands for two parameters");
    }
}

#[test]
fn everything_is_said_of_a_parameter() {
    for Parameter { name, doc, source, .. } in PARAMETERS {
        assert!(doc.ends_with('.') && !doc.starts_with(' '), "{name}: {doc}");
        assert!(!source.is_empty(), "{name}");
    }
}

#[test]
fn serialized_policies_have_the_names_of_the_command_line() {
    for parameter in PARAMETERS {
        let Values::Names(_) = parameter.values else { continue };
        for text in parameter.values.texts() {
            let value =
                toml::Table::try_from(set(parameter, &text).unwrap()).unwrap()[parameter.name].clone();
            assert_eq!(value.to_string().trim_matches('"'), text, "{}", parameter.name);
        }
    }
}

#[test]
fn the_number_of_a_policy_is_its_place() {
    for parameter in PARAMETERS {
        let Values::Names(_) = parameter.values else { continue };
        for (place, text) in parameter.values.texts().enumerate() {
            assert_eq!(set(parameter, &text).unwrap().number_of(parameter.name), place);
        }
    }
}

#[test]
fn values_that_do_not_go_together_are_refused_with_the_remedy() {
    let message = |settings: &[(&str, &str)]| {
        let mut parameters = Parameters::default();
        settings.iter().for_each(|(name, text)| parameters.set(name, text).unwrap());
        parameters.check().unwrap_err().to_string()
    };
    assert!(message(&[("entries", "4")]).ends_with("set slots to at most 3 or entries to 8 or 16"));
    assert!(message(&[("next_latency", "5")]).ends_with("set next_latency to at most 4"));
    assert!(message(&[("allocation", "private")]).ends_with("set collectors=8"));
}

#[test]
fn an_unknown_name_is_refused_with_those_that_are_close() {
    let message = Parameters::default().set("entry", "8").unwrap_err().to_string();
    assert!(message.contains("`entry`; did you mean entries?"), "{message}");
}

#[test]
fn a_timing_sets_what_it_says_and_nothing_else() {
    for timing in &TIMINGS {
        let mut parameters = Parameters::default();
        parameters.set(TIMING, timing.name).unwrap();
        for parameter in PARAMETERS {
            let named = timing.settings.iter().find(|(name, _)| *name == parameter.name);
            let expected = named.map_or_else(|| parameter.default(), |(_, value)| value.to_string());
            assert_eq!(parameters.text_of(parameter.name), expected, "{}: {}", timing.name, parameter.name);
        }
        parameters.check().unwrap();
    }
    assert!(TIMINGS[0]
        .settings
        .iter()
        .all(|(name, value)| Parameter::find(name).unwrap().default() == *value));
}

#[test]
fn an_unknown_timing_is_refused_with_those_that_there_are() {
    let message = Parameters::default().set(TIMING, "slow").unwrap_err().to_string();
    assert_eq!(message, "timing=slow is not possible; timing is paper, accel-sim or fast");
}
