//! Bars per workload, as SVG.

use anyhow::anyhow;
use plotters::prelude::*;

use super::series::Series;

pub const COLOURS: [RGBColor; 8] = [
    RGBColor(33, 113, 181),
    RGBColor(253, 141, 60),
    RGBColor(49, 163, 84),
    RGBColor(117, 107, 177),
    RGBColor(222, 45, 38),
    RGBColor(99, 99, 99),
    RGBColor(206, 219, 156),
    RGBColor(231, 186, 82),
];

pub fn failed(error: Box<dyn std::error::Error>) -> anyhow::Error {
    anyhow!("the picture cannot be drawn: {error}")
}

/// A picture, as text.
pub type Drawn = Result<String, Box<dyn std::error::Error>>;

/// Groups of bars, one group per workload and one for the average.
pub fn bars(title: &str, series: &[Series]) -> Drawn {
    let workloads: Vec<&str> = series[0].values.iter().map(|(workload, _)| workload.as_str()).collect();
    let groups = workloads.len() + 1;
    let name = |group: usize| workloads.get(group).copied().unwrap_or("average");
    let value = |series: &Series, group: usize| match workloads.get(group) {
        Some(workload) => series.get(workload),
        None => Some(series.average()),
    };
    let low = series.iter().map(Series::minimum).fold(0.0, f64::min);
    let high = series.iter().map(Series::maximum).fold(0.0, f64::max);
    let margin = 0.05 * (high - low).max(1.0);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (1200, 480)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(110)
            .y_label_area_size(50)
            .build_cartesian_2d(0.0..groups as f64, low - margin..high + margin)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .y_label_formatter(&|value| format!("{value:.0}"))
            .light_line_style(WHITE)
            .draw()?;
        let width = 0.8 / series.len() as f64;
        for (number, one) in series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let rectangles = (0..groups).filter_map(|group| {
                let left = group as f64 + 0.1 + number as f64 * width;
                let value = value(one, group)?;
                Some(Rectangle::new([(left, 0.0), (left + width, value)], colour.filled()))
            });
            chart
                .draw_series(rectangles)?
                .label(&one.label)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        let style = TextStyle::from(("sans-serif", 12).into_font()).transform(FontTransform::Rotate90);
        for group in 0..groups {
            let (x, y) = chart.backend_coord(&(group as f64 + 0.5, low - margin));
            area.draw_text(name(group), &style, (x + 6, y + 8))?;
        }
        area.present()?;
    }
    Ok(svg)
}
