#pragma once

// The state of the module between JavaScript's steps of one call, and the masks it keeps.
//
//   message(words)   room for the call's message, which the caller writes
//   prepare()        reads it; where options hold tensors, the caller copies those in and then
//   check()          makes every check, then room for inputs and results
//   attend()         after the caller has copied the inputs in, or while it does; or explain()
//   release()        after it has copied the results out
//
// A step that fails says so and leaves its reason in error(); the next call starts afresh.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/attention.h"
#include "core/cache.h"
#include "core/parallel.h"
#include "wasm/arena.h"
#include "wasm/read.h"

namespace attention {

enum class Status { failed, ready, wants_options };

/// Where the caller finds the results, by address (0: not wanted), and what is said about them.
/// src/js/session.ts lists the same names in this order.
struct Reply {
  double output = 0, lse = 0, weights = 0;
  double needed = 0;  ///< first and last + 1 of each batch element's keys to copy in (0: all)
  double heads_at_once = 0;  ///< heads of keys to bring at a time, during the work; 0: all, first
  double weight_heads = 0, weight_queries = 0;
  double empty_rows = 0, allowed_cells = 0, total_cells = 0;
  double tiles_skipped = 0, tiles_total = 0;
  double threads = 0;
  double path = 0;     ///< address of its name
  double memory = 0;   ///< bytes there are now: more than before, and views of it are out of date
  double held = 0;     ///< not 0: the call holds what release() should give back now
  double stopped = 0;  ///< not 0: the call was stopped, its results are incomplete
};

double address(const void* pointer);

class Session {
 public:
  /// What a session needs from the machine it runs on.
  struct Machine {
    std::function<Predicate(std::size_t index)> function;  ///< the caller's functions
    std::function<double()> memory;                        ///< bytes there are now
    std::function<double()> never_used;                    ///< bytes that memory can still grow by
    std::function<double()> available;  ///< those, and what was used and is free again; slower
  };

  Session(Machine machine, std::unique_ptr<ThreadPool> pool)
      : machine_(std::move(machine)), pool_(std::move(pool)) {}

  ThreadPool& pool() { return *pool_; }
  std::unique_ptr<ThreadPool> take_pool() { return std::move(pool_); }

  /// Room for a message of at least this many words; what was written is kept.
  std::span<double> message(std::size_t words);

  /// Reads query, key, value and options from the message's first words.
  Status prepare(Purpose purpose, std::size_t words);
  Status check();
  /// The rows [first_row, end_row) of [B·H·T]; all of them if end_row is 0.
  void attend(const Watch& watch, double first_row = 0, double end_row = 0);
  /// Kept until release().
  const Explanation& explain();
  void release();

  /// Compiles the mask and start of the options in the message for a call of these sizes, and keeps
  /// it. Like prepare() and check(), in two steps where rules hold tensors.
  Status prepare_mask(const std::array<double, 4>& sizes, std::size_t words);
  Status compile_mask();
  /// Of the last compile_mask().
  int mask_id() const { return last_mask_; }
  const Mask& mask(int id) const { return masks_.at(id); }
  void free_mask(int id) { masks_.erase(id); }

  /// Makes a cache and keeps it; 0 where that fails.
  int create_cache(const Cache::Config& config);
  const Cache& cache(int id) const { return *caches_.at(id); }
  void free_cache(int id) { caches_.erase(id); }
  Status truncate(int id, double length);
  /// Reads key and value from the message and makes room for them; append() puts them into the
  /// cache when they have been copied in.
  Status prepare_append(std::size_t words);
  Status append(int id);
  /// Like prepare(), with query and options alone: key and value are those of a cache.
  Status prepare_cached(int id, std::size_t words);

  const Call& call() const { return call_; }
  const Plan& plan() const { return plan_; }
  const Error& error() const { return error_; }
  const Reply& reply() const { return reply_; }

 private:
  Status fail(Error error);
  /// Brings the part of the reply that is not about results up to date.
  Status done(Status status);
  bool is_known(std::span<const double> message) const;
  void remember();
  Status read_the_options(std::span<double> message, Status (Session::*next)());
  Error check_with_memory();
  bool place_input(Tensor& tensor, std::size_t input);
  void tell_address(const Tensor& tensor, std::size_t input);
  bool place_result(Tensor& tensor, DType dtype, const Shape& shape);
  bool place_all();
  double needed();
  double heads_at_once() const;

  Machine machine_;
  std::unique_ptr<ThreadPool> pool_;
  std::vector<double> message_;
  /// The message of the last call, if all that followed from it is still there: in call_, plan_,
  /// result_, reply_ and the arena. A small call that is made again and again is then read and
  /// checked once. Empty: nothing is known.
  std::vector<double> known_;
  std::size_t asked_ = 0;  ///< words of the message, if it says all that the checks look at
  std::vector<double> needed_;
  Arena arena_;
  bool has_options_ = false;
  Purpose purpose_ = Purpose::attend;
  Call call_;
  Plan plan_;
  Result result_;
  std::optional<Explanation> explanation_;
  Error error_;
  Reply reply_;
  const Cache* cached_ = nullptr;  ///< where key and value of the call already are
  std::map<int, Mask> masks_;
  int last_mask_ = 0;
  std::map<int, std::unique_ptr<Cache>> caches_;
  int last_cache_ = 0;
};

}  // namespace attention
