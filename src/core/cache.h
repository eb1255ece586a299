#pragma once

// Keys and values that stay in memory while text is generated, so that a step copies only what is
// new.

#include <memory>

#include "core/attention.h"

namespace attention {

class Cache {
 public:
  struct Config {
    std::int64_t batch = 1;
    std::int64_t kv_heads = 1;
    std::int64_t head_dim = 0;
    std::int64_t value_dim = 0;
    std::int64_t capacity = 0;  ///< keys that it can hold
    DType dtype = DType::float32;
  };

  /// Null with an error when the sizes are not possible or the memory cannot be had.
  /// `memory_limit` is what the address space can give, in bytes (0 = no limit).
  static std::unique_ptr<Cache> create(const Config& config, std::int64_t memory_limit,
                                       Error& error);

  /// Copies key [B, H_kv, n, d_k] and value [B, H_kv, n, d_v] after what is there; nothing at all
  /// when there is an error. A rank below 4 is aligned right, as in a call.
  Error append(const Tensor& key, const Tensor& value);

  /// Keys that it holds.
  std::int64_t length() const { return length_; }
  const Config& config() const { return config_; }

  /// Forgets all keys from number `length` on.
  Error truncate(std::int64_t length);

  /// A call of these queries on all that it holds: in place, valid until the cache changes. An
  /// unsaid start is 'bottom-right': the last query stands at the last key.
  Call call(const Tensor& query, const Options& options) const;

 private:
  explicit Cache(const Config& config) : config_(config) {}

  Tensor held(std::byte* data, std::int64_t width, int rank) const;

  Config config_;
  std::int64_t length_ = 0;
  std::unique_ptr<std::byte[]> key_;    ///< [B, H_kv, capacity, d_k]
  std::unique_ptr<std::byte[]> value_;  ///< [B, H_kv, capacity, d_v]
};

}  // namespace attention
