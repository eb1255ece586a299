// Softmax for programs that bring their own: along the keys, over those that are allowed.
export const softmaxes = {
  np: `def softmax(scores, allowed=True):
    scores = xp.where(allowed, scores, -xp.inf)
    most = scores.max(-1, keepdims=True)
    powers = xp.exp(scores - xp.where(most == -xp.inf, 0, most))
    total = powers.sum(-1, keepdims=True)
    return powers / xp.where(total == 0, 1, total)


def array(rows):
    return xp.array(rows, dtype=xp.float64)`,
  torch: `def softmax(scores, allowed=None):
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -xp.inf)
    return xp.softmax(scores, -1).nan_to_num(0)


def array(rows):
    return xp.tensor(rows, dtype=xp.float64)`,
};

/** A C++ program's first lines, and matrices of it: softmax, and what makes its scores. */
export const matrixCpp = `#undef NDEBUG
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

using Matrix = std::vector<std::vector<double>>;
using Mask = std::vector<std::vector<bool>>;

Matrix map(Matrix numbers, auto number) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t j = 0; j < numbers[i].size(); ++j)
      numbers[i][j] = number(int(i), int(j), numbers[i][j]);
  return numbers;
}

Mask where(int rows, int columns, auto is) {
  Mask mask(rows, std::vector<bool>(columns));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) mask[i][j] = is(i, j);
  return mask;
}

Matrix transposed(const Matrix& of) {
  return map(Matrix(of[0].size(), std::vector<double>(of.size())),
             [&](int i, int j, double) { return of[j][i]; });
}

/// Each row of a by each row of b.
Matrix products(const Matrix& a, const Matrix& b, double scale) {
  return map(Matrix(a.size(), std::vector<double>(b.size())), [&](int i, int j, double) {
    double sum = 0;
    for (std::size_t l = 0; l < a[i].size(); ++l) sum += a[i][l] * b[j][l];
    return sum * scale;
  });
}

/// Along the keys, over those that are allowed; a query that may read none has weights 0.
Matrix softmax(Matrix scores, const Mask& allowed = {}) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double most = -HUGE_VAL, total = 0;
    for (std::size_t j = 0; j < scores[i].size(); ++j) {
      if (!allowed.empty() && !allowed[i][j]) scores[i][j] = -HUGE_VAL;
      most = std::max(most, scores[i][j]);
    }
    for (double& x : scores[i]) total += x = x == -HUGE_VAL ? 0 : std::exp(x - most);
    for (double& x : scores[i]) x /= total == 0 ? 1 : total;
  }
  return scores;
}

double apart(const Matrix& a, const Matrix& b) {
  double most = 0;
  map(a, [&](int i, int j, double x) { return most = std::max(most, std::abs(x - b[i][j])); });
  return most;
}
`;
