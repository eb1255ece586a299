#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/tensor.h"

namespace attention {

/// Uninitialised numbers, aligned to a cache line.
template <class T>
class Buffer {
 public:
  explicit Buffer(Index size)
      : memory_(std::make_unique_for_overwrite<std::byte[]>(
            static_cast<std::size_t>(size) * sizeof(T) + alignment)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    data_ = reinterpret_cast<T*>((address + alignment - 1) / alignment * alignment);
  }

  T* data() const { return data_; }

 private:
  static constexpr std::size_t alignment = 64;
  std::unique_ptr<std::byte[]> memory_;
  T* data_;
};

}  // namespace attention
