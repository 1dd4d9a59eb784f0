//! Reference models of the collectors, written from the papers.

gpurf_rtl::modules!("src/collector");
