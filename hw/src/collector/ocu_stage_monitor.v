// Within 8 cycles.
// At width=32 collectors=2 slots=3 banks=2.

