/* A C program on libaisp.so: what arguments mean that are filled with zeros, that come from AISP_..._INIT, and that have
 * masks and windows, against float64. Ends with 0 and a count, or with 1 and the first thing that is wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "aisp.h"

enum { SIZE = 64, QUERIES = 12, KEYS = 20, ROWS = 8, INNER = 128, COLUMNS = 16 };

static int checks = 0;

static void expect(int good, const char* what) {
  ++checks;
  if (good) return;
  printf("wrong: %s; last error: %s\n", what, aisp_last_error());
  exit(1);
}

static void expect_line(aisp_status status, const char* line) {
  ++checks;
  if (status == AISP_USAGE && strcmp(aisp_last_error(), line) == 0) return;
  printf("status %d: %s\n  instead of: %s\n", (int)status, aisp_last_error(), line);
  exit(1);
}

/* A tensor without gaps, with its numbers. */
typedef struct {
  aisp_tensor tensor;
  int64_t shape[4];
  int count;
  _Float16* numbers;
} Held;

static Held held(int dims, int64_t a, int64_t b, int64_t c, int64_t d, int seed) {
  Held made;
  memset(&made, 0, sizeof made);
  const int64_t shape[4] = {a, b, c, d};
  made.count = 1;
  for (int at = 0; at < dims; ++at) {
    made.shape[at] = shape[at];
    made.count *= (int)shape[at];
  }
  made.numbers = malloc(sizeof(_Float16) * (size_t)made.count);
  for (int at = 0; at < made.count; ++at) made.numbers[at] = (_Float16)((at * 37 + seed * 11) % 29 - 14) / 8;
  void* data = 0;
  expect(cudaMalloc(&data, sizeof(_Float16) * (size_t)made.count) == cudaSuccess, "cudaMalloc");
  cudaMemcpy(data, made.numbers, sizeof(_Float16) * (size_t)made.count, cudaMemcpyHostToDevice);
  made.tensor.data = data, made.tensor.device_type = 2, made.tensor.ndim = dims;
  made.tensor.code = 2, made.tensor.bits = 16, made.tensor.lanes = 1;
  return made;
}

static const aisp_tensor* of(Held* one) {
  one->tensor.shape = one->shape;
  return &one->tensor;
}

/* Poison before every call: a result that is not written is NaN. */
static void poison(Held* one) { cudaMemset(one->tensor.data, 0xff, sizeof(_Float16) * (size_t)one->count); }

