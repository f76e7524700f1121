// The kinds of tcgen05.mma: each multiplies elements of one family, 32 bytes of k at a time.
#pragma once

namespace aisp::tile::arch {

enum class UmmaKind { f16, tf32, f8f6f4, i8 };

}  // namespace aisp::tile::arch
