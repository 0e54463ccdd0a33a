const NAME =
  '(?:proxy-)?authorization|x-api-key|api_?key|(?:set-)?cookie|\\w*(?:password|secret|pepper|token|signing_?key)';

const FIELD = new RegExp(`("(?:${NAME})":\\s*)(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, 'gi');
/** The same inside JSON that was logged as text. */
const QUOTED_FIELD = new RegExp(`(\\\\"(?:${NAME})\\\\":\\s*)\\\\"(?:\\\\\\\\\\\\"|(?!\\\\").)*\\\\"`, 'gi');
const SECRET = /\b(svc|oat|ort)_[A-Za-z0-9]{4,}/g;
const CREDENTIAL = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const URL_PASSWORD = /(:\/\/[^\s:@/"\\]*:)[^\s/"\\]+@/g;

/** A log line without secrets, whatever the depth they were logged at; the line stays valid JSON. */
export function redact(line: string): string {
  return line
    .replace(FIELD, '$1"[redacted]"')
    .replace(QUOTED_FIELD, '$1\\"[redacted]\\"')
    .replace(SECRET, '$1_[redacted]')
    .replace(CREDENTIAL, '$1 [redacted]')
    .replace(URL_PASSWORD, '$1[redacted]@');
}
