// SPDX-License-Identifier: Apache-2.0
//! Pictures of results, as SVG.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::chart::{picture, Area, Drawn};
use crate::profile::Profile;

/// The distances in which the full Malekeh paper speaks of Fig. 1: 3 (BOW's window) and 10 instructions.
/// First and last distance, and the colour. The nearer is the darker.
const BINS: [(&str, u32, u32, RGBColor); 5] = [
    ("1", 1, 1, RGBColor(8, 48, 107)),
    ("2", 2, 2, RGBColor(33, 113, 181)),
    ("3", 3, 3, RGBColor(107, 174, 214)),
    ("4 to 10", 4, 10, RGBColor(198, 219, 239)),
    ("above 10", 11, u32::MAX, RGBColor(253, 174, 107)),
];

const WIDTH: u32 = 900;
const MARGIN: i32 = 16;
/// Room for the names on the left.
const NAMES: i32 = 190;
const HEADER: i32 = 78;
const FOOTER: i32 = 48;
const ROW: i32 = 22;
const BAR: i32 = 15;
/// Between the workloads and their average.
const GAP: i32 = 8;
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 48, 58);

/// The distribution of the reuse distances of each workload, and their average: of all operands whose
/// value is read again, the share at each distance.
pub fn reuse_distances(profiles: &[Profile]) -> Result<String> {
    let mut bars: Vec<_> = profiles.iter().map(|profile| (profile.name.as_str(), shares(profile))).collect();
    if bars.len() > 1 {
        let mean = |bin: usize| bars.iter().map(|(_, shares)| shares[bin]).sum::<f64>() / bars.len() as f64;
        bars.push(("average", std::array::from_fn(mean)));
    }
    let height = HEADER + ROW * bars.len() as i32 + GAP + FOOTER;
    picture((WIDTH, height as u32), |area| draw(area, &bars))
}

/// Names of the bins, and the share of the reuses in each.
pub fn bins(profile: &Profile) -> [(&'static str, f64); BINS.len()] {
    let shares = shares(profile);
    std::array::from_fn(|bin| (BINS[bin].0, shares[bin]))
}

/// Share of the reuses in each bin.
fn shares(profile: &Profile) -> [f64; BINS.len()] {
    BINS.map(|(_, first, last, _)| profile.reuses_within(last) - profile.reuses_within(first - 1))
}

fn draw(area: &Area, bars: &[(&str, [f64; BINS.len()])]) -> Drawn {
    let text = |size: u32, horizontal, vertical| {
        TextStyle::from((FONT, size).into_font()).color(&INK).pos(Pos::new(horizontal, vertical))
    };
    let title = "Reuse distances of register operands";
    area.draw_text(title, &text(17, HPos::Left, VPos::Top), (MARGIN, MARGIN))?;

    // One entry of the legend after the other.
    let mut x = NAMES;
    area.draw_text("instructions:", &text(13, HPos::Right, VPos::Center), (x - 12, HEADER - 22))?;
    for (name, _, _, colour) in BINS {
        area.draw(&Rectangle::new([(x, HEADER - 29), (x + 14, HEADER - 15)], colour.filled()))?;
        area.draw_text(name, &text(13, HPos::Left, VPos::Center), (x + 20, HEADER - 22))?;
        x += 20 + 8 * name.len() as i32 + 26;
    }

    let right = WIDTH as i32 - MARGIN - 20;
    let place = |share: f64| NAMES + (share * f64::from(right - NAMES)).round() as i32;
    let bottom = HEADER + ROW * bars.len() as i32 + GAP;
    for tenth in (0..=10).step_by(2) {
        let x = place(f64::from(tenth) / 10.0);
        area.draw(&PathElement::new([(x, HEADER - 4), (x, bottom + 4)], RGBColor(200, 205, 212)))?;
        let label = format!("{}%", 10 * tenth);
        area.draw_text(&label, &text(12, HPos::Center, VPos::Top), (x, bottom + 8))?;
    }
    let axis = "share of operands whose value is read again";
    area.draw_text(axis, &text(13, HPos::Center, VPos::Top), (place(0.5), bottom + 26))?;

    for (row, (name, shares)) in bars.iter().enumerate() {
        let gap = if row > 0 && row == bars.len() - 1 { GAP } else { 0 };
        let middle = HEADER + ROW * row as i32 + gap + ROW / 2;
        area.draw_text(name, &text(13, HPos::Right, VPos::Center), (NAMES - 12, middle))?;
        let mut before = 0.0;
        for (share, (_, _, _, colour)) in shares.iter().zip(BINS) {
            let corners = [(place(before), middle - BAR / 2), (place(before + share), middle + BAR / 2)];
            area.draw(&Rectangle::new(corners, colour.filled()))?;
            before += share;
        }
    }
    Ok(())
}
