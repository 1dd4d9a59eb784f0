//! What can go wrong with a listing, a launch or a running kernel.

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Anything that stops a workload.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The answer in device memory is not that of the reference.
    #[error("wrong answer: {message}")]
    Answer { message: String },
}
