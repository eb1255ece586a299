// The resident cache, and watching a call.

#include "core/cache.h"

#include <doctest/doctest.h>

#include <cstring>

#include "call.h"
#include "core/parallel.h"

namespace attention {
namespace {

/// Rows [first, first + count) of a tensor's third axis, in place.
Tensor rows(const Tensor& tensor, std::int64_t first, std::int64_t count) {
  Tensor part = tensor;
  part.shape[2] = count;
  part.strided = true;
  part.length = -1;
  part.data = static_cast<std::byte*>(tensor.data) +
              first * tensor.strides[2] * static_cast<std::int64_t>(info(tensor.dtype).bytes);
  return part;
}

Plan checked(const Call& call) {
  Plan plan;
  const Error error = check(call, Purpose::attend, 0, plan);
  INFO(error.message);
  REQUIRE(!error);
  return plan;
}

reference::Case small_case(int length) {
  reference::Case c;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.queries = c.keys = length;
  c.head_dim = 5;
  c.value_dim = 3;
  reference::randomize(c, 11);
  return c;
}

TEST_CASE("step by step a cache gives the bits of one causal call") {
  const int length = 90;
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    auto c = small_case(length);
    Arrays arrays;
    Call call = make_call(c, dtype, arrays);
    call.options.mask = {make_rule("causal")};
    const Plan plan = checked(call);
    const Result whole = make_result(call, plan, arrays);
    ThreadPool pool(2);
    attend(call, plan, whole, pool);
    const auto right = numbers(whole.output);

    Error error;
    const auto cache = Cache::create({2, 2, 5, 3, length, dtype}, 0, error);
    REQUIRE(cache);
    // A prompt, single steps, and a rejected draft that is taken back.
    bool taken_back = false;
    for (int done = 0; done < length;) {
      const int step = done == 0 ? 40 : done == 60 ? 7 : 1;
      REQUIRE(!cache->append(rows(call.key, done, step), rows(call.value, done, step)));
      const Call next = cache->call(rows(call.query, done, step), call.options);
      const Plan next_plan = checked(next);
      const Result result = make_result(next, next_plan, arrays);
      attend(next, next_plan, result, pool);
      const auto got = numbers(result.output);
      for (int b = 0; b < 2; ++b)
        for (int h = 0; h < 4; ++h)
          for (int i = 0; i < step; ++i)
            for (int d = 0; d < 3; ++d) {
              const auto at = [&](int queries, int query) {
                return static_cast<std::size_t>(((b * 4 + h) * queries + query) * 3 + d);
              };
              CHECK(got[at(step, i)] == right[at(length, done + i)]);
            }
      done += step;
      if (done == 67 && !taken_back) {
        taken_back = true;
        CHECK(!cache->truncate(63));
        done = 63;
      }
      CHECK(cache->length() == done);
    }
  }
}

TEST_CASE("what a cache refuses, and that it stays as it was") {
  Error error;
  CHECK(!Cache::create({1, 2, 5, 3, 0}, 0, error));
  CHECK(error.message == "capacity is 0; give a whole number of 1 or more");
  CHECK(!Cache::create({1, 2, 5, 3, 8, DType::boolean}, 0, error));
  CHECK(error.code == "dtype");
  CHECK(!Cache::create({1, 8, 64, 64, 1 << 20}, std::int64_t{1} << 30, error));
  CHECK(error.message ==
        "a cache of capacity 1048576 needs 4097 MiB of memory but 1024 MiB can be had; give a "
        "smaller capacity");

  Arrays arrays;
  const auto cache = Cache::create({1, 2, 5, 3, 8}, 0, error);
  REQUIRE(cache);
  const auto make = [&](std::int64_t heads, std::int64_t length, std::int64_t width) {
    return arrays.make(DType::float32, {1, heads, length, width});
  };
  CHECK(cache->append(make(2, 6, 5), make(2, 6, 3)).message.empty());
  const auto refuses = [&](const Tensor& key, const Tensor& value, const char* code,
                           const char* argument, const char* message) {
    const Error refused = cache->append(key, value);
    CHECK(refused.code == code);
    CHECK(refused.argument == argument);
    CHECK(refused.message == message);
    CHECK(cache->length() == 6);
  };
  refuses(
      make(2, 3, 5), make(2, 3, 3), "capacity", "key",
      "the cache holds 6 of 8 keys and 3 more do not fit; truncate it or create one of a larger "
      "capacity");
  refuses(make(1, 1, 5), make(2, 1, 3), "shape", "key",
          "key has kvHeads 1 but the cache has kvHeads 2 (key 1×1×1×5)");
  refuses(make(2, 1, 5), make(2, 1, 5), "shape", "value",
          "value has valueDim 5 but the cache has valueDim 3 (value 1×2×1×5)");
  refuses(make(2, 1, 5), make(2, 2, 3), "shape", "value",
          "value has length 2 but key has length 1 (key 1×2×1×5, value 1×2×2×3)");
  refuses(arrays.make(DType::float64, {1, 2, 1, 5}), make(2, 1, 3), "dtype", "key",
          "key is float64 but the cache is float32; convert it");
  CHECK(cache->truncate(7).message ==
        "length is 7 but the cache holds 6 keys; give a whole number from 0 to 6");
  CHECK(cache->append(make(2, 2, 5), make(2, 2, 3)).message.empty());
  CHECK(cache->length() == 8);
}

TEST_CASE("progress rises to 1 and can stop the call") {
  auto c = small_case(300);
  Arrays arrays;
  Call call = make_call(c, DType::float32, arrays);
  call.options.returns.weights = true;
  const Plan plan = checked(call);
  const Result result = make_result(call, plan, arrays);
  ThreadPool pool(1);
  Watch watch;
  std::vector<double> shares;
  watch.progress = [&](double share) {
    shares.push_back(share);
    return true;
  };
  CHECK(!attend(call, plan, result, pool, watch).stopped);
  CHECK(shares.size() > 10);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.back() == 1);

