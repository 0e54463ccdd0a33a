// the parameters of RFC 3492, section 5
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 128;

const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The text that Punycode (RFC 3492) stands for, without the `xn--` of a host name; undefined for what is none. */
export function decodePunycode(encoded: string): string | undefined {
  const hyphen = encoded.lastIndexOf('-');
  const points = Array.from(encoded.slice(0, Math.max(hyphen, 0)), (letter) => letter.codePointAt(0) ?? 0);
  if (points.some((point) => point >= INITIAL_N)) return undefined;
  const digits = Array.from(encoded.slice(hyphen + 1).toLowerCase(), (letter) => DIGITS.indexOf(letter));
  let [at, n, i, bias] = [0, INITIAL_N, 0, INITIAL_BIAS];
  while (at < digits.length) {
    const before = i;
    for (let [k, weight] = [BASE, 1]; ; k += BASE) {
      const digit = digits[at++] ?? -1;
      i += digit * weight;
      if (digit < 0 || !Number.isSafeInteger(i)) return undefined;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = points.length + 1;
    bias = adapted(i - before, length, before === 0);
    n += Math.floor(i / length);
    i %= length;
    if (n > 0x10ffff) return undefined;
    points.splice(i++, 0, n);
  }
  return String.fromCodePoint(...points);
}

/** The bias of the next delta, after one of this size. */
function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
