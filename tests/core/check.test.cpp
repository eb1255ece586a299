#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "core/attention.h"

namespace attention {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A tensor to be checked, not read: it has no data.
Tensor shaped(DType dtype, std::vector<std::int64_t> shape) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.rank = static_cast<int>(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    tensor.shape[4 - shape.size() + axis] = shape[axis];
  }
  tensor.strides = row_major(tensor.shape);
  tensor.length = tensor.size();
  return tensor;
}

/// A right call, for each test to spoil.
Call right_call() {
  Call call;
  call.query = shaped(DType::float32, {2, 8, 4, 64});
  call.key = shaped(DType::float32, {2, 4, 6, 64});
  call.value = shaped(DType::float32, {2, 4, 6, 32});
  return call;
}

Error error_of(const Call& call, std::int64_t limit = 0, Purpose purpose = Purpose::attend) {
  Plan plan;
  return check(call, purpose, limit, plan);
}

Plan plan_of(const Call& call, Purpose purpose = Purpose::attend) {
  Plan plan;
  const Error error = check(call, purpose, 0, plan);
  INFO(error.message);
  CHECK(!error);
  return plan;
}

struct Fault {
  std::function<void(Call&)> spoil;
  const char* code;
  const char* argument;
  const char* message;
};

void check_faults(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) {
    Call call = right_call();
    fault.spoil(call);
    const Error error = error_of(call);
    CHECK(error.code == fault.code);
    CHECK(error.argument == fault.argument);
    CHECK(error.message == fault.message);
  }
}

TEST_CASE("a right call passes and its plan has the defaults") {
  const Plan plan = plan_of(right_call());
  CHECK(plan.scale == 0.125);
  CHECK(plan.sizes.batch == 2);
  CHECK(plan.sizes.heads == 8);
  CHECK(plan.sizes.kv_heads == 4);
  CHECK(plan.sizes.queries == 4);
  CHECK(plan.sizes.keys == 6);
  CHECK(plan.sizes.head_dim == 64);
  CHECK(plan.sizes.value_dim == 32);
  CHECK(plan.sizes.kv_head(5) == 2);
  CHECK(plan.slopes.empty());
}

TEST_CASE("rank, dtype and shape errors") {
  check_faults({
      {[](Call& c) { c.query.rank = 5; }, "rank", "query",
       "query has rank 5; give rank 4 [batch, heads, length, dim], 3 [heads, length, dim] or 2 "
       "[length, dim]"},
      {[](Call& c) { c.value = shaped(DType::float32, {32}); }, "rank", "value",
       "value has rank 1; give rank 4 [batch, heads, length, dim], 3 [heads, length, dim] or 2 "
       "[length, dim]"},
      {[](Call& c) { c.key = shaped(DType::float32, {4, 6, 64}); }, "rank", "key",
       "key has rank 3 but query has rank 4 (query 2×8×4×64, key 4×6×64); give query, key and "
       "value the same rank"},
      {[](Call& c) { c.query = shaped(DType::boolean, {2, 8, 4, 64}); }, "dtype", "query",
       "query is bool; give float32, float64, float16 or bfloat16"},
      {[](Call& c) { c.value = shaped(DType::float64, {2, 4, 6, 32}); }, "dtype", "value",
       "value is float64 but query is float32; convert one of them: query, key and value have one "
       "dtype"},
      {[](Call& c) { c.key = shaped(DType::float32, {2, 4, 6, 32}); }, "shape", "key",
       "key has head_dim 32 but query has head_dim 64 (query 2×8×4×64, key 2×4×6×32)"},
      {[](Call& c) { c.key = shaped(DType::float32, {1, 4, 6, 64}); }, "shape", "key",
       "key has batch 1 but query has batch 2 (query 2×8×4×64, key 1×4×6×64)"},
      {[](Call& c) { c.value = shaped(DType::float32, {3, 4, 6, 32}); }, "shape", "value",
       "value has batch 3 but query has batch 2 (query 2×8×4×64, value 3×4×6×32)"},
      {[](Call& c) { c.value = shaped(DType::float32, {2, 8, 6, 32}); }, "shape", "value",
       "value has heads 8 but key has heads 4 (key 2×4×6×64, value 2×8×6×32)"},
      {[](Call& c) { c.value = shaped(DType::float32, {2, 4, 7, 32}); }, "shape", "value",
       "value has length 7 but key has length 6 (key 2×4×6×64, value 2×4×7×32)"},
      {[](Call& c) { c.query = shaped(DType::float32, {2, 6, 4, 64}); }, "shape", "query",
       "query has heads 6 but key has heads 4 (query 2×6×4×64, key 2×4×6×64); the query's heads "
       "must be a multiple of the key's"},
      {[](Call& c) {
         c.key = shaped(DType::float32, {2, 0, 6, 64});
         c.value = shaped(DType::float32, {2, 0, 6, 32});
       },
       "shape", "query",
       "query has heads 8 but key has heads 0 (query 2×8×4×64, key 2×0×6×64); the query's heads "
       "must be a multiple of the key's"},
      {[](Call& c) { c.query.shape[2] = -4; }, "shape", "query",
       "query has shape 2×8×-4×64; lengths must be 0 or more"},
  });
}

