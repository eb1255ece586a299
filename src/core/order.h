#pragma once

// The blocks of queries of a call, and the order in which they are attended.

#include <algorithm>
#include <limits>

#include "core/attention.h"

namespace attention {

inline Index divide_up(Index a, Index b) { return (a + b - 1) / b; }

/// Whether chunks of a block's keys are tasks of their own: where blocks are so few that workers
/// would stand idle.
inline bool splits_blocks(Index blocks, Index chunks, int workers) {
  return chunks > 1 && workers > 1 && blocks < 4 * workers;
}

/// A block: rows `first` … `first + count` of those that read keys and values of one head.
struct BlockPlace {
  Index batch, kv_head;
  Index first, count;
};

/// The query heads that share a head of keys are a group. Its rows, head after head, are cut into
/// blocks.
class BlockOrder {
 public:
  /// `number_bytes`: of one number as it is computed with. Of the blocks only those of the rows
  /// [first_row, end_row) of [B·H·T] are left.
  BlockOrder(const Sizes& sizes, Index block_rows, Index number_bytes, Index first_row = 0,
             Index end_row = std::numeric_limits<Index>::max())
      : kv_heads_(sizes.kv_heads),
        rows_of_group_(sizes.heads / std::max<Index>(sizes.kv_heads, 1) * sizes.queries),
        block_rows_(std::min(rows_of_group_, block_rows)),
        blocks_of_group_(divide_up(rows_of_group_, block_rows)),
        blocks_(sizes.batch * (sizes.heads > 0 ? sizes.kv_heads : 0) * blocks_of_group_),
        heads_of_set_(heads_of_set(sizes, number_bytes)),
        first_row_(first_row),
        end_row_(end_row) {}

  Index blocks() const { return blocks_; }
  /// Rows of the largest block.
  Index block_rows() const { return block_rows_; }

  /// Heads whose keys and values fit into the cache together take turns, block by block: most often
  /// the next block's rows may then read the same keys. Later blocks first: under a causal mask
  /// they have most to do, and the last tasks least. The count is 0 or less where nothing is left.
  BlockPlace operator[](Index number) const {
    const Index blocks_of_batch = kv_heads_ * blocks_of_group_;
    const Index blocks_of_set = heads_of_set_ * blocks_of_group_;
    const Index first_head = number % blocks_of_batch / blocks_of_set * heads_of_set_;
    const Index heads = std::min(heads_of_set_, kv_heads_ - first_head);
    const Index in_set = number % blocks_of_batch % blocks_of_set;
    const Index batch = number / blocks_of_batch, kv_head = first_head + in_set % heads;
    const Index rows_before = (batch * kv_heads_ + kv_head) * rows_of_group_;
    const Index place = (blocks_of_group_ - 1 - in_set / heads) * block_rows_;
    const Index first = std::max(place, first_row_ - rows_before);
    const Index end = std::min({place + block_rows_, rows_of_group_, end_row_ - rows_before});
    return {batch, kv_head, first, end - first};
  }

 private:
  static Index heads_of_set(const Sizes& sizes, Index number_bytes) {
    constexpr Index cache_bytes = Index{1} << 19;  // half of a usual second cache, or less
    const Index head_bytes = sizes.keys * (sizes.head_dim + sizes.value_dim) * number_bytes;
    return std::clamp<Index>(cache_bytes / std::max<Index>(head_bytes, 1), 1,
                             std::max<Index>(sizes.kv_heads, 1));
  }

  Index kv_heads_, rows_of_group_, block_rows_, blocks_of_group_, blocks_, heads_of_set_;
  Index first_row_, end_row_;
};

}  // namespace attention
