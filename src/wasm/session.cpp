#include "wasm/session.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/memory.h"

namespace attention {

double address(const void* pointer) {
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(pointer));
}

namespace {

/// Bytes that a call may need to be remembered: all of it then fits into the arena's first block.
/// In a larger one the checks are nothing beside the work.
constexpr std::int64_t most_known = Arena::kept / 2;

std::int64_t bytes_of(std::int64_t elements, DType dtype) {
  return saturating_product(elements, static_cast<std::int64_t>(info(dtype).bytes));
}

/// Whether a piece this large is free: the steps of explain() are allocated by the core, which has
/// no way to say that they did not fit.
bool is_free(std::int64_t bytes) {
  constexpr std::int64_t small = std::int64_t{1} << 20;
  if (bytes <= small) return true;
  void* block = std::malloc(static_cast<std::size_t>(bytes));
  std::free(block);
  return block;
}

}  // namespace

std::span<double> Session::message(std::size_t words) {
  if (words > message_.size()) message_.resize(std::max(words, 2 * message_.size()));
  return message_;
}

Status Session::prepare(Purpose purpose, std::size_t words) {
  std::span<double> message = std::span(message_).first(words);
  if (purpose == Purpose::attend && is_known(message)) {
    tell_address(call_.query, 0);
    tell_address(call_.key, 1);
    tell_address(call_.value, 2);
    result_.first_row = Result().first_row;
    result_.end_row = Result().end_row;
    return done(Status::ready);
  }
  release();
  purpose_ = purpose;
  cached_ = nullptr;
  if (purpose == Purpose::attend) asked_ = words;
  Error error = read_tensor(parse(message), "query", call_.query);
  if (!error) error = read_tensor(parse(message), "key", call_.key);
  if (!error) error = read_tensor(parse(message), "value", call_.value);
  if (error) return fail(std::move(error));
  return read_the_options(message, &Session::check);
}

/// The last step of check(): a call that breaks off before it is not known.
void Session::remember() {
  known_.assign(message_.begin(), message_.begin() + static_cast<std::ptrdiff_t>(asked_));
  for (std::size_t input = 0; input < 3; ++input) {  // as they come
    known_[input * tensor_words + tensor_address] = 0;
  }
}

/// Bit by bit the call that was checked last; and there is still as much memory as it needs.
bool Session::is_known(std::span<const double> message) const {
  return !known_.empty() && message.size() == known_.size() &&
         std::memcmp(message.data(), known_.data(), message.size_bytes()) == 0 &&
         static_cast<double>(plan_.bytes) <= machine_.never_used();
}

/// Reads the options and goes on to the next step, unless their tensors have to be filled first.
Status Session::read_the_options(std::span<double> message, Status (Session::*next)()) {
  const Value options = parse(message);
  has_options_ = options.tag != Tag::nothing;
  if (!has_options_) return (this->*next)();
  const DType nested = call_.query.dtype == DType::float64 ? DType::float64 : DType::float32;
  bool holds_tensors = false;
  const Host host = {[&](std::int64_t bytes) {
                       holds_tensors = true;
                       asked_ = 0;
                       return arena_.allocate(bytes);
                     },
                     [&](std::size_t index) {
                       asked_ = 0;
                       return machine_.function(index);
                     }};
  Error error = read_options(options, nested, host, call_.options);
  if (error) return fail(std::move(error));
  return holds_tensors ? done(Status::wants_options) : (this->*next)();
}

Status Session::check() {
  if (cached_) {
    call_ = cached_->call(call_.query, call_.options);
    has_options_ = true;  // the cache has set one of them
  }
  if (Error error = check_with_memory()) return fail(std::move(error));
  if (place_all()) {
    if (asked_ != 0 && plan_.bytes <= most_known) remember();
    return done(Status::ready);
  }
  return fail({"memory", "query",
               "the call needs " + std::to_string(plan_.bytes) + " bytes of memory; there are " +
                   to_text(machine_.available()) +
                   ", but not in one piece: pass fewer batch elements or heads at a time"});
}

/// What is free again after use is counted only when what was never used does not suffice. What a
/// cache holds is among what a call needs, but it is already there.
Error Session::check_with_memory() {
  const auto there = cached_ ? static_cast<double>(bytes_of(call_.key.size(), call_.key.dtype) +
                                                   bytes_of(call_.value.size(), call_.value.dtype))
                             : 0;
  const auto check_within = [&](double bytes) {
    const auto limit = static_cast<std::int64_t>(std::max(bytes + there, 1.0));  // 0: no limit
    return attention::check(call_, purpose_, limit, plan_, pool_->workers());
  };
  Error error = check_within(machine_.never_used());
  if (error.code == "memory") error = check_within(machine_.available());
  return error;
}

