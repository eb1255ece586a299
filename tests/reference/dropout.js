// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).

const word = (value) => Number(BigInt.asUintN(32, value));

/** Four 32-bit words from a counter of four words and a key of two. */
export function philox(counter, key) {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const first = 0xd2511f53n * BigInt(c0);
    const second = 0xcd9e8d57n * BigInt(c2);
    [c0, c1, c2, c3] = [
      (word(second >> 32n) ^ c1 ^ k0) >>> 0,
      word(second),
      (word(first >> 32n) ^ c3 ^ k1) >>> 0,
      word(first),
    ];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/**
 * Whether dropout keeps weight (b, h, i, j): the counter is (⌊j/4⌋, i, h, b), the key is the seed's
 * low and high word, and word j mod 4 is the uniform u = word × 2⁻³², kept when u ≥ p.
 */
export function keeps({ p, seed }, b, h, i, j) {
  const bits = BigInt.asUintN(64, BigInt(seed));
  const words = philox([Math.floor(j / 4), i, h, b], [word(bits), word(bits >> 32n)]);
  return words[j % 4] * 2 ** -32 >= p;
}
