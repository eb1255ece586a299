#pragma once

// A block of queries that read the same head of keys: the unit of work of the fast path.

#include "core/buffer.h"
#include "core/order.h"
#include "core/products.h"
#include "core/scores.h"

namespace attention {

/// Chunks of so many tiles are attended apart and then merged: small enough to spread one head's
/// keys over threads, large enough for the merging to cost nothing.
inline constexpr Index chunk_tiles = 16;
/// Enough queries for each reading of the keys to need little of the memory's bandwidth.
inline constexpr Index block_panels = 8;

template <class T>
inline constexpr Index block_rows = block_panels * panel_rows<T>;

/// What a block's rows have after some of their keys: weights · V, not yet divided by the sums.
template <class T>
struct Partial {
  std::array<OnlineSoftmax<T>, static_cast<std::size_t>(block_panels)> softmax;
  T* output = nullptr;  ///< [panel][d_v][rows]
};

template <class Stored>
class Block {
  using T = Compute<Stored>;

 public:
  /// `most_rows` is the largest number of rows that it will hold.
  Block(const Call& call, const Plan& plan, const Scores<Stored>& scores, const Watch& watch,
        Index most_rows)
      : watch_(watch),
        tile_keys_(std::min(watch.tile_keys, plan.sizes.keys)),
        plan_(plan),
        options_(call.options),
        scores_(scores),
        products_(plan.sizes.head_dim, plan.sizes.value_dim, static_cast<T>(plan.scale), most_rows),
        key_(view<const Stored>(call.key)),
        value_(view<const Stored>(call.value)),
        query_size_(plan.sizes.head_dim * panel_rows<T>),
        output_size_(plan.sizes.value_dim * panel_rows<T>),
        query_(divide_up(most_rows, panel_rows<T>) * query_size_),
        weights_(tile_keys_ * panel_rows<T>),
        scratch_(scores.scratch(tile_keys_)),
        key_copy_(tile_keys_ * plan.sizes.head_dim),
        value_copy_(tile_keys_ * plan.sizes.value_dim) {}

  /// Takes on `count` rows, all of which read keys and values of head kv_head: row_at(number).
  /// `same_keys`: the mask allows them what it allowed the rows before.
  template <class F>
  void start(Index b, Index kv_head, Index count, bool same_keys, F&& row_at) {
    batch_ = b;
    kv_head_ = kv_head;
    panels_ = divide_up(count, panel_rows<T>);
    for (Index p = 0; p < panels_; ++p) {
      PanelRows<T>& rows = rows_[static_cast<std::size_t>(p)];
      rows.clear();
      const Index end = std::min(count, (p + 1) * panel_rows<T>);
      for (Index n = p * panel_rows<T>; n < end; ++n) rows.add(row_at(n));
      rows.close();
      if (!same_keys) rows.find_keys(plan_.mask);
      rows.with_vectors([&](auto vectors) {
        scores_.template gather_query<vectors()>(rows, query_.data() + p * query_size_);
      });
    }
  }

  Index panels() const { return panels_; }
  const PanelRows<T>& rows(Index panel) const { return rows_[static_cast<std::size_t>(panel)]; }
  /// Where a panel's output stands in a partial result.
  T* output(const Partial<T>& partial, Index panel) const {
    return partial.output + panel * output_size_;
  }

  /// Attention over the keys of one chunk, into `partial`.
  void attend(Index chunk, Partial<T>& partial) {
    for (OnlineSoftmax<T>& softmax : partial.softmax) softmax.reset();
    std::fill(output(partial, 0), output(partial, panels_), T(0));
    const Index chunk_keys = chunk_tiles * watch_.tile_keys;
    const Index end = std::min(plan_.sizes.keys, (chunk + 1) * chunk_keys);
    for_tiles(chunk * chunk_keys, end, [&](auto vectors, Index p, const Span& span, Tile& tile) {
      attend_tile<vectors()>(p, span, tile, partial);
    });
    for (Index p = 0; p < panels_; ++p) products_.finish(output(partial, p));
  }

  /// f(panel, span, width, weights): weights [keys of the span][width] of every tile, once it is
  /// known how the rows end: `ends` has one state for each panel. What cells hold that are not
  /// allowed means nothing.
  template <class F>
  void final_weights(const OnlineSoftmax<T>* ends, F&& f) {
    for_tiles(0, plan_.sizes.keys, [&](auto vectors, Index p, const Span& span, Tile& tile) {
      T tile_max[panel_rows<T>];
      compute_scores<vectors()>(p, span, tile, tile_max);
      ends[p].template weights<vectors()>(weights_.data(), span.end - span.begin);
      if (options_.dropout) drop<vectors()>(rows(p), span);
      f(p, span, Index{vectors()} * lanes<T>, weights_.data());
    });
  }

