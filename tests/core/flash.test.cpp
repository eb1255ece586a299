// The fast path equals the plain one and float64, whatever the shape, mask, option and dtype.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "call.h"
#include "core/parallel.h"
#include "core/softmax.h"

namespace attention {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Sets options in a call and the same in the reference's case.
using Set = std::function<void(Call&, reference::Case&, Arrays&)>;

Set mask_of(std::vector<Rule> rules) {
  return [rules](Call& call, reference::Case&, Arrays&) {
    call.options.mask = rules;
    call.options.start.corner = Start::bottom_right;
  };
}

reference::Case sized(int batch, int heads, int kv_heads, int queries, int keys, int head_dim,
                      int value_dim, double deviation = 1) {
  reference::Case c;
  c.batch = batch;
  c.heads = heads;
  c.kv_heads = kv_heads;
  c.queries = queries;
  c.keys = keys;
  c.head_dim = head_dim;
  c.value_dim = value_dim;
  reference::randomize(c, static_cast<std::uint32_t>(queries * 1000 + keys), deviation);
  return c;
}

struct Numbers3 {
  std::vector<double> output, lse, weights;
};

Numbers3 numbers(const Result& result) {
  return {numbers(result.output), numbers(result.lse), numbers(result.weights)};
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.size() == b.size() &&
         (a.size() == 0 ||
          std::memcmp(a.data, b.data, static_cast<std::size_t>(a.size()) * info(a.dtype).bytes) ==
              0);
}

Plan checked(const Call& call) {
  Plan plan;
  const Error error = check(call, Purpose::attend, 0, plan);
  INFO(error.message);
  REQUIRE(!error);
  return plan;
}

double unit_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 0x1p-52;
    case DType::float16:
      return 0x1p-10;
    case DType::bfloat16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

/// The largest difference to what is right, as a share of the largest right number (at least 1);
/// NaN and infinities must be where they belong.
double error_of(const std::vector<double>& got, const std::vector<double>& right) {
  REQUIRE(got.size() == right.size());
  double error = 0, scale = 1;
  for (std::size_t n = 0; n < got.size(); ++n) {
    INFO("element ", n, ": ", got[n], " instead of ", right[n]);
    if (std::isnan(right[n])) {
      REQUIRE(std::isnan(got[n]));
    } else if (std::isinf(right[n])) {
      REQUIRE(got[n] == right[n]);
    } else {
      REQUIRE(std::isfinite(got[n]));
      error = std::max(error, std::abs(got[n] - right[n]));
      scale = std::max(scale, std::abs(right[n]));
    }
  }
  return error / scale;
}

/// In more precision than the dtype is computed in.
Numbers3 right_answer(const reference::Case& c, DType dtype) {
  const auto widened = [&](auto steps) {
    const auto doubles = [](const auto& numbers) {
      return std::vector<double>(numbers.begin(), numbers.end());
    };
    return Numbers3{doubles(steps.output), doubles(steps.lse), doubles(steps.dropped)};
  };
  return dtype == DType::float64 ? widened(reference::attention<long double>(c))
                                 : widened(reference::attention<double>(c));
}

/// Runs attend() on 1, 2 and 3 threads, which must agree to the bit, and compares it with the plain
/// path and with float64.
Info compare(reference::Case c, DType dtype, const Set& set = nullptr) {
  Arrays arrays;
  Call call = make_call(c, dtype, arrays);
  if (set) set(call, c, arrays);
  call.options.returns.weights = true;
  const Plan plan = checked(call);
  c.allows = [&plan](int b, int h, int i, int j) {
    KeyRanges ranges;
    plan.mask.row(b, h, i, ranges);
    return contains(ranges, j);
  };
  const auto right = right_answer(c, dtype);
  const Result plain = make_result(call, plan, arrays), fast = make_result(call, plan, arrays);
  const Info plain_info = attend_plain(call, plan, plain);
  ThreadPool one(1);
  const Info info = attend(call, plan, fast, one);
  CHECK(info.empty_rows == plain_info.empty_rows);
  CHECK(info.allowed_cells == plain_info.allowed_cells);
  CHECK(info.total_cells == plain_info.total_cells);

  const Numbers3 slow = numbers(plain), quick = numbers(fast);
  // The plain path may be lucky: two units are always granted.
  const double unit = 2 * unit_of(dtype), lse_unit = 2 * unit_of(fast.lse.dtype);
  INFO("T ", c.queries, " S ", c.keys, " d_k ", c.head_dim, " d_v ", c.value_dim, " ",
       attention::info(dtype).name);
  CHECK(error_of(quick.output, right.output) <= 2 * error_of(slow.output, right.output) + unit);
  CHECK(error_of(quick.lse, right.lse) <= 2 * error_of(slow.lse, right.lse) + lse_unit);
  CHECK(error_of(quick.weights, right.weights) <= 2 * error_of(slow.weights, right.weights) + unit);

  static ThreadPool two(2), three(3);  // kept: in Node a thread of WebAssembly is a worker
  for (ThreadPool* pool : {&two, &three}) {
    const Result again = make_result(call, plan, arrays);
    const Info again_info = attend(call, plan, again, *pool);
    CHECK(same_bits(again.output, fast.output));
    CHECK(same_bits(again.lse, fast.lse));
    CHECK(same_bits(again.weights, fast.weights));
    CHECK(again_info.tiles_skipped == info.tiles_skipped);
    CHECK(again_info.tiles_total == info.tiles_total);
  }
  return info;
}

constexpr DType float_dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};

