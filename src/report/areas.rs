// SPDX-License-Identifier: Apache-2.0
//! Where the area of the hardware goes: a tree map per module, over the modules in it.

use gpurf_synth::{ModuleArea, Synthesis};
use maud::{html, Markup};

use super::kept::Kept;
use super::page::{command, date, Section};
use super::table::{folded, table, Cell};

const COMMAND: &str = "gpurf overheads --json out/overheads.json";
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 320.0;
/// Smaller cells have no name in them.
const NAMED: (f64, f64) = (70.0, 18.0);

pub fn section(areas: Option<&Kept<Vec<Synthesis>>>) -> Section {
    let body = match areas {
        None => html! {
            p { "Nothing was synthesized for this page yet. This does it:" }
            (command(COMMAND))
        },
        Some(kept) => html! {
            p { (Synthesis::notes(&kept.of)) }
            p { (date(kept.date())) }
            (command(COMMAND))
            (summary(&kept.of))
            @for synthesis in kept.of.iter().filter(|synthesis| synthesis.modules.len() > 1) {
                h3 { (synthesis.top) }
                (map(synthesis))
                (modules(synthesis))
            }
        },
    };
    Section { id: "areas", title: "Areas", body }
}

fn summary(all: &[Synthesis]) -> Markup {
    let heads = [
        "module",
        "area, µm²",
        "GE",
        "flip-flops",
        "memory bits",
        "depth",
        "longest path, ns",
        "measured with",
    ];
    let row = |one: &Synthesis| {
        vec![
            one.top.as_str().into(),
            Cell::Number(one.area_um2, 0),
            Cell::Number(one.gate_equivalents, 0),
            one.flip_flops.into(),
            one.memory_bits.into(),
            one.logic_depth.into(),
            Cell::number(one.longest_path_ns, 3),
            one.provenance().into(),
        ]
    };
    table(&heads, &all.iter().map(row).collect::<Vec<_>>())
}

fn modules(synthesis: &Synthesis) -> Markup {
    let heads =
        ["module", "instances", "area of one, µm²", "without submodules", "flip-flops", "memory bits"];
    let row = |one: &ModuleArea| {
        vec![
            one.module.as_str().into(),
            one.instances.into(),
            Cell::Number(one.area_um2, 0),
            Cell::Number(one.own_area_um2, 0),
            one.flip_flops.into(),
            one.memory_bits.into(),
        ]
    };
    folded("data", &heads, &synthesis.modules.iter().map(row).collect::<Vec<_>>())
}

/// A part of the picture: left, top, width, height.
type Rectangle = [f64; 4];

/// Each distinct module by the area of its own cells in all its instances.
fn map(synthesis: &Synthesis) -> Markup {
    let own = |module: &ModuleArea| module.instances as f64 * module.own_area_um2;
    let mut modules: Vec<&ModuleArea> = synthesis.modules.iter().filter(|module| own(module) > 0.0).collect();
    modules.sort_by(|a, b| own(b).total_cmp(&own(a)));
    let whole: f64 = modules.iter().map(|module| own(module)).sum();
    let places =
        squarified(&modules.iter().map(|module| own(module)).collect::<Vec<_>>(), [0.0, 0.0, WIDTH, HEIGHT]);
    html! {
        figure.own {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img"
                aria-label={ "Area of " (synthesis.top) " by module" } {
                @for (number, (module, [x, y, width, height])) in modules.iter().zip(places).enumerate() {
                    @let share = 100.0 * own(module) / whole;
                    rect.cell x=(x) y=(y) width=(width) height=(height) fill=(colour(number)) {
                        title { (module.instances) " × " (module.module) ": " (format!("{:.0} µm², {share:.1}%", own(module))) }
                    }
                    @if width > NAMED.0 && height > NAMED.1 {
                        text.in-cell x=(x + 5.0) y=(y + 14.0) { (fitted(&module.module, width)) " " (format!("{share:.0}%")) }
                    }
                }
            }
            figcaption { "Cells of each module's own, in all its instances, hierarchy kept. Memories have no area." }
        }
    }
}

fn colour(number: usize) -> String {
    format!("hsl({} 45% 70%)", (number * 47 + 205) % 360)
}

/// As much of a name as is seen in a width.
fn fitted(name: &str, width: f64) -> String {
    let letters = ((width - 45.0) / 6.5).max(1.0) as usize;
    match name.chars().count() <= letters {
        true => name.to_string(),
        false => name.chars().take(letters.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Rectangles of these areas, the largest first, that fill a place and are as square as rows of them can be.
/// Bruls, Huizing, van Wijk: Squarified Treemaps, 2000.
fn squarified(areas: &[f64], place: Rectangle) -> Vec<Rectangle> {
    let whole: f64 = areas.iter().sum();
    let scale = place[2] * place[3] / whole.max(f64::MIN_POSITIVE);
    let mut rest: &[f64] = areas;
    let mut free = place;
    let mut places = vec![];
    while !rest.is_empty() {
        let side = free[2].min(free[3]);
        let mut row = 1;
        while row < rest.len() && worst(&rest[..row + 1], side, scale) <= worst(&rest[..row], side, scale) {
            row += 1;
        }
        let (taken, after) = rest.split_at(row);
        free = lay(taken, free, scale, &mut places);
        rest = after;
    }
    places
}

/// The worst ratio of the sides of a row of rectangles along a side.
fn worst(row: &[f64], side: f64, scale: f64) -> f64 {
    let sum = scale * row.iter().sum::<f64>();
    let ratio = |area: &f64| {
        let area = scale * area;
        (side * side * area / (sum * sum)).max(sum * sum / (side * side * area))
    };
    row.iter().map(ratio).fold(0.0, f64::max)
}

/// Lays a row along the shorter side; returns what is still free.
fn lay(row: &[f64], [x, y, width, height]: Rectangle, scale: f64, places: &mut Vec<Rectangle>) -> Rectangle {
    let sum = scale * row.iter().sum::<f64>();
    let mut at = 0.0;
    if width >= height {
        let thick = sum / height;
        for area in row {
            let long = scale * area / thick;
            places.push([x, y + at, thick, long]);
            at += long;
        }
        return [x + thick, y, width - thick, height];
    }
    let thick = sum / width;
    for area in row {
        let long = scale * area / thick;
        places.push([x + at, y, long, thick]);
        at += long;
    }
    [x, y + thick, width, height - thick]
}
