// The kernels of an attention with functions: which one a problem takes, and their texts.
#pragma once

#include "jit/attention/functions.hpp"
#include "jit/attention/normal_form.hpp"
#include "tile/collective/attention/config_sm90.hpp"
#include "tile/device/attention/problem.hpp"

namespace aisp::jit {

// Everything that a kernel is compiled for.
struct AttentionVariant {
  NormalForm form;
  bool masks = false;  // by the function
  bool precise = false;
  bool every_block = false;          // the block mask leaves none out
  bool finds_nan = false;            // of a score that a query sees
  int polynomials = 0;               // of eight exponentials of the softmax
  tile::Sm90AttentionConfig config;  // of the kernel with roles
  bool decode = false;               // few queries: the kernel that splits the keys
};

// The functions as this problem takes them, and the problem without what they took over: a mask
// that is a window becomes the problem's, and a problem's window that meets another mask a part of
// it.
struct VariantOptions {
  bool precise = false, every_block = false, find_nan = false;
  int polynomials = -1;
};
AttentionVariant choose_variant(const ScoreFunctions& functions, const VariantOptions& options,
                                tile::device::AttentionProblem& problem);

// What products are multiplied by to be scores.
double score_scale(const tile::device::AttentionProblem& problem);

// The emitted struct Functions as it lies in memory; `found` is device memory for a FoundNan.
std::vector<char> function_bytes(const AttentionVariant& variant,
                                 const std::vector<BoundArray>& arrays,
                                 const tile::device::AttentionProblem& problem,
                                 const void* found = nullptr);

struct AttentionText {
  std::string entry, code;
};
AttentionText forward_text(const AttentionVariant& variant);
AttentionText decode_text(const AttentionVariant& variant);  // entries: it, and attention_combine
AttentionText block_mask_text(const AttentionVariant& variant);

}  // namespace aisp::jit