TEST_CASE("shapes and strides stay within the data") {
  check_faults({
      {[](Call& c) { c.query.length = 4095; }, "data", "query",
       "query has shape 2×8×4×64, which is 4096 elements, but its data has 4095; give one that "
       "fits the other"},
      {[](Call& c) { c.query.length = 4097; }, "data", "query",
       "query has shape 2×8×4×64, which is 4096 elements, but its data has 4097; give one that "
       "fits the other"},
      {[](Call& c) {
         c.key.strided = true;
         c.key.strides = {1536, 64, 256, 1};
         c.key.length = 3071;
       },
       "data", "key",
       "key has shape 2×4×6×64 and strides that reach element 3071, but its data has 3071 "
       "elements; give longer data or smaller strides"},
      {[](Call& c) {
         c.value.strided = true;
         c.value.strides[3] = -1;
       },
       "shape", "value",
       "value has the stride -1, which leads out of its data; strides must be 0 or more"},
  });

  Call call = right_call();  // [B, T, H, d] data that ends exactly where it must
  call.key.strided = true;
  call.key.strides = {1536, 64, 256, 1};
  call.key.length = 3072;
  CHECK(!error_of(call));
  call.value.strided = true;  // one value for all keys, an odd stride where it is never used
  call.value.strides = {0, 0, 0, 1};
  call.value.length = 32;
  CHECK(!error_of(call));
}

TEST_CASE("sizes that do not fit do not wrap") {
  Call call;
  call.query = call.key = call.value = shaped(DType::float32, {1, 1, 1000000, 1000000});
  constexpr std::int64_t limit = std::int64_t{1024} << 20;
  Error error = error_of(call, limit);
  CHECK(error.code == "memory");
  CHECK(error.argument == "query");
  CHECK(error.message ==
        "query has shape 1×1×1000000×1000000, which takes 3814698 MiB of memory, but 1024 MiB can "
        "be had; pass a part of it at a time");

  call.query.length = 16;  // what a caller with a wrong shape has
  CHECK(error_of(call, limit).message ==
        "query has shape 1×1×1000000×1000000, which is 1000000000000 elements, but its data has "
        "16; give one that fits the other");

  const std::int64_t huge = std::int64_t{1} << 53;
  call.query = call.key = call.value = shaped(DType::float32, {huge, huge, huge, huge});
  CHECK(error_of(call).code == "memory");
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{huge, huge, 0, 1}, {1, 0, huge, huge}}) {
    call.query = call.key = call.value = shaped(DType::float32, shape);
    error = error_of(call);
    CHECK(error.code == "shape");
    CHECK(error.argument == "query");
    CHECK(error.message.find("too long to be indexed although it is empty") != std::string::npos);
  }

  call.query = call.key = call.value = shaped(DType::float32, {1, 1, 65536, 16});
  call.options.returns.weights = true;
  error = error_of(call, limit);
  CHECK(error.code == "memory");
  CHECK(error.argument == "weights");
  CHECK(error.message.find("MiB of memory but 1024 MiB can be had; weights takes 16385 MiB of it: "
                           "limit them with weightsFor") != std::string::npos);
  call.options.weights_for.queries = {0, 65535};
  CHECK(!error_of(call, limit));
  error = error_of(call, limit, Purpose::explain);
  CHECK(error.argument == "steps");
  CHECK(error.message.find("explain keeps every step") != std::string::npos);

  call = Call();  // three inputs that fit one by one but not together
  call.query = call.key = call.value = shaped(DType::float32, {1, 1, 1 << 21, 64});
  error = error_of(call, limit);
  CHECK(error.argument == "query");
  CHECK(error.message.find("query takes 512 MiB of it: pass fewer batch elements or heads") !=
        std::string::npos);
}

