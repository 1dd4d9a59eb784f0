//! One kernel for each broken rule in `ui/`, beside what the compiler says about it.

#[test]
fn a_broken_rule_is_a_compile_error_at_its_place() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
