// The fast path: attention tile by tile, with an online softmax.
//
//   for each block of queries                        in parallel
//     for each chunk of keys                         in parallel too, where blocks are few
//       for each tile of keys that some row may read
//         for each panel of the block
//           scores = scale·K·Qᵀ, softcap, bias, ALiBi, mask      tile.h, decode.h, scores.h
//           weights = e^(scores − row_max), row_sum              softmax.h
//           output = output·rescale + weights·V                  tile.h, decode.h
//       merge the chunk into what the chunks before gave
//     divide by row_sum and write
//
// Query heads that share a head of keys stand in the same blocks, so that few queries (decoding)
// read each key once for all of them. The arithmetic of a row is its own, lane by lane, and its
// order is fixed by the places of its keys: neither threads nor other rows can change a bit of it.
//
// Source: Dao et al. 2022, "FlashAttention"; the chunks are those of Flash-Decoding (Dao et al.
// 2023).

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "core/attention.h"
#include "core/block.h"
#include "core/order.h"
#include "core/parallel.h"

namespace attention {
namespace {

template <class Stored>
class Flash {
  using T = Compute<Stored>;
  static constexpr T infinity = std::numeric_limits<T>::infinity();

 public:
  Flash(const Call& call, const Plan& plan, const Result& result, ThreadPool& pool,
        const Watch& watch)
      : call_(call),
        plan_(plan),
        sizes_(plan.sizes),
        pool_(pool),
        watch_(watch),
        scores_(call, plan),
        output_(view<Stored>(result.output)),
        lse_(view<T>(result.lse)),
        weights_(view<Stored>(result.weights)),
        kept_(kept_share(call.options.dropout)),
        heads_(sizes_.batch * sizes_.kv_heads),
        arrived_(watch.more_heads ? 0 : heads_),
        blocks_done_(watch.rows_done ? static_cast<std::size_t>(heads_) : 0),
        order_(plan.sizes, block_rows<T>, sizeof(T), result.first_row, result.end_row),
        chunks_(std::max<Index>(divide_up(sizes_.keys, chunk_tiles * watch.tile_keys), 1)),
        output_size_(divide_up(order_.block_rows(), panel_rows<T>) * panel_rows<T> *
                     sizes_.value_dim),
        workers_(static_cast<std::size_t>(pool.workers())) {}

  Info run() {
    Info info;
    info.path = sizes_.queries <= 16 ? "decode" : "tiled";
    info.threads = pool_.workers();
    info.allowed_cells = plan_.mask.allowed_cells();
    info.total_cells = count({sizes_.batch, sizes_.heads, sizes_.queries, sizes_.keys});
    if (order_.blocks() == 0) return info;
    if (weights_.data)
      ends_.resize(static_cast<std::size_t>(sizes_.batch * sizes_.heads * sizes_.queries));
    const int blocks = static_cast<int>(order_.blocks());
    const bool split = splits_blocks(blocks, chunks_, pool_.workers()) && !watch_.tile;
    const int chunks = static_cast<int>(chunks_);
    tasks_ = (split ? blocks * chunks + blocks : blocks) + weight_tasks();
    if (split) {
      attend_split(blocks, chunks);
    } else {
      run_tasks(blocks, [&](int task, Worker& worker) {
        if (start(worker, task)) {
          worker.block.attend(0, worker.total);
          for (int chunk = 1; chunk < chunks; ++chunk) {
            worker.block.attend(chunk, worker.part);
            worker.block.merge(worker.total, worker.part);
          }
          finish(worker, worker.total);
        }
        if (watch_.rows_done) ++blocks_done_[head_of(order_[task])];
      });
    }
    for (const auto& worker : workers_) {
      if (!worker) continue;
      info.empty_rows += worker->empty_rows;
      info.tiles_skipped += worker->block.tiles_skipped();
      info.tiles_total += worker->block.tiles_total();
    }
    if (weights_.data) write_weights();
    info.stopped = stopped_;
    return info;
  }

 private:
  struct RowEnd {
    T max, sum;
  };

  struct Worker {
    Worker(const Flash& flash)
        : block(flash.call_, flash.plan_, flash.scores_, flash.watch_, flash.order_.block_rows()),
          outputs(2 * flash.output_size_) {
      total.output = outputs.data();
      part.output = outputs.data() + flash.output_size_;
    }

    Block<Stored> block;
    Buffer<T> outputs;
    Partial<T> total, part;
    Index batch = -1, first = -1, count = -1;  ///< of the rows that `block` holds
    std::int64_t empty_rows = 0;
  };

  /// f(task, worker) for all tasks, until the call is stopped.
  template <class F>
  void run_tasks(int count, F&& f) {
    const auto run = [&](int task, int number) {
      if (stopped_) return;
      auto& worker = workers_[static_cast<std::size_t>(number)];
      if (!worker) worker = std::make_unique<Worker>(*this);
      f(task, *worker);
      const int done = ++done_;
      const bool on_callers_thread = number == 0;
      if (on_callers_thread && watch_.progress && !watch_.progress(double(done) / tasks_)) {
        stopped_ = true;
      }
      if (on_callers_thread && watch_.rows_done) tell_rows();
    };
    const auto first = [this] { bring_inputs(); };
    if (watch_.tile) {
      first();
      for (int task = 0; task < count; ++task) run(task, 0);
    } else {
      pool_.parallel_for(count, run, first);
    }
  }

