// What the rungs of axpy share.
#pragma once

namespace mine {

// Exact in every format that a rung may compute in.
inline constexpr float axpy_factor = 1.5f;
inline constexpr int axpy_threads = 256;

}  // namespace mine