TEST_CASE("a mask whose ranges do not fit in memory is refused, and counted where they do") {
  const Index length = 1500;
  std::vector<std::uint8_t> cells(2 * length);
  for (std::size_t at = 0; at < cells.size(); ++at) cells[at] = at * at % 7 < 3;
  Tensor noise = shaped(DType::boolean, {1, 1, length, length});
  noise.data = cells.data();
  noise.length = 2 * length;
  noise.rank = 2;
  noise.strides = {0, 0, 1, 1};  // row i is cells i … i + S
  noise.strided = true;
  Call call;
  call.query = call.key = call.value = shaped(DType::float32, {1, 1, length, 1});
  call.options.mask = {make_rule("allowed", {{"mask", noise}})};
  Plan plan;
  const Error error = check(call, Purpose::attend, 8 << 20, plan);
  CHECK(error.code == "memory");
  CHECK(error.argument == "mask");
  CHECK(error.message.find("so many separate ranges of keys that their table needs more memory "
                           "than the 8 MiB that can be had") != std::string::npos);
  CHECK(check(call, Purpose::mask, 8 << 20, plan).message == error.message);
  REQUIRE(!check(call, Purpose::attend, 64 << 20, plan));
  const std::int64_t with = plan.bytes, table = static_cast<std::int64_t>(plan.mask.bytes());
  CHECK(table > 3 << 20);
  call.options.mask.clear();
  REQUIRE(!check(call, Purpose::attend, 64 << 20, plan));
  CHECK(with == plan.bytes + table);
}

TEST_CASE("what workers need beside inputs and results is counted") {
  const auto bytes = [](std::int64_t heads, std::int64_t queries, std::int64_t keys, int workers) {
    Call call;
    call.query = shaped(DType::float32, {1, heads, queries, 128});
    call.key = call.value = shaped(DType::float32, {1, heads, keys, 128});
    Plan plan;
    CHECK(!check(call, Purpose::attend, 0, plan, workers));
    const std::int64_t tensors = 4 * 128 * heads * (2 * queries + 2 * keys);
    return plan.bytes - tensors - 4 * heads * queries;  // lse too
  };
  // Queries, two outputs, and 64 keys and values; weights and biases of 8 rows.
  constexpr std::int64_t worker = 4 * (64 * 128 * 3 + 64 * 256 + 2 * 64 * 8);
  CHECK(bytes(8, 4096, 512, 1) == worker);
  CHECK(bytes(8, 4096, 512, 4) == 4 * worker);
  CHECK(bytes(8, 4096, 4096, 4) == 4 * worker);
  // One query: each chunk of 1024 keys has its own output, so that workers can share a head.
  constexpr std::int64_t narrow = 4 * (128 * 3 + 64 * 256 + 2 * 64 * 8);
  CHECK(bytes(1, 1, 65536, 2) == 2 * narrow + 4 * 64 * 128);
}

TEST_CASE("option errors") {
  check_faults({
      {[](Call& c) { c.options.scale = nan; }, "option", "scale",
       "scale is NaN; give a finite number"},
      {[](Call& c) { c.options.scale = -infinity; }, "option", "scale",
       "scale is -Infinity; give a finite number"},
      {[](Call& c) { c.options.scale = 1e300; }, "option", "scale",
       "scale is 1e+300, which is infinite in float32; give a smaller number or float64 inputs"},
      {[](Call& c) {
         c.query = shaped(DType::float32, {2, 8, 4, 0});
         c.key = shaped(DType::float32, {2, 4, 6, 0});
       },
       "option", "scale",
       "query and key have head_dim 0, for which the default scale 1/√head_dim is infinite; give "
       "scale"},
      {[](Call& c) { c.options.softcap = -1; }, "option", "softcap",
       "softcap is -1; give a number above 0, or 0 for none"},
      {[](Call& c) { c.options.softcap = nan; }, "option", "softcap",
       "softcap is NaN; give a finite number"},
      {[](Call& c) { c.options.softcap = 1e-60; }, "option", "softcap",
       "softcap is 1e-60, which is 0 in float32; give a larger number or float64 inputs"},
      {[](Call& c) {
         c.options.alibi = {Alibi::slopes, 1, {0.5, 0.25}};
         c.options.start.corner = Start::top_left;
       },
       "shape", "alibi",
       "alibi has 2 slopes but query has heads 8; give 8 slopes, or true for the published ones"},
      {[](Call& c) { c.options.alibi = {Alibi::slopes, 2, std::vector<double>(8, 0.5)}; }, "shape",
       "alibi",
       "alibi has 8 slopes but query has batch 2 and heads 8; give 16 slopes, or true for the "
       "published ones"},
      {[](Call& c) { c.options.alibi = {Alibi::slopes, 1, {1, 1, 1, 1, 1, 1, 1, nan}}; }, "option",
       "alibi", "alibi[7] is NaN; give a finite number"},
      {[](Call& c) { c.options.sinks.emplace(); }, "shape", "sinks",
       "sinks has 0 numbers but query has heads 8; give one for each head"},
      {[](Call& c) { c.options.sinks = {0, 0, 0}; }, "shape", "sinks",
       "sinks has 3 numbers but query has heads 8; give one for each head"},
      {[](Call& c) { c.options.sinks = {0, 0, 0, 0, 0, 0, 0, infinity}; }, "option", "sinks",
       "sinks[7] is Infinity; give a finite number"},
      {[](Call& c) { c.options.dropout = Dropout{1.5, 1}; }, "option", "dropout.p",
       "dropout.p is 1.5; give a probability from 0 to 1"},
      {[](Call& c) { c.options.dropout = Dropout{-0.1, 1}; }, "option", "dropout.p",
       "dropout.p is -0.1; give a probability from 0 to 1"},
      {[](Call& c) { c.options.dropout = Dropout{nan, 1}; }, "option", "dropout.p",
       "dropout.p is NaN; give a probability from 0 to 1"},
      {[](Call& c) { c.options.weights_for.heads = {0, 8}; }, "option", "weightsFor.heads",
       "weightsFor.heads asks for 8 but query has heads 8; give whole numbers from 0 to 7"},
      {[](Call& c) { c.options.weights_for.queries = {-1}; }, "option", "weightsFor.queries",
       "weightsFor.queries asks for -1 but query has length 4; give whole numbers from 0 to 3"},
  });

  Call call = right_call();
  call.options.sinks = {0, 0, 0, 0, 0, 0, 0, -infinity};
  call.options.scale = 0;
  call.options.dropout = Dropout{1, 1};
  CHECK(!error_of(call));
}