bool Session::place_input(Tensor& tensor, std::size_t input) {
  tensor.data = arena_.allocate(bytes_of(reach(tensor), tensor.dtype));
  tell_address(tensor, input);
  return tensor.data;
}

void Session::tell_address(const Tensor& tensor, std::size_t input) {
  message_[input * tensor_words + tensor_address] = address(tensor.data);
}

bool Session::place_result(Tensor& tensor, DType dtype, const Shape& shape) {
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.strides = row_major(shape);
  tensor.data = arena_.allocate(bytes_of(tensor.size(), dtype));
  return tensor.data;
}

/// Room for the inputs and, unless they come from explain(), for the results.
bool Session::place_all() {
  const Sizes& sizes = plan_.sizes;
  reply_ = {};
  bool placed = place_input(call_.query, 0);
  if (!cached_) placed = placed && place_input(call_.key, 1) && place_input(call_.value, 2);
  if (purpose_ == Purpose::explain) return placed && is_free(plan_.bytes);
  result_ = {};

  const DType dtype = call_.query.dtype;
  const Returns& wanted = call_.options.returns;
  const auto heads = static_cast<std::int64_t>(plan_.weight_heads.size());
  const auto queries = static_cast<std::int64_t>(plan_.weight_queries.size());
  placed = placed && place_result(result_.output, dtype,
                                  {sizes.batch, sizes.heads, sizes.queries, sizes.value_dim});
  if (wanted.lse) {
    placed = placed && place_result(result_.lse, dtype == DType::float64 ? dtype : DType::float32,
                                    {1, sizes.batch, sizes.heads, sizes.queries});
  }
  if (wanted.weights) {
    placed =
        placed && place_result(result_.weights, dtype, {sizes.batch, heads, queries, sizes.keys});
  }
  reply_ = {.output = address(result_.output.data),
            .lse = address(result_.lse.data),
            .weights = address(result_.weights.data),
            .needed = needed(),
            .heads_at_once = heads_at_once(),
            .weight_heads = static_cast<double>(heads),
            .weight_queries = static_cast<double>(queries)};
  return placed;
}

/// Keys that the mask keeps from every query, as those behind padding, are not copied in where that
/// saves more than copying each head by itself costs. Tiles are copied whole, since the kernels
/// look at all of one: what is left out is in none that they touch.
double Session::needed() {
  const Sizes& sizes = plan_.sizes;
  const bool row_major = !call_.key.strided && !call_.value.strided;
  if (cached_ || !row_major || plan_.mask.allows_everything()) return 0;
  needed_.clear();
  std::int64_t left_out = 0;
  for (Index b = 0; b < sizes.batch; ++b) {
    const auto [begin, end] = plan_.mask.reach(b);
    const Index first = begin / default_tile_keys * default_tile_keys;
    const Index last =
        std::min(sizes.keys, (end + default_tile_keys - 1) / default_tile_keys * default_tile_keys);
    left_out += sizes.keys - std::max<Index>(last - first, 0);
    needed_.push_back(static_cast<double>(first));
    needed_.push_back(static_cast<double>(last));
  }
  constexpr std::int64_t worthwhile = 4096;  // bytes
  const std::int64_t saved =
      bytes_of(left_out * (sizes.head_dim + sizes.value_dim), call_.key.dtype);
  return saved > worthwhile * 2 * sizes.batch ? address(needed_.data()) : 0;
}

/// Heads are worked at while others are still to be copied in: by other threads, or before what
/// was copied has left the second cache. Not where it all stays there, or is done in no time.
double Session::heads_at_once() const {
  constexpr std::int64_t piece = std::int64_t{1} << 18;  // bytes
  const std::int64_t least = (pool_->workers() > 1 ? 2 : 8) * piece;
  const auto& [query, key, value, options] = call_;
  const std::int64_t heads = plan_.sizes.batch * plan_.sizes.kv_heads;
  if (cached_ || query.strided || key.strided || value.strided) return 0;
  const std::int64_t bytes = bytes_of(query.size() + key.size() + value.size(), query.dtype);
  if (heads < 2 || bytes < least) return 0;
  return static_cast<double>(std::max<std::int64_t>(heads * piece / bytes, 1));
}