TEST_CASE("awkward lengths") {
  for (const int queries : {1, 3, 4, 5, 7, 16, 17, 63, 64, 65, 129}) {
    for (const int keys : {1, 3, 7, 16, 17, 63, 64, 65, 127, 128, 129}) {
      compare(sized(1, 1, 1, queries, keys, 5, 7), DType::float32);
      compare(sized(1, 1, 1, queries, keys, 5, 7), DType::float32, mask_of({make_rule("causal")}));
    }
  }
}

TEST_CASE("awkward widths, every dtype") {
  for (const DType dtype : float_dtypes) {
    for (const int head_dim : {1, 3, 16, 64, 65}) {
      for (const int value_dim : {1, 2, 7, 17, 63, 64}) {
        compare(sized(1, 1, 1, 19, 70, head_dim, value_dim), dtype);
      }
    }
  }
}

TEST_CASE("nothing at all") {
  for (const DType dtype : float_dtypes) {
    compare(sized(1, 2, 1, 0, 5, 4, 4), dtype);
    compare(sized(1, 2, 1, 3, 0, 4, 4), dtype);
    compare(sized(0, 2, 1, 3, 5, 4, 4), dtype);
    compare(sized(1, 2, 1, 3, 5, 4, 0), dtype);
    reference::Case c = sized(1, 2, 1, 3, 5, 0, 4);
    c.scale = 1;
    compare(c, dtype);
  }
}

TEST_CASE("heads in groups, batches, several chunks of keys") {
  for (const DType dtype : float_dtypes) {
    compare(sized(2, 6, 2, 5, 67, 8, 6), dtype);
    compare(sized(2, 8, 1, 1, 130, 8, 6), dtype);
  }
  for (const int queries : {1, 2, 16, 70}) {
    compare(sized(1, 4, 2, queries, 2600, 4, 3), DType::float32);
    compare(sized(1, 2, 2, queries, 2600, 4, 3), DType::float64, mask_of({make_rule("causal")}));
  }
}

