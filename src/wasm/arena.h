#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

namespace attention {

/// Memory for the tensors of one call. A first block is kept between calls, so that small calls
/// cost no malloc; what does not fit into it is a block of its own, freed with the call.
class Arena {
 public:
  static constexpr std::size_t kept = std::size_t{1} << 20;
  static constexpr std::size_t alignment = 64;  // a cache line, and more than any SIMD load needs

  Arena() = default;
  ~Arena() {
    release();
    std::free(first_);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Null when there is no such memory; not null for 0 bytes.
  void* allocate(std::int64_t bytes) {
    if (bytes < 0 || bytes > std::numeric_limits<std::ptrdiff_t>::max() - 2 * std::int64_t{kept}) {
      return nullptr;
    }
    const std::size_t size = (static_cast<std::size_t>(bytes) + alignment) / alignment * alignment;
    if (!first_) first_ = static_cast<std::byte*>(std::aligned_alloc(alignment, kept));
    if (first_ && size <= kept - used_) {
      used_ += size;
      return first_ + used_ - size;
    }
    void* block = std::aligned_alloc(alignment, size);
    if (block) blocks_.push_back(block);
    return block;
  }

  /// Whether there is more than the first block.
  bool overflows() const { return !blocks_.empty(); }

  /// Everything allocated so far is gone.
  void release() {
    used_ = 0;
    for (void* block : blocks_) std::free(block);
    blocks_.clear();
  }

 private:
  std::byte* first_ = nullptr;
  std::size_t used_ = 0;
  std::vector<void*> blocks_;
};

}  // namespace attention
