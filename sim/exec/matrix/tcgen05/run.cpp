// The handler of tcgen05.mma: each active lane issues a product of its own.
#include "base/refuse.hpp"
#include "sim/exec/matrix/tcgen05/operands.hpp"
#include "sim/exec/matrix/tcgen05/product.hpp"
#include "sim/exec/matrix/tcgen05/zero_columns.hpp"
#include "sim/machine/async.hpp"

namespace aisp::sim {
namespace {

using base::say;

// Accumulators begin at lane 0; where 16 rows take half of a quarter, at 0 or 16.
void check_lanes(const TensorProduct& product, bool spread) {
  const auto check = [&](TensorAddress at, const char* what) {
    if (at.lane != 0 && !(spread && at.lane == 16))
      misuse(say("tcgen05.mma: ", what, " at lane ", at.lane, ": it begins at lane 0",
                 spread ? " or 16" : ""),
             0);
    if (at.lane != product.d.lane)
      misuse(
          say("tcgen05.mma: D begins at lane ", product.d.lane, ", ", what, " at lane ", at.lane),
          0);
  };
  check(product.d, "D");
  if (product.form.a_in_tensor_memory) check(product.a, "A");
  if (product.form.sparse) check(product.metadata, "the metadata");
}

// A selector chooses one of two columns.
void check_metadata(const TensorProduct& product) {
  if (product.shape.selector != 0 && product.metadata.column % 2 != 0)
    misuse(
        say("tcgen05.mma: metadata at column ", product.metadata.column, " with sparsity selector ",
            product.shape.selector,
            " is not modelled: the selector chooses from two columns, which begin at an even one"),
        0);
}

void check_zero_columns(const TensorProduct& product) {
  const ZeroColumns zero(product.zero_columns, product.shape.m, product.shape.n);
  if (zero.reserved() != 0)
    misuse("tcgen05.mma.ws: bits 36-38 and 62-63 of the zero-column mask are 0", 0);
  if (zero.enabled() && zero.shift() != 0)
    misuse(say("tcgen05.mma.ws: a column shift of ", zero.shift(),
               " in the zero-column mask is not modelled"),
           0);
}

TensorProduct product_of(Warp& warp, const Op& op, int lane) {
  const auto form = form_of<MmaForm>(op);
  TensorProduct product;
  product.form = form;
  product.shape = mma_shape(warp.read<std::uint32_t>(op.c)[lane], form);
  product.blocks = tensor_blocks(*warp.block, form.pair);
  const auto address = [&](int slot) { return tensor_bits(warp, op, slot, lane); };
  product.d = TensorAddress::of(address(0));
  if (form.a_in_tensor_memory) {
    product.a = TensorAddress::of(address(form.a_slot()));
  } else {
    product.a_descriptor = warp.read<std::uint64_t>(op.a)[lane];
    check_matrix(product.a_descriptor, product.shape.a, product.shape.a_mn_major, false, 'A');
  }
  product.b_descriptor = warp.read<std::uint64_t>(op.b)[lane];
  check_matrix(product.b_descriptor, product.shape.b, product.shape.b_mn_major, form.sparse, 'B');
  if (form.sparse) product.metadata = TensorAddress::of(address(form.metadata_slot()));
  if (has_block_scales(form.kind)) {
    product.a_scales = address(form.scales_slot());
    product.b_scales = address(form.scales_slot() + 1);
  }
  const Ref* words = warp.list(op) + 2 * form.slot_count();
  for (int i = 0; i < form.mask_words(); ++i)
    product.disabled[static_cast<std::size_t>(i)] = warp.read<std::uint32_t>(words[i])[lane];
  product.accumulate = ((warp.predicate(op.d) >> lane & 1) != 0) != form.accumulate_negated;
  if (op.dst2 != no_ref) product.zero_columns = warp.read<std::uint64_t>(op.dst2)[lane];
  check_lanes(product,
              AccumulatorLayout::of(product.shape.m, form.pair, form.weight_stationary, form.sparse)
                  .spread);
  if (form.sparse) check_metadata(product);
  if (form.weight_stationary) check_zero_columns(product);
  return product;
}

}  // namespace

Flow run_tensor_mma(Warp& warp, const Op& op, Mask mask) {
  each_lane_checked(mask, [&](int lane) {
    const TensorProduct product = product_of(warp, op, lane);
    const MmaShape& shape = product.shape;
    warp.counters->tensor_operations += 2ull * static_cast<std::uint64_t>(shape.m) *
                                        static_cast<std::uint64_t>(shape.n) *
                                        static_cast<std::uint64_t>(shape.k);
    if (warp.observer != nullptr) product.tell_uses(warp, lane);
    issue(warp, AsyncKind::product, tensor_of(warp), Mask{1} << lane, product);
  });
  return Flow::next;
}

}  // namespace aisp::sim
