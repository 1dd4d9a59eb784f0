//! What is run beside the designs: fixed STHLD, and one thing changed at a time.

use gpurf_blocks::Allocation;
use gpurf_sim::sm::Design;

use crate::compare::jobs::Variant;

/// Values of STHLD that are tried.
pub const STATIC_STHLD: [u32; 8] = [0, 1, 2, 4, 8, 12, 20, 31];

/// Malekeh with STHLD fixed. F Fig. 7.
pub fn static_sthld() -> Vec<Variant> {
    STATIC_STHLD.iter().map(|sthld| malekeh(&[&format!("sthld={sthld}")])).collect()
}

/// One thing changed at a time.
pub fn ablations() -> Vec<Variant> {
    let exact = Variant::plain(Design::MALEKEH);
    let mut variants = vec![
        malekeh(&["occupied=stall"]),
        malekeh(&["waiting=up_to"]),
        malekeh(&["choice=fixed"]),
        Variant { label: "malekeh reuse=exact".into(), exact_reuse: true, ..exact },
    ];
    variants.extend([4, 8, 16, 24, 32].map(|rthld| malekeh(&[&format!("rthld={rthld}")])));
    // A table of 4 entries holds the sources of instructions with 3; workloads with more are left out.
    variants.push(malekeh(&["entries=4", "slots=3"]));
    variants.push(malekeh(&["entries=16"]));
    variants.extend([1, 4, 8].map(|collectors| malekeh(&[&format!("collectors={collectors}")])));
    variants.push(malekeh(&["banks=4"]));
    variants.push(malekeh(&["d_ports=2"]));
    variants.extend(greedy());
    variants.extend(monolithic());
    variants
}

/// Two-level schedulers where one scheduler serves the SM, against the baseline there. F Fig. 2.
fn monolithic() -> Vec<Variant> {
    let reference = Variant::set(Design::BASELINE, &["organisation=monolithic"]);
    let label = reference.label.clone();
    let others = [Design::RFC_SCHEDULER, Design::SOFTWARE_RFC_SCHEDULER].map(|design| Variant {
        reference: label.clone(),
        ..Variant::set(design, &reference.settings.iter().map(String::as_str).collect::<Vec<_>>())
    });
    std::iter::once(reference).chain(others).collect()
}

/// What the hit ratio under greedy-then-oldest and least-recently-used depends on (F §VI-C): whether a warp
/// finds its own collector again, which results are cached (`traditional` itself: its own, and all), and how many
/// warps share a collector. F's text allows each of the readings.
fn greedy() -> Vec<Variant> {
    let allocations = [("own", Allocation::OwnElseAnyFree), ("any", Allocation::AnyFree)];
    // Without a reuse that counts as near, the filter keeps every result out.
    let results: [(&str, bool, &[&str]); 3] =
        [("all", true, &[]), ("near", false, &[]), ("none", false, &["rthld=0"])];
    let readings = allocations.into_iter().flat_map(|(collector, allocation)| {
        results.map(|(cached, cache_far, settings)| Variant {
            label: format!("traditional collector={collector} results={cached}"),
            ..Variant::set(Design { allocation, cache_far, ..Design::TRADITIONAL }, settings)
        })
    });
    readings.chain([Variant::set(Design::TRADITIONAL, &["collectors=1"])]).collect()
}

fn malekeh(settings: &[&str]) -> Variant {
    Variant::set(Design::MALEKEH, settings)
}