void Session::attend(const Watch& watch, double first_row, double end_row) {
  if (end_row > 0) {
    result_.first_row = static_cast<Index>(first_row);
    result_.end_row = static_cast<Index>(end_row);
  }
  const Info info = attention::attend(call_, plan_, result_, *pool_, watch);
  reply_.stopped = info.stopped;
  reply_.empty_rows = static_cast<double>(info.empty_rows);
  reply_.allowed_cells = static_cast<double>(info.allowed_cells);
  reply_.total_cells = static_cast<double>(info.total_cells);
  reply_.tiles_skipped = static_cast<double>(info.tiles_skipped);
  reply_.tiles_total = static_cast<double>(info.tiles_total);
  reply_.threads = info.threads;
  reply_.path = address(info.path);
  done(Status::ready);
}

const Explanation& Session::explain() {
  explanation_.emplace(attention::explain(call_, plan_));
  done(Status::ready);
  return *explanation_;
}

void Session::release() {
  known_.clear();
  asked_ = 0;
  arena_.release();
  explanation_.reset();
  if (!has_options_) return;  // all else is small, and the next call writes over it
  has_options_ = false;
  call_.options = {};
  plan_ = {};
}

Status Session::done(Status status) {
  reply_.memory = machine_.memory();
  // Nothing but the first block of the arena, which is kept anyway, is held by a call without
  // options; by one that is known, little else.
  reply_.held = arena_.overflows() || (has_options_ && known_.empty()) || explanation_;
  return status;
}

Status Session::fail(Error error) {
  error_ = std::move(error);
  release();
  return Status::failed;
}

// ---- Caches -------------------------------------------------------------------------------------

int Session::create_cache(const Cache::Config& config) {
  release();
  const auto limit = static_cast<std::int64_t>(std::max(machine_.available(), 1.0));
  std::unique_ptr<Cache> cache = Cache::create(config, limit, error_);
  if (!cache) return 0;
  caches_.emplace(++last_cache_, std::move(cache));
  return last_cache_;
}

Status Session::truncate(int id, double length) {
  std::int64_t whole = 0;
  Error error = read_whole(length, "length", whole);
  if (!error) error = caches_.at(id)->truncate(whole);
  return error ? fail(std::move(error)) : Status::ready;
}

Status Session::prepare_append(std::size_t words) {
  release();
  std::span<double> message = std::span(message_).first(words);
  Error error = read_tensor(parse(message), "key", call_.key);
  if (!error) error = read_tensor(parse(message), "value", call_.value);
  if (!error) error = check_layout(call_.key, "key");
  if (!error) error = check_layout(call_.value, "value");
  if (!error && !(place_input(call_.key, 0) && place_input(call_.value, 1))) {
    error = {"memory", "key", "key and value need more memory than is left; append them in parts"};
  }
  return error ? fail(std::move(error)) : done(Status::ready);
}

Status Session::append(int id) {
  if (Error error = caches_.at(id)->append(call_.key, call_.value)) return fail(std::move(error));
  release();
  return Status::ready;
}

Status Session::prepare_cached(int id, std::size_t words) {
  release();
  purpose_ = Purpose::attend;
  cached_ = caches_.at(id).get();
  std::span<double> message = std::span(message_).first(words);
  Error error = read_tensor(parse(message), "query", call_.query);
  if (error) return fail(std::move(error));
  return read_the_options(message, &Session::check);
}

// ---- Masks --------------------------------------------------------------------------------------

/// A mask is checked as that of a call with these sizes, whose heads are one number wide.
Status Session::prepare_mask(const std::array<double, 4>& sizes, std::size_t words) {
  release();
  call_ = {};
  cached_ = nullptr;
  constexpr const char* names[] = {"batch", "heads", "queries", "keys"};
  std::array<std::int64_t, 4> size = {};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    Error error = read_whole(sizes[axis], names[axis], size[axis]);
    if (!error && size[axis] < 0) {
      error = {"shape", names[axis],
               std::string(names[axis]) + " is " + to_text(sizes[axis]) + "; give 0 or more"};
    }
    if (error) return fail(std::move(error));
  }
  const auto [batch, heads, queries, keys] = size;
  call_.query.shape = {batch, heads, queries, 1};
  call_.key.shape = call_.value.shape = {batch, heads, keys, 1};
  return read_the_options(std::span(message_).first(words), &Session::compile_mask);
}

Status Session::compile_mask() {
  purpose_ = Purpose::mask;  // nothing of this call's tensors will ever be in memory
  if (Error error = check_with_memory()) return fail(std::move(error));
  masks_.emplace(++last_mask_, std::move(plan_.mask));
  release();
  return done(Status::ready);
}

}  // namespace attention
