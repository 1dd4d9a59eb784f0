// SPDX-License-Identifier: Apache-2.0
//! Names of Verilog by its content.

use std::collections::HashMap;

use gpurf_verilog::cache;

use crate::proof::Watched;

/// The digest of the hardware of a module and all below it, by which a measurement names its Verilog.
/// Comments, blank space, the names of modules, and contracts have no part in it.
pub fn digest(source: &str) -> String {
    of_words(&synthesized(words(source)))
}

/// The digest of a module with its contract, by which a proof of that and a test of mutants name it.
pub fn digest_with_contract(source: &str) -> String {
    of_words(&words(source))
}

/// The digest of a module with its contract and its monitor, by which a proof of the monitor names them: all
/// that it says is proved together. Comments and blank space have no part in it, as in Verilog.
pub fn digest_with_monitor(source: &str, watched: &Watched) -> String {
    cache::key(&[&digest_with_contract(source), &words(&watched.code()).join(" ")])
}

fn of_words(words: &[&str]) -> String {
    let declared =
        words.iter().zip(&words[1..]).filter(|(word, _)| **word == "module").map(|(_, name)| *name);
    let numbers: HashMap<&str, usize> = declared.zip(0..).collect();
    // A module is named where it begins, and before its instances' names.
    let is_name = |word: &str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let nameless = words.iter().enumerate().map(|(place, word)| {
        let (before, behind) = (place.checked_sub(1).map(|before| words[before]), words.get(place + 1));
        let names = before == Some("module") || behind.is_some_and(|behind| is_name(behind));
        match numbers.get(word).filter(|_| names) {
            Some(number) => format!("module {number}"),
            None => word.to_string(),
        }
    });
    cache::key(&[&nameless.collect::<Vec<_>>().join(" ")])
}

/// Words outside of what stands between `` `ifndef SYNTHESIS `` and its end.
fn synthesized(words: Vec<&str>) -> Vec<&str> {
    let mut depth = 0;
    let mut next = words.iter().skip(1).copied().chain([""]);
    let mut is_kept = |word: &str| {
        let next = next.next();
        match (word, depth) {
            ("`ifndef", 0) if next == Some("SYNTHESIS") => depth = 1,
            ("`ifndef" | "`ifdef", 1..) => depth += 1,
            ("`endif", 1..) => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    words.iter().copied().filter(|word| is_kept(word)).collect()
}

/// Names, numbers, texts and signs of Verilog, without comments and blank space.
fn words(source: &str) -> Vec<&str> {
    let (mut words, mut rest) = (vec![], source.trim_start());
    while let Some(first) = rest.chars().next() {
        let is_part = |sign: char| sign.is_alphanumeric() || "_$'`".contains(sign);
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            first if is_part(first) => rest.find(|sign| !is_part(sign)).unwrap_or(rest.len()),
            first => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        if !word.starts_with("//") && !word.starts_with("/*") {
            words.push(word);
        }
        rest = behind.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use gpurf_blocks::Parameters;

    use super::{digest, digest_with_contract, digest_with_monitor};
    use crate::proof::Watched;

    /// A module around two instances of a part.
    fn source(part: &str, top: &str, body: &str, comment: &str) -> String {
        format!(
            "module {part} (\n  input wire a\n);\nendmodule\n// {comment}\nmodule {top} (\n  input wire a\n);\n\n  \
             {part} one (\n    .a(a)\n  );\n  {part} two (\n    .a({body})\n  );\nendmodule\n"
        )
    }

    #[test]
    fn names_of_modules_comments_and_blank_space_have_no_part_in_a_digest() {
        let text = source("lru_order_e8_p0", "ccu_e8", "a", "A comment");
        let one = digest(&text);
        assert_eq!(digest(&source("lru_order", "ccu", "a", "Another")), one);
        assert_eq!(digest(&text.replace("(\n    .a", "( .a").replace("  ", "\t")), one);
        assert_eq!(digest(&text.replace("endmodule", "/* the end // of it */ endmodule // \"done")), one);
        assert_ne!(digest(&text.replace("wire a", "wirea")), one);
        assert_ne!(digest(&source("lru_order", "ccu", "!a", "A comment")), one);
        let twice = source("lru_order", "ccu", "a", "").replacen("lru_order one", "ccu one", 1);
        assert_ne!(digest(&twice), one, "which module an instance is of");
        let [one, other] = ["a  b", "a b"].map(|text| digest(&format!("$error(\"{text} // {text}\");")));
        assert_ne!(one, other, "blank space of a text");
    }

    #[test]
    fn contracts_have_no_part_in_what_is_synthesized() {
        let with = |contract: &str, behind: &str| {
            let contract = format!("`ifndef SYNTHESIS\n  {contract}\n`endif\n{behind}endmodule");
            source("lru_order", "ccu", "a", "").replacen("endmodule", &contract, 1)
        };
        let one = with("initial a = 0;", "");
        assert_eq!(digest(&one), digest(&source("lru_order", "ccu", "a", "")));
        assert_eq!(digest(&one), digest(&with("`ifdef X initial a = 1; `endif", "")));
        assert_ne!(digest(&one), digest(&with("initial a = 0;", "assign b = a; ")));
        assert_ne!(digest_with_contract(&one), digest_with_contract(&with("initial a = 1;", "")));
    }

    #[test]
    fn a_proof_of_a_monitor_is_of_its_text_at_a_size() {
        let text = "// Within 8 cycles.\n// It stays.\nwire prove_it = a < SLOTS;\n// So does b.\nwire lemma_b = 1;\n\
                    `ifdef TIE_LOWEST\nwire next = 1;\n`else\nwire next = 0;\n`endif\n";
        let parameters = Parameters::default();
        let of = |text: &str, parameters: &Parameters| {
            let settings = ["slots", "banks", "tie"].map(|name| parameters.setting(name));
            digest_with_monitor("module a;\nendmodule\n", &Watched::read(text, &settings).unwrap())
        };
        let one = of(text, &parameters);
        let moved = [
            ("a < SLOTS", "a <= SLOTS"),
            ("wire lemma_b = 1;", "wire lemma_b = 0;"),
            ("wire lemma_b", "wire assume_b"),
            ("next = 0", "next = 2"),
            ("Within 8", "Within 9"),
        ];
        for (line, by) in moved {
            assert_ne!(of(&text.replace(line, by), &parameters), one, "{by}");
        }
        let other = |line: &str, by: &str| assert_eq!(of(&text.replace(line, by), &parameters), one, "{by}");
        other("So does b", "And b");
        other("wire lemma_b = 1;", "  wire lemma_b  = 1; // always");
        other("next = 1", "next = 3");
        assert_ne!(of(text, &Parameters { slots: 4, ..parameters }), one, "a value that it names");
        assert_eq!(of(text, &Parameters { banks: 4, ..parameters }), one, "one that it does not name");
        let watched = Watched::read(text, &[parameters.setting("slots"), parameters.setting("tie")]).unwrap();
        assert_ne!(digest_with_monitor("module a; wire b;\nendmodule\n", &watched), one);
    }
}
