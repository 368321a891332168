// SHA-256 of a batch. Browsers have it, but only where the page came over TLS or from this machine: else it is computed
// here (FIPS 180-4).

const fractional = (number) => Math.floor((number - Math.floor(number)) * 2 ** 32);

function constants() {
  const roots = [], cubes = [];
  for (let n = 2; cubes.length < 64; n++) {
    if (cubes.some((_, i) => roots[i].prime * roots[i].prime <= n && n % roots[i].prime === 0)) continue;
    roots.push({ prime: n });
    cubes.push(fractional(Math.cbrt(n)));
  }
  return { start: roots.slice(0, 8).map(({ prime }) => fractional(Math.sqrt(prime))), round: cubes };
}

const { start: START, round: ROUND } = constants();
const turn = (word, by) => (word >>> by) | (word << (32 - by));

export function sha256(bytes) {
  const state = Int32Array.from(START);
  const padded = new Uint8Array(((bytes.length + 8) >> 6 << 6) + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = words[i - 15], b = words[i - 2];
      const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3), s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
      words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setInt32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

export async function contentDigest(bytes) {
  const digest = globalThis.crypto?.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    : sha256(bytes);
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}
