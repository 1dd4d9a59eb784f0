//! Reference models of the small cells.

gpurf_rtl::modules!("src/cells");