static double worst(Held* got, const double* right) {
  double most = 0;
  expect(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize");
  cudaMemcpy(got->numbers, got->tensor.data, sizeof(_Float16) * (size_t)got->count, cudaMemcpyDeviceToHost);
  for (int at = 0; at < got->count; ++at) {
    const double error = fabs((double)got->numbers[at] - right[at]) / (1 + fabs(right[at]));
    if (!(error <= most)) most = error;
    if (isnan(error)) return 1e30;
  }
  return most;
}

static Held q, k, v, o;
static double attended[QUERIES * SIZE];

static const double* attention(int left, int right) {
  for (int i = 0; i < QUERIES; ++i) {
    double weights[KEYS], total = 0;
    for (int j = 0; j < KEYS; ++j) {
      double score = 0;
      for (int at = 0; at < SIZE; ++at) score += (double)q.numbers[i * SIZE + at] * (double)k.numbers[j * SIZE + at];
      const int position = i + KEYS - QUERIES;
      const int seen = (left < 0 || j >= position - left) && (right < 0 || j <= position + right);
      weights[j] = seen ? exp(score / 8) : 0;
      total += weights[j];
    }
    for (int at = 0; at < SIZE; ++at) {
      double sum = 0;
      for (int j = 0; j < KEYS; ++j) sum += weights[j] / total * (double)v.numbers[j * SIZE + at];
      attended[i * SIZE + at] = sum;
    }
  }
  return attended;
}

#define ATTEND(function, arguments, left, right, what)                        \
  do {                                                                        \
    (arguments).q = of(&q), (arguments).k = of(&k), (arguments).v = of(&v);   \
    (arguments).o = of(&o);                                                   \
    poison(&o);                                                               \
    expect(function(&(arguments), 0) == AISP_OK, what);                       \
    expect(worst(&o, attention(left, right)) < 0x1p-9, what);                 \
  } while (0)

static void check_attention(void) {
  aisp_attention_arguments zeros = {0};
  zeros.size = sizeof zeros;
  ATTEND(aisp_attention, zeros, -1, -1, "attention with zeros sees all keys");
  aisp_attention_arguments from_init = AISP_ATTENTION_INIT;
  ATTEND(aisp_attention, from_init, -1, -1, "attention with AISP_ATTENTION_INIT");
  from_init.mask = AISP_CAUSAL;
  ATTEND(aisp_attention, from_init, -1, 0, "causal attention");
  from_init.mask = AISP_WINDOW;
  ATTEND(aisp_attention, from_init, 0, 0, "a window of 0 and 0 is the diagonal");
  from_init.window_left = 5, from_init.window_right = 2;
  ATTEND(aisp_attention, from_init, 5, 2, "a window of 5 and 2");
  from_init.window_left = -1, from_init.window_right = 3;
  ATTEND(aisp_attention, from_init, -1, 3, "a window without a left end");
  from_init.mask = AISP_FULL, from_init.window_right = 0;
  expect_line(aisp_attention(&from_init, 0),
              "attention: window_left -1 and window_right 0 need mask AISP_WINDOW (2); it is AISP_FULL (0), and "
              "AISP_CAUSAL (1) is causal");
  from_init.mask = AISP_CAUSAL, from_init.window_left = 4;
  expect_line(aisp_attention(&from_init, 0),
              "attention: window_left 4 and window_right 0 need mask AISP_WINDOW (2); it is AISP_CAUSAL (1)");
  from_init.mask = 7;
  expect_line(aisp_attention(&from_init, 0),
              "attention: there is no mask 7; 0 is AISP_FULL, 1 AISP_CAUSAL, 2 AISP_WINDOW");
  from_init.mask = AISP_WINDOW, from_init.window_left = -2;
  expect_line(aisp_attention(&from_init, 0),
              "attention: a window reaches 0 or more keys to each side, or -1 for all: got -2 and 0");
}

static void check_flex_attention(void) {
  aisp_flex_attention_arguments zeros = {0};
  zeros.size = sizeof zeros;
  ATTEND(aisp_flex_attention, zeros, -1, -1, "flex_attention with zeros sees all keys");
  aisp_flex_attention_arguments from_init = AISP_FLEX_ATTENTION_INIT;
  ATTEND(aisp_flex_attention, from_init, -1, -1, "flex_attention with AISP_FLEX_ATTENTION_INIT");
  from_init.window_left = 1;
  expect_line(aisp_flex_attention(&from_init, 0),
              "flex_attention: window_left 1 and window_right 0 need mask AISP_WINDOW (2); it is AISP_FULL (0), and "
              "AISP_CAUSAL (1) is causal");
}

static void check_products(void) {
  static double right[ROWS * COLUMNS];
  Held a = held(2, ROWS, INNER, 1, 1, 1), d = held(2, ROWS, COLUMNS, 1, 1, 3);
  Held b = held(3, 1, COLUMNS, INNER, 1, 2); /* each column without gaps, as grouped products need it */
  int64_t by_columns[2] = {1, INNER}, grouped[3] = {INNER * COLUMNS, 1, INNER};
  for (int m = 0; m < ROWS; ++m)
    for (int n = 0; n < COLUMNS; ++n) {
      double sum = 0;
      for (int at = 0; at < INNER; ++at) sum += (double)a.numbers[m * INNER + at] * (double)b.numbers[n * INNER + at];
      right[m * COLUMNS + n] = sum;
    }
  b.shape[1] = INNER, b.shape[2] = COLUMNS;
  aisp_tensor matrix = b.tensor;
  matrix.ndim = 2, matrix.shape = b.shape + 1, matrix.strides = by_columns;
  aisp_gemm_arguments zeros = {0};
  zeros.size = sizeof zeros, zeros.a = of(&a), zeros.b = &matrix, zeros.d = of(&d);
  expect_line(aisp_gemm(&zeros, 0),
              "gemm: alpha is 0; start from the AISP_..._INIT of the arguments, where it is 1, or pass operands with a K "
              "of 0 to leave the product out");
  aisp_gemm_arguments from_init = AISP_GEMM_INIT;
  from_init.a = of(&a), from_init.b = &matrix, from_init.d = of(&d);
  poison(&d);
  expect(aisp_gemm(&from_init, 0) == AISP_OK, "gemm with AISP_GEMM_INIT");
  expect(worst(&d, right) < 0x1p-9, "gemm with AISP_GEMM_INIT against float64");

  const int64_t rows[1] = {ROWS};
  b.tensor.strides = grouped;
  aisp_grouped_gemm_arguments no_alpha = {0};
  no_alpha.size = sizeof no_alpha, no_alpha.a = of(&a), no_alpha.b = of(&b), no_alpha.d = of(&d);
  no_alpha.rows = rows, no_alpha.groups = 1;
  expect_line(aisp_grouped_gemm(&no_alpha, 0),
              "grouped_gemm: alpha is 0; start from the AISP_..._INIT of the arguments, where it is 1, or pass operands "
              "with a K of 0 to leave the product out");
  aisp_grouped_gemm_arguments groups = AISP_GROUPED_GEMM_INIT;
  groups.a = of(&a), groups.b = of(&b), groups.d = of(&d), groups.rows = rows, groups.groups = 1;
  poison(&d);
  expect(aisp_grouped_gemm(&groups, 0) == AISP_OK, "grouped_gemm with AISP_GROUPED_GEMM_INIT");
  expect(worst(&d, right) < 0x1p-9, "grouped_gemm with AISP_GROUPED_GEMM_INIT against float64");

  /* Nothing but tensors: both are complete as they are, and differ in nothing. */
  aisp_scaled_gemm_arguments scaled_zeros = {0}, scaled = AISP_SCALED_GEMM_INIT;
  scaled_zeros.size = sizeof scaled_zeros;
  expect(memcmp(&scaled_zeros, &scaled, sizeof scaled) == 0, "AISP_SCALED_GEMM_INIT");
}

int main(void) {
  q = held(4, 1, 1, QUERIES, SIZE, 4), k = held(4, 1, 1, KEYS, SIZE, 5), v = held(4, 1, 1, KEYS, SIZE, 6);
  o = held(4, 1, 1, QUERIES, SIZE, 7);
  check_products();
  check_attention();
  check_flex_attention();
  printf("%d checks\n", checks);
  return 0;
}