TEST_CASE("bias errors") {
  const auto bias = [](DType dtype, std::vector<std::int64_t> shape) {
    return [=](Call& call) { call.options.bias = shaped(dtype, shape); };
  };
  check_faults({
      {bias(DType::float32, {}), "rank", "bias",
       "bias has rank 0; give rank 1 to 4, aligned right with [batch, heads, queries, keys]"},
      {bias(DType::float64, {4, 6}), "dtype", "bias",
       "bias is float64 but query is float32; give a bias of dtype float32"},
      {bias(DType::boolean, {4, 6}), "dtype", "bias",
       "bias is bool but query is float32; give a bias of dtype float32, or a mask rule 'allowed' "
       "or 'blocked'"},
      {bias(DType::float32, {4, 5}), "shape", "bias",
       "bias 4×5 does not broadcast to [batch, heads, queries, keys] = 2×8×4×6: keys must be 6 or "
       "1 but is 5"},
      {bias(DType::float32, {4, 4, 6}), "shape", "bias",
       "bias 4×4×6 does not broadcast to [batch, heads, queries, keys] = 2×8×4×6: heads must be 8 "
       "or 1 but is 4"},
      {[](Call& c) {
         c.options.bias = shaped(DType::float32, {4, 6});
         c.options.bias->length = 23;
       },
       "data", "bias",
       "bias has shape 4×6, which is 24 elements, but its data has 23; give one that fits the "
       "other"},
  });

  Call call = right_call();
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{6}, {1}, {4, 1}, {8, 1, 6}, {2, 1, 1, 6}, {2, 8, 4, 6}}) {
    call.options.bias = shaped(DType::float32, shape);
    CHECK(!error_of(call));
  }
  for (Tensor* tensor : {&call.query, &call.key, &call.value}) tensor->dtype = DType::bfloat16;
  CHECK(!error_of(call));
  call.options.bias->dtype = DType::float16;
  CHECK(error_of(call).message ==
        "bias is float16 but query is bfloat16; give a bias of dtype bfloat16 or float32");
}

