import type { JsonRecord } from './json-record';
import type { LoggedRequest } from './logged-request';

/** A format of access logs. */
export interface LogFormat {
  /** As `--format` and messages name it. */
  readonly name: string;
  /** Begins a file, whose lines may depend on earlier ones. */
  readonly open: () => LineReader;
}

/** Reads a line, given as a record too if it is JSON; null for what is not in the format. */
type LineReader = (line: string, record: JsonRecord | null) => LineContent | null;

/** A request, something else that the server reports, or what is no entry of the log. */
export type LineContent = LoggedRequest | 'message' | 'comment';