/// Of a whole sequence, and of a step of decoding: 4 rows or 2 for each head of keys.
void check_masks(int queries) {
  const auto bools = [](Arrays& arrays, std::vector<std::int64_t> shape, auto&& allows) {
    const Tensor tensor = arrays.make(DType::boolean, shape);
    for (std::int64_t n = 0; n < tensor.size(); ++n) {
      static_cast<std::uint8_t*>(tensor.data)[n] = allows(n) ? 1 : 0;
    }
    return tensor;
  };
  Arrays arrays;
  const int keys = 150;
  const auto random =
      bools(arrays, {2, 1, queries, keys}, [](std::int64_t n) { return n * n % 7 < 3; });
  const auto padding = bools(arrays, {2, keys}, [](std::int64_t n) { return n % 31 > 4; });
  const std::vector<std::vector<Rule>> masks = {
      {make_rule("causal")},
      {make_rule("window", {{"left", Numbers(20)}, {"right", Numbers(3)}})},
      {make_rule("causal"), make_rule("window", {{"left", Numbers(64)}})},
      {make_rule("lengths", {{"keys", Numbers(std::vector<std::int64_t>{64, 0})}})},
      {make_rule("lengths", {{"keys", Numbers(std::vector<std::int64_t>{7, 150})},
                             {"queries", Numbers(std::vector<std::int64_t>{
                                             std::min(80, queries), std::min(3, queries)})}})},
      {make_rule("padding", {{"allowed", padding}})},
      {make_rule("prefix", {{"length", Numbers(70)}})},
      {make_rule("global", {{"tokens", Numbers(std::vector<std::int64_t>{0, 75, 149})}})},
      {make_rule("strided", {{"stride", Numbers(9)}})},
      {make_rule("dilated",
                 {{"left", Numbers(30)}, {"right", Numbers(30)}, {"dilation", Numbers(4)}})},
      {make_rule("allowed", {{"mask", random}})},
      {make_rule("blocked", {{"mask", random}})},
      {make_rule("any", {{"of", std::vector<Rule>{make_rule("causal"),
                                                  make_rule("allowed", {{"mask", random}})}}})},
      {make_rule("not", {{"of", std::vector<Rule>{make_rule(
                                    "window", {{"left", Numbers(5)}, {"right", Numbers(5)}})}}})},
  };
  for (const auto& rules : masks) {
    INFO("mask ", rules.front().kind->name);
    compare(sized(2, 4, 2, queries, keys, 8, 6), DType::float32, mask_of(rules));
    compare(sized(2, 4, 2, queries, keys, 3, 5), DType::float64, mask_of(rules));
  }
}

TEST_CASE("every kind of mask") {
  for (const int queries : {90, 2, 1}) {
    INFO(queries, " queries");
    check_masks(queries);
  }
}

TEST_CASE("every option") {
  const std::vector<std::pair<const char*, Set>> sets = {
      {"scale 0",
       [](Call& call, reference::Case& c, Arrays&) { c.scale = 0, call.options.scale = 0; }},
      {"negative scale",
       [](Call& call, reference::Case& c, Arrays&) { c.scale = -0.7, call.options.scale = -0.7; }},
      {"softcap", [](Call& call, reference::Case& c,
                     Arrays&) { c.softcap = 1.5, call.options.softcap = 1.5; }},
      {"sinks",
       [](Call& call, reference::Case& c, Arrays&) {
         c.sinks = {0.5, -3, 4, 1};
         call.options.sinks = c.sinks;
         call.options.mask = {
             make_rule("lengths", {{"keys", Numbers(std::vector<std::int64_t>{9, 0})}})};
       }},
      {"alibi",
       [](Call& call, reference::Case& c, Arrays&) {
         call.options.alibi.kind = Alibi::paper;
         call.options.start.corner = Start::bottom_right;
         const auto slopes = reference::alibi_slopes(c.heads);
         const int start = c.keys - c.queries;
         c.bias = [=](int, int h, int i, int j) {
           return -slopes[static_cast<std::size_t>(h)] * std::abs(i + start - j);
         };
       }},
      {"dropout",
       [](Call& call, reference::Case& c, Arrays&) {
         call.options.dropout = Dropout{0.3, 42};
         c.dropout = [](int b, int h, int i, int j) {
           return reference::keeps(0.3, 42, b, h, i, j) ? 1 / 0.7 : 0;
         };
       }},
      {"dropout of everything",
       [](Call& call, reference::Case& c, Arrays&) {
         call.options.dropout = Dropout{1, 42};
         c.dropout = [](int, int, int, int) { return 0.0; };
       }},
  };
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const auto& [name, set] : sets) {
      for (const int queries : {21, 2, 1}) {
        INFO(name, ", ", queries, " queries");
        compare(sized(2, 4, 2, queries, 83, 8, 6), dtype, set);
      }
    }
  }
}

