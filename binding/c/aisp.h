/* The C interface of aisp: matrix products and attention on tensors in device memory, for programs in any language.
 * Every call enqueues its kernels on the stream and returns: AISP_OK, or a status whose one line of text
 * aisp_last_error() has. No C++ exception leaves the library, and no symbol but those below is seen.
 *
 * What all of them ask for; anything else is refused (AISP_USAGE) before a kernel is enqueued:
 * - Tensors are in the memory of one device, their extents at least 0, strides of more than one element at least 0, their
 *   addresses multiples of their element's size, and all bytes of a tensor, gaps included, fewer than 2^63. A tensor with
 *   an extent of 0 may have no data; one with dimensions has a shape. Where a kernel asks for more, such as addresses at
 *   multiples of 16 bytes, another is taken, or the line says so.
 * - A result has one place for each of its elements and shares none with another tensor of the call, not even in part.
 *   The exception: c may be d itself, with the same strides.
 * - An extent of 0 is no error: without elements in the result nothing is done, and a sum without terms is 0.
 *
 * Any number of threads may call at once. Calls on one stream run one after the other, on several side by side, and each
 * uses workspace of its stream: that of cudaStreamPerThread is each thread's own. What is captured into a graph has
 * workspace of its own, which lives as long as the graph, its copies and its executable graphs do. Two executable graphs
 * of one graph have the same results and the same workspace: they may not run side by side.
 *
 * What stays the same: names, the order of members, and their meaning. Arguments grow at their end only, and `size`, the
 * first member, says how far the caller knows them. Start from the AISP_..._INIT of the struct, which sets `size` and the
 * defaults; where all members but `size` are 0, each of them is its default as well, or it is refused with a line. */
#ifndef AISP_H
#define AISP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a call changes in a way that an older caller would not survive. */
#define AISP_INTERFACE_VERSION 2

#define AISP_API __attribute__((visibility("default")))

/* The exit codes of the program `aisp`. */
typedef enum {
  AISP_OK = 0,
  AISP_USAGE = 2,       /* arguments that do not fit together, or that no kernel takes */
  AISP_ENVIRONMENT = 4, /* no such device, a missing library, an error of the CUDA runtime */
  AISP_INTERNAL = 5     /* anything else: a bug */
} aisp_status;

/* A tensor in device memory. Member by member the DLTensor of DLPack, so that one may be passed as the other: device
 * type 2 is CUDA; (code, bits) are (2, 16) f16, (2, 32) f32, (4, 16) bf16, (10, 8) e4m3, (12, 8) e5m2, (0, 8) s8,
 * (0, 32) s32; strides count elements and may be null for a tensor without gaps. */
typedef struct {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t ndim;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} aisp_tensor;

typedef void* aisp_stream; /* a cudaStream_t */

AISP_API int aisp_interface_version(void);
AISP_API const char* aisp_version(void); /* "0.2.0" */
/* Of this thread's last call that did not return AISP_OK; valid until its next such call. */
AISP_API const char* aisp_last_error(void);

typedef enum { AISP_NONE = 0, AISP_RELU = 1, AISP_GELU = 2 /* tanh form */, AISP_SILU = 3 } aisp_activation;

/* d = activation(alpha a b + beta c + bias): a (M, K) or (B, M, K); b (K, N) or (B, K, N); c and d (M, N) or (B, M, N);
 * bias (N) of d's type. Where K is 0, d = activation(beta c + bias), whatever alpha is. c and bias may be null; c is read
 * where beta is not 0, and may be d. Of each matrix one index is contiguous, whichever. A bias or an activation goes with
 * bf16 and f16. f32 operands are multiplied as tf32, if that is allowed. An alpha of 0 is refused, because it is what
 * arguments have that were only filled with zeros: a K of 0 leaves the product out. */
typedef struct {
  size_t size;
  const aisp_tensor *a, *b, *c, *bias, *d;
  float alpha, beta;
  int32_t activation; /* aisp_activation */
  int32_t allow_tf32;
} aisp_gemm_arguments;
#define AISP_GEMM_INIT {sizeof(aisp_gemm_arguments), 0, 0, 0, 0, 0, 1.0f, 0.0f, AISP_NONE, 0}
AISP_API aisp_status aisp_gemm(const aisp_gemm_arguments* arguments, aisp_stream stream);

/* Rows [sum of rows before g, + rows[g]) of a, times b[g]: a (total, K), b (groups, K, N), d (total, N). bf16, f16, or
 * e4m3 into bf16; a and d contiguous along their rows, b along K. Where K is 0, d is zeros; an alpha of 0 is refused, as
 * above. `rows` are in the host's memory. */
