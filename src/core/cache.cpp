#include "core/cache.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "core/memory.h"

namespace attention {
namespace {

/// Copies rows into the array [batch, heads, capacity, width] from row `first` of each head on.
template <class Stored>
void copy_rows(const Tensor& from, void* array, Index capacity, Index first) {
  const auto rows = view<const Stored>(from);
  const auto& [batch, heads, count, width] = rows.shape;
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      Stored* to = static_cast<Stored*>(array) + ((b * heads + h) * capacity + first) * width;
      for (Index i = 0; i < count; ++i, to += width) {
        const Stored* row = rows.row(b, h, i);
        if (rows.strides[3] == 1) {
          std::copy(row, row + width, to);
        } else {
          for (Index c = 0; c < width; ++c) to[c] = row[c * rows.strides[3]];
        }
      }
    }
  }
}

std::unique_ptr<std::byte[]> allocate(std::int64_t bytes) {
  if (bytes > std::numeric_limits<Index>::max()) return nullptr;
  return std::unique_ptr<std::byte[]>(new (std::nothrow)
                                          std::byte[static_cast<std::size_t>(bytes)]);
}

}  // namespace

std::unique_ptr<Cache> Cache::create(const Config& config, std::int64_t memory_limit,
                                     Error& error) {
  struct Size {
    const char* name;
    std::int64_t value;
  };
  for (const auto& [name, value] :
       {Size{"batch", config.batch}, Size{"kvHeads", config.kv_heads},
        Size{"headDim", config.head_dim}, Size{"valueDim", config.value_dim},
        Size{"capacity", config.capacity}}) {
    if (value >= 1) continue;
    error = {"shape", name, sentence(name, " is ", value, "; give a whole number of 1 or more")};
    return nullptr;
  }
  if (!is_float(config.dtype)) {
    error = {"dtype", "dtype",
             sentence("dtype is ", info(config.dtype).name,
                      "; give float32, float64, float16 or bfloat16")};
    return nullptr;
  }
  const auto bytes = [&](std::int64_t width) {
    return saturating_product(count({config.batch, config.kv_heads, config.capacity, width}),
                              static_cast<std::int64_t>(info(config.dtype).bytes));
  };
  const std::int64_t key_bytes = bytes(config.head_dim), value_bytes = bytes(config.value_dim);
  const std::int64_t total = saturating_sum(key_bytes, value_bytes);
  std::unique_ptr<Cache> cache(new Cache(config));
  if (memory_limit == 0 || total <= memory_limit) {
    cache->key_ = allocate(key_bytes);
    cache->value_ = allocate(value_bytes);
  }
  if (cache->key_ && cache->value_) return cache;
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  error = {"memory", "capacity",
           sentence("a cache of capacity ", config.capacity, " needs ", total / mebibyte + 1,
                    " MiB of memory",
                    memory_limit ? sentence(" but ", memory_limit / mebibyte, " MiB can be had")
                                 : std::string(", which cannot be had"),
                    "; give a smaller capacity")};
  return nullptr;
}

Error Cache::append(const Tensor& key, const Tensor& value) {
  struct Given {
    const char* name;
    const Tensor& tensor;
    std::int64_t width;
    const char* width_name;
  };
  for (const auto& [name, tensor, width, width_name] :
       {Given{"key", key, config_.head_dim, "headDim"},
        Given{"value", value, config_.value_dim, "valueDim"}}) {
    if (tensor.dtype != config_.dtype) {
      return {"dtype", name,
              sentence(name, " is ", info(tensor.dtype).name, " but the cache is ",
                       info(config_.dtype).name, "; convert it")};
    }
    struct Axis {
      std::size_t number;
      const char* name;
      std::int64_t size;
    };
    for (const auto& [number, axis, size] :
         {Axis{0, "batch", config_.batch}, Axis{1, "kvHeads", config_.kv_heads},
          Axis{3, width_name, width}}) {
      if (tensor.shape[number] == size) continue;
      return {"shape", name,
              sentence(name, " has ", axis, " ", tensor.shape[number], " but the cache has ", axis,
                       " ", size, " (", name, " ", shape_text(tensor), ")")};
    }
    if (Error error = check_layout(tensor, name)) return error;
  }
  const std::int64_t count = key.shape[2];
  if (value.shape[2] != count) {
    return {"shape", "value",
            sentence("value has length ", value.shape[2], " but key has length ", count, " (key ",
                     shape_text(key), ", value ", shape_text(value), ")")};
  }
  if (count > config_.capacity - length_) {
    return {"capacity", "key",
            sentence("the cache holds ", length_, " of ", config_.capacity, " keys and ", count,
                     " more do not fit; truncate it or create one of a larger capacity")};
  }
  dispatch(config_.dtype, [&](auto zero) {
    const Index capacity = static_cast<Index>(config_.capacity);
    const Index first = static_cast<Index>(length_);
    copy_rows<decltype(zero)>(key, key_.get(), capacity, first);
    copy_rows<decltype(zero)>(value, value_.get(), capacity, first);
  });
  length_ += count;
  return {};
}

Error Cache::truncate(std::int64_t length) {
  if (length < 0 || length > length_) {
    return {"shape", "length",
            sentence("length is ", length, " but the cache holds ", length_,
                     " keys; give a whole number from 0 to ", length_)};
  }
  length_ = length;
  return {};
}

Tensor Cache::held(std::byte* data, std::int64_t width, int rank) const {
  Tensor tensor;
  tensor.data = data;
  tensor.dtype = config_.dtype;
  tensor.rank = rank;
  tensor.shape = {config_.batch, config_.kv_heads, length_, width};
  tensor.strides = row_major({config_.batch, config_.kv_heads, config_.capacity, width});
  tensor.strided = true;
  return tensor;
}

Call Cache::call(const Tensor& query, const Options& options) const {
  Call call;
  call.query = query;
  call.key = held(key_.get(), config_.head_dim, query.rank);
  call.value = held(value_.get(), config_.value_dim, query.rank);
  call.options = options;
  if (options.start.corner == Start::unsaid) call.options.start.corner = Start::bottom_right;
  return call;
}

}  // namespace attention