  /// Adds what `part` has of other, later keys to `total`.
  void merge(Partial<T>& total, const Partial<T>& part) const {
    for (Index p = 0; p < panels_; ++p) {
      rows(p).with_vectors([&](auto vectors) {
        constexpr Index width = vectors() * lanes<T>;
        T ours[width], theirs[width];
        total.softmax[static_cast<std::size_t>(p)].template merge<vectors()>(
            part.softmax[static_cast<std::size_t>(p)], ours, theirs);
        T* output = this->output(total, p);
        const T* other = this->output(part, p);
        for (Index at = 0; at < plan_.sizes.value_dim * width; at += lanes<T>) {
          const Index lane = at % width;
          store(output + at,
                load(output + at) * load(ours + lane) + load(other + at) * load(theirs + lane));
        }
      });
    }
  }

  std::int64_t tiles_skipped() const { return tiles_skipped_; }
  std::int64_t tiles_total() const { return tiles_total_; }

 private:
  struct Tile {
    Index begin, count;
    TileRows<T> key, value;
    std::optional<bool> finite;  ///< whether all values are, once asked
  };

  /// f(vectors, panel, span, tile) for the parts of the tiles of [begin, end) that panels may read.
  template <class F>
  void for_tiles(Index begin, Index end, F&& f) {
    for (; begin < end; begin += tile_keys_) {
      const Index count = std::min(tile_keys_, end - begin);
      std::array<Span, static_cast<std::size_t>(block_panels)> spans;
      bool needed = false;
      for (Index p = 0; p < panels_; ++p) {
        const Span span = rows(p).span(begin, begin + count);
        spans[static_cast<std::size_t>(p)] = span;
        needed |= !span.empty();
        tiles_skipped_ += span.empty();
      }
      tiles_total_ += panels_;
      if (!needed) continue;
      Tile tile = {begin, count, tile_rows(key_, batch_, kv_head_, begin, count, key_copy_.data()),
                   tile_rows(value_, batch_, kv_head_, begin, count, value_copy_.data()),
                   std::nullopt};
      products_.read_tile(tile.key, tile.value, count);
      for (Index p = 0; p < panels_; ++p) {
        const Span& span = spans[static_cast<std::size_t>(p)];
        if (span.empty()) continue;
        rows(p).with_vectors([&](auto vectors) { f(vectors, p, span, tile); });
      }
    }
  }

  template <int Vectors>
  bool compute_scores(Index p, const Span& span, const Tile& tile, T* tile_max) {
    products_.template scores<Vectors>(query_.data() + p * query_size_,
                                       rows_of(tile.key, span, tile), span.end - span.begin,
                                       weights_.data(), tile_max);
    return scores_.template complete<Vectors>(rows(p), span, weights_.data(), tile_max,
                                              scratch_.data());
  }

  /// Of a tile's keys or values those of the span.
  static TileRows<T> rows_of(const TileRows<T>& rows, const Span& span, const Tile& tile) {
    return {rows.data + (span.begin - tile.begin) * rows.stride, rows.stride};
  }

  template <int Vectors>
  void attend_tile(Index p, const Span& span, Tile& tile, Partial<T>& partial) {
    T tile_max[panel_rows<T>], rescale[panel_rows<T>];
    const bool all_allowed = compute_scores<Vectors>(p, span, tile, tile_max);
    std::vector<T> scores;
    if (watch_.tile) {
      scores.assign(weights_.data(),
                    weights_.data() + (span.end - span.begin) * Vectors * lanes<T>);
    }
    partial.softmax[static_cast<std::size_t>(p)].template update<Vectors>(
        weights_.data(), span.end - span.begin, tile_max, rescale);
    if (options_.dropout) drop<Vectors>(rows(p), span);
    const TileRows<T> values = rows_of(tile.value, span, tile);
    T* output = this->output(partial, p);
    if (all_allowed || values_finite(tile)) {
      products_.template add_values<Vectors>(weights_.data(), values, span.end - span.begin,
                                             rescale, output);
    } else {
      add_guarded_values<Vectors>(p, span, values, rescale, output);
    }
    if (watch_.tile) {
      record<Vectors>(p, span, scores, tile_max, rescale,
                      partial.softmax[static_cast<std::size_t>(p)], output);
    }
  }

