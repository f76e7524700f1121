// The kinds of tcgen05.mma: each multiplies elements of one family, 32 bytes of k at a time. The
// last three have block scales: mxf8f6f4 keeps every element in a byte of its own, the others read
// two e2m1 of a byte, with a scale (ue8m0) for 32 of them or one (ue4m3) for 16.
#pragma once

namespace aisp::tile::arch {

enum class Tcgen05Kind { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };

}  // namespace aisp::tile::arch
