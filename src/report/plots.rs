// SPDX-License-Identifier: Apache-2.0
//! Tables and plots of the studies, and below a plot the data that it was made of.

use anyhow::Result;
use maud::{html, Markup, PreEscaped};

use super::kept::Kept;
use super::page::{command, date, Section};
use super::table::{folded, table, Cell};
use crate::compare::plot::{Drawing, Lines, Plot, Scatter};
use crate::compare::series::Series;
use crate::compare::study::{Study, Titled};
use crate::plot::{bins, reuse_distances};
use crate::profile::Profile;

/// Tables and plots of the first study that open the page: its averages, and its first metrics by workload.
const TABLES: usize = 1;
const PLOTS: usize = 2;

/// The part of the first study that the summary shows.
pub fn overview(study: &Study) -> Result<Markup> {
    let tables = study.tables.iter().take(TABLES).map(printed);
    let figures = figures(study.plots.iter().take(PLOTS))?;
    Ok(html! {
        @for table in tables { (table) }
        @for figure in figures { (figure) }
        p.note { "Table and plots are of " (study.extent()) "." }
        (command(&study.command))
    })
}

fn figures<'a>(plots: impl Iterator<Item = &'a Plot>) -> Result<Vec<Markup>> {
    plots.map(drawn).collect()
}

/// All others.
pub fn section(studies: &[Kept<Study>], profiles: &[Profile]) -> Result<Section> {
    let mut parts = vec![distances(profiles)?];
    for (number, study) in studies.iter().enumerate() {
        let (tables, plots) = if number == 0 { (TABLES, PLOTS) } else { (0, 0) };
        let figures = figures(study.of.plots.iter().skip(plots))?;
        parts.push(html! {
            h3 { "Study " (study.of.name) }
            p { (date(study.date())) }
            (command(&study.of.command))
            @for one in study.of.tables.iter().skip(tables) { (printed(one)) }
            @for figure in figures { (figure) }
        });
    }
    Ok(Section { id: "plots", title: "Tables and plots", body: html! { @for part in parts { (part) } } })
}

fn distances(profiles: &[Profile]) -> Result<Markup> {
    let rows: Vec<Vec<Cell>> = profiles
        .iter()
        .map(|profile| {
            let shares = bins(profile).map(|(_, share)| Cell::Number(100.0 * share, 1));
            std::iter::once(Cell::from(profile.name.as_str())).chain(shares).collect()
        })
        .collect();
    let names =
        profiles.first().map(|profile| bins(profile).map(|(name, _)| name).to_vec()).unwrap_or_default();
    let data = folded("data", &[&["workload"], &names[..]].concat(), &rows);
    Ok(html! {
        h3 { "Reuse distances" }
        (command("gpurf workloads --histogram reuse_distance.svg"))
        (figure("Reuse distances of register operands, % of those read again", &reuse_distances(profiles)?, data))
    })
}

/// A plot, and its data below it.
pub fn drawn(plot: &Plot) -> Result<Markup> {
    Ok(figure(&plot.title, &plot.picture()?, data(plot)))
}

/// A table as the study printed it.
pub fn printed(Titled { title, rows }: &Titled) -> Markup {
    let heads: Vec<&str> = rows[0].iter().map(String::as_str).collect();
    let rows: Vec<Vec<Cell>> =
        rows[1..].iter().map(|row| row.iter().map(|cell| Cell::printed(cell)).collect()).collect();
    html! {
        h4 { (title) }
        (table(&heads, &rows))
    }
}

fn figure(title: &str, picture: &str, data: Markup) -> Markup {
    html! {
        figure.plot role="img" aria-label=(title) { (PreEscaped(inline(picture))) }
        (data)
    }
}

/// A picture inside of a page needs no name space.
fn inline(picture: &str) -> String {
    picture.replacen(r#" xmlns="http://www.w3.org/2000/svg""#, "", 1)
}

fn data(plot: &Plot) -> Markup {
    match &plot.drawing {
        Drawing::Bars(series) => of_bars(series),
        Drawing::Lines(lines) | Drawing::Curve(lines) => of_lines(lines),
        Drawing::Scatter(scatter) | Drawing::Front(scatter) => of_scatter(scatter),
    }
}

/// A row per workload, a column per series.
fn of_bars(series: &[Series]) -> Markup {
    let mut workloads: Vec<&str> = vec![];
    for (workload, _) in series.iter().flat_map(|series| &series.values) {
        if !workloads.contains(&workload.as_str()) {
            workloads.push(workload);
        }
    }
    let mut rows: Vec<Vec<Cell>> = vec![];
    for workload in workloads {
        let values = series.iter().map(|series| Cell::number(series.get(workload), 2));
        rows.push(std::iter::once(Cell::from(workload)).chain(values).collect());
    }
    let averages = series.iter().map(|series| Cell::number(Some(series.average()), 2));
    rows.push(std::iter::once(Cell::from("average")).chain(averages).collect());
    let labels: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    folded("data", &[&["workload"], &labels[..]].concat(), &rows)
}

/// A row per line: most lines are long, and few read them number by number.
fn of_lines(Lines { x, y, lines, levels }: &Lines) -> Markup {
    let rows: Vec<Vec<Cell>> = lines
        .iter()
        .map(|line| {
            let points: Vec<String> = line.points.iter().map(|(x, y)| format!("{x} {y:.3}")).collect();
            vec![line.name.as_str().into(), (points.len() as u64).into(), points.join("; ").into()]
        })
        .chain(
            levels
                .iter()
                .map(|(name, y)| vec![name.as_str().into(), 1.into(), format!("everywhere {y}").into()]),
        )
        .collect();
    folded("data", &["line", "points", &format!("{x} and {y}")], &rows)
}

/// A row per point.
fn of_scatter(Scatter { x, y, groups }: &Scatter) -> Markup {
    let points = groups.iter().flat_map(|group| group.points.iter().map(move |point| (group, point)));
    let rows: Vec<Vec<Cell>> = points
        .map(|(group, point)| {
            let numbers = [point.x, point.y].map(|value| Cell::Number(value, 2));
            [group.name.as_str().into(), point.name.as_str().into()].into_iter().chain(numbers).collect()
        })
        .collect();
    folded("data", &["group", "point", x, y], &rows)
}
