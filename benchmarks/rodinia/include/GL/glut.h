// hybridsort includes it and draws nothing.
