import { caddyJson } from './caddy-json';
import { combined } from './combined';
import { isMessage, parseRecord } from './json-record';
import type { LineContent, LogFormat } from './log-format';
import { nginxJson } from './nginx-json';
import { traefikJson } from './traefik-json';
import { w3c } from './w3c';

/** The formats that are read, in the order in which they are tried. */
export const LOG_FORMATS: readonly LogFormat[] = [combined, caddyJson, traefikJson, nginxJson, w3c];

/** Comments, and what journalctl and newsyslog write between lines. */
const COMMENT = /^(?:#|-- (?:Logs|Journal|Boot|Reboot|No entries)\b|logfile turned over\b)/;

/** A reader of the lines of one file in any of these formats; null for a line that is in none. */
export function openFormats(formats: readonly LogFormat[]): (line: string) => LineContent | null {
  const readers = formats.map((format) => format.open());
  return (line) => {
    const record = parseRecord(line);
    for (const read of readers) {
      const content = read(line, record);
      if (content !== null) return content;
    }
    if (COMMENT.test(line)) return 'comment';
    return record !== null && isMessage(record) ? 'message' : null;
  };
}
