// Softmax in Python for programs that bring their own: along the keys, over those that are allowed.
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