TEST_CASE("start must be said where positions are used and T ≠ S") {
  check_faults({
      {[](Call& c) { c.options.mask = {make_rule("causal")}; }, "option", "start",
       "start must be said when query and key differ in length (4 and 6) and mask rule causal uses "
       "positions: give 'top-left' (query 0 stands at key 0), 'bottom-right' (at key 2) or a "
       "number"},
      {[](Call& c) { c.options.alibi.kind = Alibi::paper; }, "option", "start",
       "start must be said when query and key differ in length (4 and 6) and alibi uses positions: "
       "give 'top-left' (query 0 stands at key 0), 'bottom-right' (at key 2) or a number"},
      {[](Call& c) { c.options.start = {Start::numbers, {1, 2, 3}}; }, "shape", "start",
       "start has 3 numbers but query has batch 2; give one, or one for each batch element"},
      {[](Call& c) { c.options.start = {Start::numbers, {0, (std::int64_t{1} << 53) + 1}}; },
       "option", "start", "start is 9007199254740993; give a whole number from −2⁵³ to 2⁵³"},
  });

  Call call = right_call();
  call.options.mask = {make_rule("causal")};
  const std::vector<std::pair<Start, std::vector<std::int64_t>>> rights = {
      {{Start::top_left, {}}, {0}},
      {{Start::bottom_right, {}}, {2}},
      {{Start::numbers, {-3}}, {-3}},
      {{Start::numbers, {-3, 7}}, {-3, 7}}};
  for (const auto& [start, positions] : rights) {
    call.options.start = start;
    CHECK(plan_of(call).mask.shape().start == positions);
  }
  call.options.start = {};
  call.options.mask = {make_rule("lengths", {{"keys", Numbers({3, 6})}})};
  CHECK(plan_of(call).mask.shape().start == std::vector<std::int64_t>{0});
  call = right_call();
  call.query = shaped(DType::float32, {2, 8, 6, 64});
  call.options.mask = {make_rule("causal")};
  CHECK(plan_of(call).mask.shape().start == std::vector<std::int64_t>{0});
}

TEST_CASE("the mask's errors are the call's") {
  Call call = right_call();
  call.options.mask = {make_rule("lengths", {{"keys", Numbers({1, 2, 3})}})};
  CHECK(error_of(call).argument == "mask.lengths.keys");
  Tensor allowed = shaped(DType::boolean, {4, 6});
  allowed.length = 23;
  call.options.mask = {make_rule("allowed", {{"mask", allowed}})};
  CHECK(error_of(call).message ==
        "mask.allowed.mask has shape 4×6, which is 24 elements, but its data has 23; give one that "
        "fits the other");
}

TEST_CASE("empty axes") {
  Call call;
  for (const std::vector<std::int64_t>& sizes :  // B, H, H_kv, T, S, d_k, d_v
       {std::vector<std::int64_t>{0, 2, 2, 3, 3, 4, 4},
        {1, 0, 0, 3, 3, 4, 4},
        {1, 0, 2, 3, 3, 4, 4},
        {1, 2, 2, 0, 3, 4, 4},
        {1, 2, 2, 3, 0, 4, 4},
        {1, 2, 2, 3, 3, 4, 0}}) {
    call.query = shaped(DType::float32, {sizes[0], sizes[1], sizes[3], sizes[5]});
    call.key = shaped(DType::float32, {sizes[0], sizes[2], sizes[4], sizes[5]});
    call.value = shaped(DType::float32, {sizes[0], sizes[2], sizes[4], sizes[6]});
    call.options.alibi.kind = Alibi::paper;
    call.options.start.corner = Start::top_left;
    plan_of(call);
  }
}

TEST_CASE("ALiBi's published slopes") {
  const auto slopes = [](std::int64_t heads) {
    Call call;
    call.query = call.key = call.value = shaped(DType::float32, {heads, 1, 1});
    call.options.alibi.kind = Alibi::paper;
    return plan_of(call).slopes;
  };
  CHECK(slopes(1) == std::vector<double>{0x1p-8});
  CHECK(slopes(8) ==
        std::vector<double>{0x1p-1, 0x1p-2, 0x1p-3, 0x1p-4, 0x1p-5, 0x1p-6, 0x1p-7, 0x1p-8});
  // The paper's own code for 12 heads: 8 slopes of n = 8, then those of n = 16 that lie between.
  const auto twelve = slopes(12);
  REQUIRE(twelve.size() == 12);
  CHECK(twelve[7] == 0x1p-8);
  CHECK(twelve[8] == doctest::Approx(0.70710678118654752).epsilon(1e-15));
  CHECK(twelve[9] == doctest::Approx(0.35355339059327376).epsilon(1e-15));
  CHECK(twelve[11] == doctest::Approx(0.088388347648318447).epsilon(1e-15));
}

TEST_CASE("weightsFor keeps the caller's order") {
  Call call = right_call();
  call.options.weights_for.heads = {5, 0, 5};
  CHECK(plan_of(call).weight_heads.empty());
  call.options.returns.weights = true;
  const Plan plan = plan_of(call);
  CHECK(plan.weight_heads == std::vector<Index>{5, 0, 5});
  CHECK(plan.weight_queries == std::vector<Index>{0, 1, 2, 3});
}

}  // namespace
}  // namespace attention