TEST_CASE("bias of every shape; −∞ in it means not allowed") {
  for (const DType dtype : float_dtypes) {
    for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
             {83}, {21, 83}, {21, 1}, {4, 1, 1}, {2, 1, 21, 83}, {2, 4, 21, 83}, {1, 1, 1, 1}}) {
      compare(sized(2, 4, 2, 21, 83, 8, 6), dtype,
              [&](Call& call, reference::Case& c, Arrays& arrays) {
                std::int64_t size = 1;
                for (const std::int64_t length : shape) size *= length;
                std::vector<double> values;
                for (std::int64_t n = 0; n < size; ++n) {
                  values.push_back(n % 11 == 5 || n / 83 == 3 ? -infinity
                                                              : static_cast<double>(n % 13) / 4);
                }
                call.options.bias = arrays.make(dtype, shape, values);
                const auto bias = broadcast<const std::uint8_t>(*call.options.bias).strides;
                c.bias = [values, bias](int b, int h, int i, int j) {
                  return values[static_cast<std::size_t>(b * bias[0] + h * bias[1] + i * bias[2] +
                                                         j * bias[3])];
                };
              });
    }
  }
}

TEST_CASE("huge, tiny and equal scores") {
  for (const double deviation : {1e-20, 0.0, 5.0, 30.0}) {
    compare(sized(1, 2, 2, 33, 140, 16, 8, deviation), DType::float32);
    compare(sized(1, 2, 2, 33, 140, 16, 8, deviation), DType::float64);
  }
  // A finite bias, however low, is not a mask.
  for (const double low : {-1e9, -3.4e38}) {
    compare(sized(1, 1, 1, 9, 70, 4, 3), DType::float32,
            [&](Call& call, reference::Case& c, Arrays& arrays) {
              std::vector<double> values(9 * 70, static_cast<float>(low));
              for (int j = 0; j < 70; j += 2) values[static_cast<std::size_t>(j)] = 0;
              call.options.bias = arrays.make(DType::float32, {9, 70}, values);
              c.bias = [values](int, int, int i, int j) {
                return values[static_cast<std::size_t>(i * 70 + j)];
              };
            });
  }
}

/// Row r of the keys and of the values becomes `number`.
void spoil(reference::Case& c, int row, double number) {
  for (int d = 0; d < c.head_dim; ++d)
    c.key[static_cast<std::size_t>(row * c.head_dim + d)] = number;
  for (int d = 0; d < c.value_dim; ++d)
    c.value[static_cast<std::size_t>(row * c.value_dim + d)] = number;
}

TEST_CASE("NaN and infinities reach the rows that read them and no other") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const double number : {nan, infinity}) {
      for (const int row : {0, 20, 66}) {
        auto c = sized(1, 1, 1, 40, 70, 4, 9);
        spoil(c, row, number);
        compare(c, dtype, mask_of({make_rule("causal")}));
        compare(c, dtype,
                mask_of({make_rule("window", {{"left", Numbers(4)}, {"right", Numbers(0)}})}));
      }
    }
    auto c = sized(1, 2, 1, 40, 70, 4, 9);
    c.query[13 * 4] = nan;
    compare(c, dtype);
    spoil(c, 5, nan);
    compare(c, dtype, [](Call& call, reference::Case& c, Arrays& arrays) {
      std::vector<double> values(70, 0.25);
      values[5] = -infinity;
      call.options.bias = arrays.make(call.query.dtype, {70}, values);
      c.bias = [values](int, int, int, int j) { return values[static_cast<std::size_t>(j)]; };
    });
  }
}

