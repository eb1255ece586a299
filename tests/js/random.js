/** Numbers in [0, 1), the same for the same seed (xorshift32). */
export function random(seed) {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
