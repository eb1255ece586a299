#include "core/block.h"
#include "core/memory.h"

namespace attention {

std::int64_t scratch_bytes(const Call& call, const Sizes& sizes, int workers,
                           std::int64_t number_bytes) {
  const BlockOrder order(sizes, block_rows<float>, static_cast<Index>(number_bytes));
  const std::int64_t rows = order.block_rows();
  const std::int64_t output = saturating_product(rows, sizes.value_dim);
  const std::int64_t tile_keys = std::min<Index>(default_tile_keys, sizes.keys);
  const std::int64_t widths = saturating_sum(sizes.head_dim, sizes.value_dim);

  // Of each worker: queries, two outputs, tiles of keys and values, of weights and biases.
  std::int64_t numbers = saturating_sum(saturating_product(rows, sizes.head_dim), 2 * output);
  numbers = saturating_sum(numbers, saturating_product(tile_keys, widths));
  numbers = saturating_sum(numbers, 2 * tile_keys * panel_rows<float>);
  numbers = saturating_product(numbers, workers);

  const Index chunks = divide_up(sizes.keys, chunk_tiles * default_tile_keys);
  if (splits_blocks(order.blocks(), chunks, workers)) {
    const std::int64_t parts = saturating_product(order.blocks(), chunks);
    numbers = saturating_sum(numbers, saturating_product(parts, output));
  }
  if (call.options.returns.weights) {  // how each row ends
    numbers = saturating_sum(numbers, 2 * count({1, sizes.batch, sizes.heads, sizes.queries}));
  }
  return saturating_product(numbers, number_bytes);
}

}  // namespace attention