TEST_CASE("NaN and infinities reach no other row of a step of decoding") {
  for (const DType dtype : float_dtypes) {
    for (const double number : {nan, infinity}) {
      for (const int queries : {1, 2}) {
        auto c = sized(1, 2, 1, queries, 150, 5, 9);
        spoil(c, 71, number);
        compare(c, dtype);
        // Of two queries the second reads it.
        compare(c, dtype, [](Call& call, reference::Case&, Arrays&) {
          call.options.mask = {make_rule("causal")};
          call.options.start = {Start::numbers, {70}};
        });
        // In the midst of what is read.
        compare(c, dtype, [](Call& call, reference::Case& c, Arrays& arrays) {
          std::vector<double> values(150, 0.25);
          values[71] = -infinity;
          call.options.bias = arrays.make(call.query.dtype, {150}, values);
          c.bias = [values](int, int, int, int j) { return values[static_cast<std::size_t>(j)]; };
        });
      }
      auto one = sized(1, 1, 1, 1, 150, 5, 9);
      spoil(one, 71, number);
      compare(
          one, dtype,
          mask_of({make_rule(
              "not",
              {{"of", std::vector<Rule>{make_rule(
                          "global", {{"tokens", Numbers(std::vector<std::int64_t>{71})}})}}})}));
    }
  }
}

TEST_CASE("scores of −∞ that are allowed are NaN as in the formula, not an empty row") {
  auto c = sized(1, 1, 1, 3, 5, 1, 2);
  for (double& number : c.query) number = 1;
  for (double& number : c.key) number = -infinity;
  compare(c, DType::float32);
  c.key[2] = 1;
  compare(c, DType::float32);
}

TEST_CASE("a row has the same bits alone, in a batch and as a step of decoding") {
  const int length = 2100;
  auto c = sized(1, 2, 1, length, length, 6, 5);
  Arrays arrays;
  Call call = make_call(c, DType::float32, arrays);
  call.options.mask = {make_rule("causal")};
  const Plan plan = checked(call);
  const Result together = make_result(call, plan, arrays);
  ThreadPool pool(2);
  attend(call, plan, together, pool);
  const auto right = view<const float>(together.output);
  for (const Index i : {0, 1, 63, 64, 777, 1023, 1024, 2099}) {
    Call alone = call;
    alone.query.shape[2] = 1;
    alone.query.strided = true;
    alone.query.data = static_cast<float*>(call.query.data) + i * 6;
    alone.query.length -= i * 6;
    alone.options.start = {Start::numbers, {i}};
    const Plan step_plan = checked(alone);
    const Result step = make_result(alone, step_plan, arrays);
    CHECK(attend(alone, step_plan, step, pool).path == std::string("decode"));
    for (Index h = 0; h < 2; ++h) {
      for (Index d = 0; d < 5; ++d) {
        CHECK(view<const float>(step.output)(0, h, 0, d) == right(0, h, i, d));
      }
    }
  }
}

