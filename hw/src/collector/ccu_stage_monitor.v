// At width=32 entries=4 collectors=2 slots=3 banks=2.