  shares.clear();
  watch.progress = [&](double share) {
    shares.push_back(share);
    return shares.size() < 3;
  };
  CHECK(attend(call, plan, result, pool, watch).stopped);
  CHECK(shares.size() == 3);
}

/// Of the last of the queries, which reads all 10 keys.
void check_record(int queries) {
  auto c = small_case(10);
  c.batch = 1;
  c.queries = queries;
  reference::randomize(c, 12);
  Arrays arrays;
  Call call = make_call(c, DType::float64, arrays);
  call.options.mask = {make_rule("causal")};
  call.options.start.corner = Start::bottom_right;
  const Plan plan = checked(call);
  const Result result = make_result(call, plan, arrays);
  ThreadPool pool(2);
  std::vector<TileRecord> records;
  Watch watch;
  watch.tile_keys = 4;
  watch.tile = [&](const TileRecord& record) {
    if (record.row.head == 3 && record.row.query == queries - 1) records.push_back(record);
  };
  attend(call, plan, result, pool, watch);
  REQUIRE(records.size() == 3);
  double max = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const TileRecord& record : records) {
    CHECK(record.scores.size() == static_cast<std::size_t>(record.end - record.begin));
    const double old_max = max;
    max = std::max(max, record.tile_max);
    CHECK(record.row_max == max);
    CHECK(record.rescale == doctest::Approx(std::exp(old_max - max)).epsilon(1e-15));
    sum *= record.rescale;
    for (std::size_t j = 0; j < record.scores.size(); ++j) {
      CHECK(record.weights[j] == doctest::Approx(std::exp(record.scores[j] - max)).epsilon(1e-15));
      sum += record.weights[j];
    }
    CHECK(record.row_sum == doctest::Approx(sum).epsilon(1e-15));
  }
  CHECK(records.back().end == 10);
  const auto output = view<const double>(result.output);
  for (Index d = 0; d < 3; ++d) {
    CHECK(records.back().output[static_cast<std::size_t>(d)] / records.back().row_sum ==
          doctest::Approx(output(0, 3, queries - 1, d)).epsilon(1e-15));
  }
}

TEST_CASE("the record of the tiles is the run of the kernel") {
  for (const int queries : {10, 1}) {  // a whole sequence, and a step of decoding
    INFO(queries, " queries");
    check_record(queries);
  }
}

}  // namespace
}  // namespace attention
