// hybridsort includes OpenGL's extensions and uses none.
