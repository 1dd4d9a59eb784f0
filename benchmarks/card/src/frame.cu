// SPDX-License-Identifier: Apache-2.0
// The frame of a window. The instructions of MARKS are written over with it, and the vote with the cycles that it
// took. Register 32 and those above are the window's: values that lie in registers all at once are what the compiler
// counts them for. `make cards` compiles it.

#define MARK asm volatile("pmevent 0;")
#define MARKS MARK; MARK; MARK; MARK; MARK; MARK; MARK; MARK

extern "C" __global__ void window(unsigned *cycles, unsigned runs, volatile unsigned *many)
{
#pragma unroll 1
    for (unsigned run = 0; run < runs; run++) {
        unsigned between;
        MARKS; MARKS; MARKS; MARKS;
        asm volatile("activemask.b32 %0;" : "=r"(between));
        cycles[run] = between;
    }
    if (many) {
        unsigned values[72];
#pragma unroll
        for (int place = 0; place < 72; place++)
            values[place] = many[place];
#pragma unroll
        for (int place = 0; place < 72; place++)
            many[place] = values[71 - place];
    }
}
