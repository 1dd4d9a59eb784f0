//! Reference models and the streaming multiprocessor around them.
