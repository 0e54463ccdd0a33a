import { decodePunycode } from './punycode';
import { readablePath } from './readable-path';

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

/** Whether the browser makes this label of the text: one text has one spelling, as IDNA says. */
function isEncodedAs(text: string, label: string): boolean {
  try {
    return new URL(`http://${text}/`).hostname === label.toLowerCase();
  } catch {
    return false;
  }
}

/** Whether a label looks like a Latin word, and none beside it says of which script it is: the top-level domain, or the one before that. */
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