TEST_CASE("rows asked for apart have the bits of the whole call, and no others are written") {
  for (const int keys : {70, 2100}) {  // in one chunk, and in several
    auto c = sized(2, 4, 2, 70, keys, 5, 3);
    Arrays arrays;
    Call call = make_call(c, DType::float32, arrays);
    call.options.mask = {make_rule("causal")};
    call.options.start.corner = Start::bottom_right;
    call.options.dropout = Dropout{0.3, 7};
    const Plan plan = checked(call);
    ThreadPool pool(2);
    const Result whole = make_result(call, plan, arrays);
    attend(call, plan, whole, pool);
    Result apart = make_result(call, plan, arrays);
    for (const auto& [first, end] : {std::pair{0, 1}, {1, 75}, {75, 420}, {421, 560}}) {
      apart.first_row = first;
      apart.end_row = end;
      attend(call, plan, apart, pool);
    }
    float* const row = static_cast<float*>(apart.output.data) + 420 * 3;
    for (int column = 0; column < 3; ++column) CHECK(row[column] == 0);
    apart.first_row = 420;
    apart.end_row = 421;
    attend(call, plan, apart, pool);
    CHECK(same_bits(apart.output, whole.output));
    CHECK(same_bits(apart.lse, whole.lse));
  }
}

/// The call with inputs that are all NaN until their heads of [B·H_kv] are brought, one at a time.
struct Arriving {
  Arriving(const Call& whole, Arrays& arrays) : whole(whole), call(whole) {
    for (Tensor* tensor : {&call.query, &call.key, &call.value}) {
      const Tensor& t = *tensor;
      *tensor = arrays.make(t.dtype, {t.shape[0], t.shape[1], t.shape[2], t.shape[3]},
                            std::vector<double>(static_cast<std::size_t>(t.size()), NAN));
    }
  }

  Index more() {
    const Index all = call.key.shape[0] * call.key.shape[1];
    const auto bring = [&](const Tensor& from, const Tensor& to) {
      const Index size = from.size() / all;
      const auto* data = static_cast<const float*>(from.data);
      std::copy_n(data + heads * size, size, static_cast<float*>(to.data) + heads * size);
    };
    bring(whole.query, call.query);
    bring(whole.key, call.key);
    bring(whole.value, call.value);
    return ++heads;
  }

  const Call& whole;
  Call call;
  Index heads = 0;
};

/// Rows of an output that are taken away while the rest is computed.
struct Taking {
  explicit Taking(const Tensor& output) : output(output) {}

  void take(Index until) {
    CHECK(until > rows);
    const auto* data = static_cast<const float*>(output.data);
    taken.insert(taken.end(), data + rows * width(), data + until * width());
    rows = until;
  }

  bool same_as_at_the_end() const {
    return std::equal(taken.begin(), taken.end(), static_cast<const float*>(output.data));
  }

  Index width() const { return output.shape[3]; }

  const Tensor& output;
  std::vector<float> taken;
  Index rows = 0;
};

TEST_CASE("inputs may arrive, and rows be taken away, while threads are at work") {
  for (const auto& [queries, keys] : {std::pair{70, 70}, {1, 2100}, {130, 1100}}) {
    auto c = sized(2, 6, 3, queries, keys, 5, 3);
    Arrays arrays;
    Call call = make_call(c, DType::float32, arrays);
    call.options.mask = {make_rule("causal")};
    call.options.start.corner = Start::bottom_right;
    call.options.returns.weights = true;
    const Plan plan = checked(call);
    ThreadPool one(1), two(2), four(4);
    const Result whole = make_result(call, plan, arrays);
    attend(call, plan, whole, one);
    for (ThreadPool* pool : {&one, &two, &four}) {
      Arriving arriving(call, arrays);
      const Plan same_plan = checked(arriving.call);
      const Result result = make_result(call, plan, arrays);
      Watch watch;
      watch.more_heads = [&] { return arriving.more(); };
      Taking taking(result.output);
      watch.rows_done = [&](Index rows) {
        CHECK(arriving.heads == 6);
        taking.take(rows);
      };
      attend(arriving.call, same_plan, result, *pool, watch);
      CHECK(arriving.heads == 6);
      const Index rows = 2 * 6 * queries;
      const bool is_alone = pool->workers() == 1;  // as each is in a build without threads
      if (is_alone) CHECK(taking.rows == rows);
      if (!is_alone && queries == 1) CHECK(taking.rows == 0);  // heads are split over their keys
      CHECK(taking.rows % (rows / 6) == 0);
      CHECK(taking.same_as_at_the_end());
      CHECK(same_bits(result.output, whole.output));
      CHECK(same_bits(result.lse, whole.lse));
      CHECK(same_bits(result.weights, whole.weights));
    }
  }
}

