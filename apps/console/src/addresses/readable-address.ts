/** Letters, marks and digits that are seen; anything else could stand for a dot, a slash or nothing. */
const WRITTEN = /^[\p{L}\p{M}\p{N}-]+$/u;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
/** Latin letters that are none of a language, and look like others or like signs. */
const ODD_LATIN =
  /[\u01c0-\u01c3\u0250-\u0252\u0255\u0258\u025a\u025c-\u0262\u0264-\u0267\u026a-\u0271\u0273-\u0288\u028c-\u0291\u0293-\u02af\u1d00-\u1dbf\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab6f]/u;
const RIGHT_TO_LEFT = /[\p{scx=Hebrew}\p{scx=Arabic}\p{scx=Syriac}\p{scx=Thaana}\p{scx=Nko}]/u;

/** The scripts that a label may be of: one, or those that are written together (Unicode TR 39, “highly restrictive”). */
const SCRIPTS = [
  /^[\p{scx=Latin}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\d-]+$/u,
  /^[\p{scx=Latin}\p{scx=Han}\p{scx=Bopomofo}\d-]+$/u,
  /^[\p{scx=Latin}\p{scx=Han}\p{scx=Hangul}\d-]+$/u,
  ...['Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Ethiopic', 'Devanagari'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao'],
  ...['Tibetan', 'Myanmar', 'Khmer', 'Mongolian'],
].map((script) => (typeof script === 'string' ? new RegExp(String.raw`^[\p{scx=${script}}\d-]+$`, 'u') : script));

/** Scripts with letters that look like Latin ones: a label of such letters alone is read as a Latin word. */
const LOOK_LATIN = [
  [/^[асԁеһіїјӏорԛѕԝхуъьҽпгѵѡ\d-]+$/u, /\p{Script=Cyrillic}/u],
  [/^[αγεικνορτυχωϲϳηρ\d-]+$/u, /\p{Script=Greek}/u],
  [/^[ագզէլհյոսւօցք\d-]+$/u, /\p{Script=Armenian}/u],
  [/^[იოყძხჽჿ\d-]+$/u, /\p{Script=Georgian}/u],
] as const;

/**
 * A host name as people read it: `xn--bcher-kva.example` is `bücher.example`. Labels that could mislead stay encoded:
 * what is not seen, letters of scripts that are not written together, and words that look like Latin ones.
 */
export function readableHost(host: string): string {
  if (!/(^|\.)xn--/i.test(host)) return host;
  const labels = host.split('.');
  const texts = labels.map(decodedLabel);
  const read = texts.map((text, at) =>
    isMisread(text, texts[at + 1] === undefined ? texts[at - 1] : texts.at(-1)) ? (labels[at] ?? '') : text,
  );
  return inOrder(read) ? read.join('.') : labels.map((label, at) => keptOrder(label, read[at] ?? '')).join('.');
}

/** An address with its host and path as people read them. */
export function readableAddress(address: string): string {
  const [, scheme = '', host = '', port = '', path = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#:@]+)(:\d+)?(?=[/?#]|$)([^?#]*)(.*)$/isu.exec(address) ?? [];
  if (host === '') return address;
  const read = readableHost(host);
  const endsRightToLeft = RIGHT_TO_LEFT.test(read.slice(read.lastIndexOf('.')));
  return `${scheme}${endsRightToLeft ? host : read}${port}${readablePath(path)}${rest}`;
}

/** The text of a label; the label itself where it may not be shown as it. */
function decodedLabel(label: string): string {
  if (!/^xn--/i.test(label)) return label;
  const text = decodePunycode(label.slice(4)) ?? '';
  const isPlain = WRITTEN.test(text) && !UNSEEN.test(text) && !ODD_LATIN.test(text);
  return isPlain && isOneScript(text) && isEncodedAs(text, label) ? text : label;
}

const isOneScript = (text: string): boolean => SCRIPTS.some((script) => script.test(text));

/** Returns whether the browser makes this label of the text: one text has one spelling, as IDNA says. */
function isEncodedAs(text: string, label: string): boolean {
  try {
    return new URL(`http://${text}/`).hostname === label.toLowerCase();
  } catch {
    return false;
  }
}

/**
 * Returns whether a label looks like a Latin word, and none beside it says of which script it is: the top-level domain,
 * or the one before that.
 */
const isMisread = (text: string, beside = ''): boolean =>
  LOOK_LATIN.some(
    ([letters, script]) => letters.test(text) && script.test(text) && !(script.test(beside) && !letters.test(beside)),
  );

/** Texts of both directions are shown in another order than they are written, unless one letter of each kind meets. */
function inOrder(labels: readonly string[]): boolean {
  const count = labels.filter((label) => RIGHT_TO_LEFT.test(label)).length;
  const next = labels[labels.findIndex((label) => RIGHT_TO_LEFT.test(label)) + 1];
  return count === 0 || count === labels.length || (count === 1 && /^\p{scx=Latin}/u.test(next ?? 'a'));
}

const keptOrder = (label: string, text: string): string => (RIGHT_TO_LEFT.test(text) ? label : text);

/** Letters that one reads in the place of others: a word of Latin letters holds none of them. */
const LOOKS_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;
const LATIN = /\p{Script=Latin}/u;
/** Characters that are seen, and seen where they stand: no controls, spaces, marks of direction or private letters. */
const SEEN = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u;
/** Latin letters and slashes that are not those of ASCII. */
const DISGUISED = /[\uff01-\uff5e\u2044\u2215\u2216\u29f8\u{1d400}-\u{1d7ff}]/u;

/** The percent-encodings of one or more characters beyond ASCII. */
const ENCODED = /(?:%[89A-F][0-9A-F])+/gi;

/**
 * A path as people read it: `/gr%C3%B6%C3%9Fe` is `/größe`. What could mislead stays encoded: what is not seen, and letters
 * that look like Latin ones in a segment that has both.
 */
export const readablePath = (path: string): string => path.split('/').map(readableSegment).join('/');

function readableSegment(segment: string): string {
  const decoded = segment.replace(ENCODED, (encoded) => {
    const text = decodedOf(encoded);
    return SEEN.test(text) && !DISGUISED.test(text) ? text : encoded;
  });
  return LOOKS_LATIN.test(decoded) && LATIN.test(decoded.replace(ENCODED, '')) ? segment : decoded;
}

/** Empty for what is no UTF-8. */
function decodedOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

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
  let at = 0;
  let n = INITIAL_N;
  let i = 0;
  let bias = INITIAL_BIAS;
  while (at < digits.length) {
    const before = i;
    for (let k = BASE, weight = 1; ; k += BASE) {
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
