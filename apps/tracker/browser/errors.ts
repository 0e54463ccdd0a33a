import { tryOrUndefined, listen, warn } from './guarded';
import { toJson } from './json';
import type { BrowserItem } from './outbox';

/** A page whose script fails in a loop reports no more than this in one view. */
export const MAX_ERRORS = 20;

/**
 * Errors that are no fault of a page: loops that browsers end by themselves, errors without anything, scripts of
 * extensions.
 * As a pattern of a page it is tested on two lines, the message and the script's address.
 */
const NOISE = '^ResizeObserver loop|^Script error\\.?$(?!\\n)|^([a-z-]+-extension|webkit-masked-url):';

/** The longest text, and the most entries of a list, in the JSON of what was thrown and is no error. */
const MAX_PART = 200;

const ownScript = (document.currentScript as HTMLScriptElement | null)?.src;

/** Errors that nothing on the page caught, but for those that are ignored: a regular expression, by default noise. */
export function onError(ignored: string | undefined, report: (error: BrowserItem) => void): void {
  const noise = readPattern(ignored);
  const consider = ({ message, ...error }: Thrown) => {
    const script = error.filename || /\w[\w+-]*:\/\/\S+/.exec(error.stack ?? '')?.[0];
    const isOwn = ownScript && script?.startsWith(ownScript);
    if (!isOwn && !noise.test(script ? `${message}\n${script}` : message)) report({ message, ...error });
  };
  listen('error', ({ message, filename, lineno, colno, error }) => {
    if (message) consider({ ...describe(error, message), filename, lineno, colno });
  });
  listen('unhandledrejection', ({ reason }) => consider(describe(reason)));
}

interface Thrown {
  readonly message: string;
  readonly stack?: string;
  readonly errorType?: string;
  readonly filename?: string;
  readonly lineno?: number;
  readonly colno?: number;
}

/** Anything may be thrown. An error of another frame is no `Error` of this one, and of an event its target is described. */
function describe(thrown: unknown, said?: string): Thrown {
  if (typeof thrown !== 'object' || thrown === null) return { message: said ?? String(thrown) };
  const [text, name, stack, type] = ['message', 'name', 'stack', 'type'].map((key) => textIn(thrown, key));
  const isError = thrown instanceof Error;
  const message = text ?? (isError ? jsonOf((thrown as { message: unknown }).message) : undefined);
  if (message !== undefined && ((name ?? stack) !== undefined || isError))
    return { message: message || said || name || 'Error', stack, errorType: name };
  if (type && 'isTrusted' in thrown) return { message: `${type} event of ${targetOf(thrown as Event)}` };
  return { message: answerIn(thrown) ?? jsonOf(thrown) ?? tagOf(thrown) };
}

/** Without what a visitor may have entered: of a form, or of a search, which `FormData` and its like hold. */
function jsonOf(value: unknown): string | undefined {
  const json = Array.isArray(value) || !(Symbol.iterator in Object(value)) ? toJson(() => value, MAX_PART) : undefined;
  return json === '{}' ? undefined : json;
}

/** The status and the address, without its query string, of an answer that a page made an error of. */
function answerIn(thrown: object): string | undefined {
  const [, kind] = /(Response|XMLHttpRequest)]/.exec(tagOf(thrown)) ?? [];
  if (!kind) return undefined;
  const { status, url, responseURL = url } = thrown as Partial<Response & XMLHttpRequest>;
  return `${kind} ${status} ${responseURL?.split(/[?#]/)[0]}`.trim();
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

function textIn(thrown: object, key: string): string | undefined {
  const text = tryOrUndefined(() => (thrown as BrowserItem)[key]);
  return typeof text === 'string' ? text : undefined;
}

const targetOf = ({ target }: Event): string => (target && textIn(target, 'src')) || tagOf(target);

function readPattern(pattern = NOISE): RegExp {
  try {
    return new RegExp(pattern || '(?!)', 'm');
  } catch {
    warn(`data-ignore-errors is not a regular expression: ${pattern}`);
    return new RegExp(NOISE, 'm');
  }
}