TEST_CASE("tiles that no row reads are skipped") {
  auto c = sized(1, 1, 1, 512, 512, 4, 4);
  CHECK(compare(c, DType::float32).tiles_skipped == 0);
  const Info causal = compare(c, DType::float32, mask_of({make_rule("causal")}));
  CHECK(causal.tiles_total == 64 * 8);
  CHECK(causal.tiles_skipped == 8 * (7 + 6 + 5 + 4 + 3 + 2 + 1));
}

TEST_CASE("strides: transposed keys, [B, T, H, d] queries, float16 among others") {
  for (const DType dtype : float_dtypes) {
    auto c = sized(2, 3, 3, 20, 70, 5, 4);
    compare(c, dtype, [](Call& call, reference::Case&, Arrays& arrays) {
      for (Tensor* tensor : {&call.query, &call.key, &call.value}) {
        const std::array<std::size_t, 4> order = tensor == &call.key
                                                     ? std::array<std::size_t, 4>{0, 1, 3, 2}
                                                     : std::array<std::size_t, 4>{0, 2, 1, 3};
        Tensor moved =
            arrays.make(tensor->dtype, {tensor->shape[order[0]], tensor->shape[order[1]],
                                        tensor->shape[order[2]], tensor->shape[order[3]]});
        const Shape strides = moved.strides;
        for (std::size_t axis = 0; axis < 4; ++axis) moved.strides[order[axis]] = strides[axis];
        moved.shape = tensor->shape;
        moved.strided = true;
        dispatch(tensor->dtype, [&](auto zero) {
          const auto from = view<decltype(zero)>(*tensor), to = view<decltype(zero)>(moved);
          for (Index b = 0; b < from.shape[0]; ++b)
            for (Index h = 0; h < from.shape[1]; ++h)
              for (Index i = 0; i < from.shape[2]; ++i)
                for (Index d = 0; d < from.shape[3]; ++d) to(b, h, i, d) = from(b, h, i, d);
        });
        *tensor = moved;
      }
    });
  }
}

template <class T>
void check_exp(T lowest, T step) {
  constexpr double unit = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (T x = 0; x > lowest; x -= step) {
    T numbers[panel_rows<T>];
    for (T& number : numbers) number = x;
    store(numbers, Exp<T>()(load(numbers)));
    const double right = std::exp(static_cast<double>(x));
    const double error = std::abs(static_cast<double>(numbers[0]) - right) / right;
    const double most = ExpConstants<T>::one_step && x < -30 ? 4 * unit : 2 * unit;
    if (error > most) FAIL_CHECK("e^", x, " is off by ", error / unit, " units");
  }
}

TEST_CASE("exp: within its units, exactly 1 at 0 and 0 far below, NaN for NaN") {
  check_exp<float>(-87, 0.00037f);
  check_exp<double>(-708, 0.0037);
  const auto exp = [](auto x) {
    decltype(x) numbers[panel_rows<decltype(x)>] = {x};
    store(numbers, Exp<decltype(x)>()(load(numbers)));
    return numbers[0];
  };
  CHECK(exp(0.f) == 1);
  CHECK(exp(0.0) == 1);
  for (const float x : {-88.f, -1e3f, -1e30f, -std::numeric_limits<float>::infinity()})
    CHECK(exp(x) == 0);
  for (const double x : {-709.0, -1e300, -infinity}) CHECK(exp(x) == 0);
  CHECK(std::isnan(exp(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isnan(exp(nan)));
}

}  // namespace
}  // namespace attention