  /// With other threads all inputs at once, so that none has to wait longer than it must; alone
  /// each when its turn comes, which finds it in the caches.
  void bring_inputs() {
    while (pool_.workers() > 1 && arrived_ < heads_) bring_heads();
  }

  void bring_heads() {
    const Index heads = watch_.more_heads();
    const std::lock_guard lock(arrival_);
    arrived_ = heads;
    arrival_told_.notify_all();
  }

  void wait_for_inputs(Index head) {
    if (arrived_ > head) return;
    while (pool_.workers() == 1 && arrived_ <= head) bring_heads();
    std::unique_lock lock(arrival_);
    arrival_told_.wait(lock, [&] { return arrived_ > head; });
  }

  void tell_rows() {
    if (arrived_ < heads_) return;
    const std::size_t before = heads_done_;
    const Index blocks = order_.blocks() / heads_;
    while (heads_done_ < blocks_done_.size() && blocks_done_[heads_done_] == blocks) ++heads_done_;
    if (heads_done_ == before) return;
    watch_.rows_done(static_cast<Index>(heads_done_) * (sizes_.heads / sizes_.kv_heads) *
                     sizes_.queries);
  }

  /// Of all heads of keys, in all batch elements.
  std::size_t head_of(const BlockPlace& place) const {
    return static_cast<std::size_t>(place.batch * sizes_.kv_heads + place.kv_head);
  }

  /// False if none of the block's rows is wanted.
  bool start(Worker& worker, Index task) {
    const BlockPlace place = order_[task];
    const auto [b, kv_head, first, count] = place;
    if (count <= 0) return false;
    wait_for_inputs(static_cast<Index>(head_of(place)));
    const Index first_head = kv_head * (sizes_.heads / sizes_.kv_heads);
    const bool same_keys = b == worker.batch && first == worker.first && count == worker.count &&
                           !plan_.mask.varies_by_head();
    worker.batch = b;
    worker.first = first;
    worker.count = count;
    worker.block.start(b, kv_head, count, same_keys, [&, first = first, b = b](Index n) {
      const Index head = first_head + (first + n) / sizes_.queries;
      const Index i = (first + n) % sizes_.queries;
      return Row{b, head, i, plan_.mask.shape().position(b, i)};
    });
    return true;
  }

  /// A chunk of a block is a task. The merging is done in the same order as without.
  void attend_split(int blocks, int chunks) {
    std::vector<Partial<T>> parts(static_cast<std::size_t>(blocks * chunks));
    Buffer<T> outputs(blocks * chunks * output_size_);
    for (std::size_t n = 0; n < parts.size(); ++n) {
      parts[n].output = outputs.data() + static_cast<Index>(n) * output_size_;
    }
    run_tasks(blocks * chunks, [&](int task, Worker& worker) {
      if (!start(worker, task / chunks)) return;
      worker.block.attend(task % chunks, parts[static_cast<std::size_t>(task)]);
    });
    run_tasks(blocks, [&](int task, Worker& worker) {
      if (!start(worker, task)) return;
      Partial<T>* part = parts.data() + task * chunks;
      for (int chunk = 1; chunk < chunks; ++chunk) worker.block.merge(part[0], part[chunk]);
      finish(worker, part[0]);
    });
  }

  /// Divides by the sums and writes the block's rows.
  void finish(Worker& worker, const Partial<T>& total) {
    for (Index p = 0; p < worker.block.panels(); ++p) {
      const PanelRows<T>& rows = worker.block.rows(p);
      const OnlineSoftmax<T>& softmax = total.softmax[static_cast<std::size_t>(p)];
      T factor[panel_rows<T>] = {};
      for (Index row = 0; row < rows.count(); ++row) {
        const std::size_t at = static_cast<std::size_t>(row);
        factor[row] = finish_row(worker, rows, row, softmax.row_max[at], softmax.row_sum[at]);
      }
      if (!output_.data) continue;
      rows.with_vectors([&](auto vectors) {
        scatter_rows<vectors()>(worker.block.output(total, p), factor, rows.count(),
                                sizes_.value_dim, pointers(rows, output_, 0), output_.strides[3]);
      });
    }
  }

  /// Takes the sink in, writes lse and returns what weights·V must be multiplied by.
  T finish_row(Worker& worker, const PanelRows<T>& rows, Index row, T max, T sum) {
    const auto& [b, h, i, position] = rows[row];
    T factor = 1;
    if (max == -infinity && sum == 0) {  // nothing came: no key allowed, or all scores −∞
      const bool empty = !scores_.allows_any(rows, row);
      worker.empty_rows += empty;
      factor = 0;
      if (!empty && !has_sink(h)) sum = max = factor = std::numeric_limits<T>::quiet_NaN();
    }
    if (has_sink(h)) {
      const T sink = static_cast<T>(call_.options.sink(h));
      const T new_max = std::max(max, sink);
      if (factor != 0) factor = std::exp(max - new_max);
      sum = sum * factor + std::exp(sink - new_max);
      max = new_max;
    }
    if (!ends_.empty()) ends_[row_number(rows[row])] = {max, sum};
    if (lse_.data) lse_(0, b, h, i) = max + std::log(sum);
    return factor == 0 ? T(0) : factor / (sum * kept_);
  }