  template <int Vectors>
  void record(Index p, const Span& span, const std::vector<T>& scores, const T* tile_max,
              const T* rescale, const OnlineSoftmax<T>& softmax, const T* output) const {
    for (Index row = 0; row < rows(p).count(); ++row) {
      const auto numbers = [](Index count, auto&& at) {
        std::vector<double> numbers;
        for (Index n = 0; n < count; ++n) numbers.push_back(at(n));
        return numbers;
      };
      const auto column = [&](const T* panel) {
        return numbers(span.end - span.begin,
                       [&](Index j) { return panel[j * Vectors * lanes<T> + row]; });
      };
      const std::size_t at = static_cast<std::size_t>(row);
      watch_.tile({rows(p)[row], span.begin, span.end, column(scores.data()),
                   column(weights_.data()), tile_max[row], softmax.row_max[at], rescale[row],
                   softmax.row_sum[at], numbers(plan_.sizes.value_dim, [&](Index c) {
                     return output[products_.template place<Vectors>(c, row)];
                   })});
    }
  }

  /// Not inlined, as nothing that is rare: pages download it.
  template <int Vectors>
  [[gnu::noinline]] void drop(const PanelRows<T>& rows, const Span& span) {
    for (Index row = 0; row < rows.count(); ++row) {
      const auto& [b, h, i, position] = rows[row];
      for (Index quad = span.begin / 4; quad * 4 < span.end; ++quad) {
        const auto words = dropout_words(*options_.dropout, b, h, i, quad);
        for (Index j = std::max(quad * 4, span.begin); j < std::min(quad * 4 + 4, span.end); ++j) {
          if (!dropout_keeps(*options_.dropout, words[static_cast<std::size_t>(j % 4)])) {
            weights_.data()[(j - span.begin) * Vectors * lanes<T> + row] = 0;
          }
        }
      }
    }
  }

  [[gnu::noinline]] bool values_finite(Tile& tile) const {
    if (!tile.finite) {
      Lanes<T> sums(T(0));  // all of zeros, unless 0·∞ or 0·NaN is among them
      T sum = 0;
      for (Index j = 0; j < tile.count; ++j) {
        const T* value = tile.value.data + j * tile.value.stride;
        Index c = 0;
        for (; c + lanes<T> <= plan_.sizes.value_dim; c += lanes<T>) {
          sums += Lanes<T>(T(0)) * load(value + c);
        }
        for (; c < plan_.sizes.value_dim; ++c) sum += T(0) * value[c];
      }
      tile.finite = sum == 0 && !any<T>(sums != Lanes<T>(T(0)));
    }
    return *tile.finite;
  }

  /// Adds the values where some are NaN or infinite and some rows must not read them: 0·NaN
  /// would be NaN. They are taken as 0 and then added for the rows that do read them.
  template <int Vectors>
  [[gnu::noinline]] void add_guarded_values(Index p, const Span& span, const TileRows<T>& values,
                                            const T* rescale, T* output) const {
    const T* weights = weights_.data();
    const Index keys = span.end - span.begin, columns = plan_.sizes.value_dim;
    std::vector<T> finite(static_cast<std::size_t>(keys * columns));
    const auto for_values = [&](auto&& f) {
      for (Index j = 0; j < keys; ++j) {
        for (Index c = 0; c < columns; ++c) {
          const T number = values.data[j * values.stride + c];
          f(j, c, number, std::isfinite(number));
        }
      }
    };
    for_values([&](Index j, Index c, T number, bool is_finite) {
      finite[static_cast<std::size_t>(j * columns + c)] = is_finite ? number : T(0);
    });
    products_.template add_values<Vectors>(weights, {finite.data(), columns}, keys, rescale,
                                           output);
    for_values([&](Index j, Index c, T number, bool is_finite) {
      if (is_finite) return;
      for (Index row = 0; row < rows(p).count(); ++row) {
        if (scores_.allows(rows(p), row, span.begin + j)) {
          output[products_.template place<Vectors>(c, row)] +=
              weights[j * Vectors * lanes<T> + row] * number;
        }
      }
    });
  }

  const Watch& watch_;
  Index tile_keys_;
  const Plan& plan_;
  const Options& options_;
  const Scores<Stored>& scores_;
  Products<T> products_;
  View<const Stored> key_, value_;
  Index query_size_, output_size_;  ///< of one panel
  Buffer<T> query_, weights_, scratch_, key_copy_, value_copy_;

  Index batch_ = 0, kv_head_ = 0, panels_ = 0;
  std::array<PanelRows<T>, static_cast<std::size_t>(block_panels)> rows_;
  std::int64_t tiles_skipped_ = 0, tiles_total_ = 0;
};

}  // namespace attention
