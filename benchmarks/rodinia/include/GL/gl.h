// What CUDA's header for OpenGL names. The real one has parameters called `texture`, which is a type in CUDA 4.
typedef unsigned GLuint;
typedef unsigned GLenum;