  /// The share of the weights that dropout keeps, to divide by; 1 where it keeps none.
  static T kept_share(const std::optional<Dropout>& dropout) {
    return dropout && dropout->p < 1 ? static_cast<T>(1 - dropout->p) : T(1);
  }

  bool has_sink(Index h) const {
    return call_.options.sink(h) > -std::numeric_limits<double>::infinity();
  }

  std::size_t row_number(const Row& row) const {
    return static_cast<std::size_t>((row.batch * sizes_.heads + row.head) * sizes_.queries +
                                    row.query);
  }

  int weight_tasks() const {
    if (!weights_.data) return 0;
    const Index queries = static_cast<Index>(plan_.weight_queries.size());
    return static_cast<int>(sizes_.batch) * static_cast<int>(plan_.weight_heads.size()) *
           static_cast<int>(divide_up(queries, order_.block_rows()));
  }

  /// The weights asked for, computed anew: now it is known what to divide by.
  void write_weights() {
    const Index heads = static_cast<Index>(plan_.weight_heads.size());
    const Index queries = static_cast<Index>(plan_.weight_queries.size());
    const Index blocks = divide_up(queries, order_.block_rows());
    run_tasks(weight_tasks(), [&](int task, Worker& worker) {
      const Index first = task % blocks * order_.block_rows();
      const Index place = task / blocks % heads, b = task / blocks / heads;
      const Index h = plan_.weight_heads[static_cast<std::size_t>(place)];
      Block<Stored>& block = worker.block;
      const Index count = std::min(order_.block_rows(), queries - first);
      block.start(b, sizes_.kv_head(h), count, false, [&](Index n) {
        const Index i = plan_.weight_queries[static_cast<std::size_t>(first + n)];
        return Row{b, h, i, plan_.mask.shape().position(b, i)};
      });
      std::array<OnlineSoftmax<T>, static_cast<std::size_t>(block_panels)> ends;
      for (Index p = 0; p < block.panels(); ++p) {
        for (std::size_t row = 0; row < static_cast<std::size_t>(panel_rows<T>); ++row) {
          const auto& [max, sum] = ends_[row_number(block.rows(p)[static_cast<Index>(row)])];
          ends[static_cast<std::size_t>(p)].row_max[row] = max;
          ends[static_cast<std::size_t>(p)].row_sum[row] = sum;
        }
        for (Index row = 0; row < block.rows(p).count(); ++row) {
          Stored* to = weights_.row(b, place, first + p * panel_rows<T> + row);
          for (Index j = 0; j < sizes_.keys; ++j) to[j * weights_.strides[3]] = narrow<Stored>(0);
        }
      }
      block.final_weights(ends.data(), [&](Index p, const Span& span, Index width, const T* tile) {
        const PanelRows<T>& rows = block.rows(p);
        for (Index row = 0; row < rows.count(); ++row) {
          Stored* to = weights_.row(b, place, first + p * panel_rows<T> + row);
          rows.for_allowed(row, span, [&](Index begin, Index end) {
            for (Index j = begin; j < end; ++j) {
              if (!scores_.allows(rows, row, j)) continue;
              to[j * weights_.strides[3]] =
                  narrow<Stored>(tile[(j - span.begin) * width + row] / kept_);
            }
          });
        }
      });
    });
  }

  const Call& call_;
  const Plan& plan_;
  const Sizes& sizes_;
  ThreadPool& pool_;
  const Watch& watch_;
  int tasks_ = 0;
  std::atomic<int> done_ = 0;
  std::atomic<bool> stopped_ = false;
  Scores<Stored> scores_;
  View<Stored> output_;
  View<T> lse_;
  View<Stored> weights_;
  T kept_;
  Index heads_;                 ///< of keys, in all batch elements
  std::atomic<Index> arrived_;  ///< of those; it grows under the mutex
  std::mutex arrival_;
  std::condition_variable arrival_told_;
  std::vector<std::atomic<Index>> blocks_done_;  ///< of each head of keys, if it is to be told
  std::size_t heads_done_ = 0;                   ///< from the first, with all their blocks
  BlockOrder order_;
  Index chunks_, output_size_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<RowEnd> ends_;  ///< [B, H, T], if weights are wanted
};

}  // namespace

Info attend(const Call& call, const Plan& plan, const Result& result, ThreadPool& pool,
            const Watch& watch) {
  return dispatch(call.query.dtype, [&](auto zero) {
    return Flash<decltype(zero)>(call, plan, result, pool, watch).run();
  });
}

}  // namespace attention