typedef struct {
  size_t size;
  const aisp_tensor *a, *b, *d;
  const int64_t* rows;
  int64_t groups;
  float alpha;
} aisp_grouped_gemm_arguments;
#define AISP_GROUPED_GEMM_INIT {sizeof(aisp_grouped_gemm_arguments), 0, 0, 0, 0, 0, 1.0f}
AISP_API aisp_status aisp_grouped_gemm(const aisp_grouped_gemm_arguments* arguments, aisp_stream stream);

/* d = (a times its scales) (b times its scales) + bias: a (M, K) and b (K, N) in e4m3, contiguous along K, d (M, N) and
 * bias (N) in bf16. Scales are f32: of a () or (1, 1) for all, (M, 1) for each row, (M, ceil(K / 128)) for 128 elements of
 * a row; of b () or (1, 1), (1, N) for each column, (ceil(K / 128), ceil(N / 128)) for blocks of 128 x 128. Where K
 * is 0, d is the bias, or zeros. sm_90. */
typedef struct {
  size_t size;
  const aisp_tensor *a, *b, *a_scales, *b_scales, *bias, *d;
} aisp_scaled_gemm_arguments;
#define AISP_SCALED_GEMM_INIT {sizeof(aisp_scaled_gemm_arguments), 0, 0, 0, 0, 0, 0}
AISP_API aisp_status aisp_scaled_gemm(const aisp_scaled_gemm_arguments* arguments, aisp_stream stream);

/* Which keys a query sees. */
typedef enum {
  AISP_FULL = 0,   /* all */
  AISP_CAUSAL = 1, /* those up to its own position: a window of -1 and 0 */
  AISP_WINDOW = 2  /* window_left before it to window_right behind it; 0 is none but its own, -1 is no bound */
} aisp_mask;

/* o = softmax(scale q k' + mask) v: q and o (B, H, S, D), k and v (B, H / g, T, D), D contiguous; bf16 or f16. With
 * AISP_WINDOW query i sees key j when i + T - S - window_left <= j <= i + T - S + window_right. Windows without
 * AISP_WINDOW are 0, or what the mask is in any case; others are refused. A scale of 0 is 1 / sqrt(D). log_sum_exp (B, H, S) f32 and kv_lengths (B) s32, which of the T keys count, may be null.
 * A query that sees no key, and every query where T is 0, gets zeros and a log_sum_exp of -infinity. */
typedef struct {
  size_t size;
  const aisp_tensor *q, *k, *v, *o, *log_sum_exp, *kv_lengths;
  float scale;
  int32_t window_left, window_right; /* of AISP_WINDOW */
  int32_t mask;                      /* aisp_mask */
} aisp_attention_arguments;
#define AISP_ATTENTION_INIT {sizeof(aisp_attention_arguments), 0, 0, 0, 0, 0, 0, 0.0f, 0, 0, AISP_FULL}
AISP_API aisp_status aisp_attention(const aisp_attention_arguments* arguments, aisp_stream stream);

/* Attention whose scores and mask are changed in the kernel, compiled at the first call for its kind (NVRTC). Scores, in
 * this order: soft cap c tanh(s / c) where c is not 0; slopes (H) f32 add slope * (key - query), ALiBi. A query sees a key
 * of the mask or before its sequence's prefix (B) s32; and only in its own document, where documents (B, T) s32
 * number the keys. Positions of queries count along the keys: the last one is beside the last key. All three tensors may
 * be null. `precise` has tanh to within 2^-22 instead of 2^-11. sm_90. */
typedef struct {
  size_t size;
  const aisp_tensor *q, *k, *v, *o, *log_sum_exp, *kv_lengths;
  float scale;
  int32_t window_left, window_right;
  float soft_cap;
  int32_t precise;
  const aisp_tensor *slopes, *prefix, *documents;
  int32_t mask; /* aisp_mask */
} aisp_flex_attention_arguments;
#define AISP_FLEX_ATTENTION_INIT \
  {sizeof(aisp_flex_attention_arguments), 0, 0, 0, 0, 0, 0, 0.0f, 0, 0, 0.0f, 0, 0, 0, 0, AISP_FULL}
AISP_API aisp_status aisp_flex_attention(const aisp_flex_attention_arguments* arguments, aisp_stream stream);

#ifdef __cplusplus
}
#endif

#endif
