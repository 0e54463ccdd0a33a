import { StringDecoder } from 'node:string_decoder';
import { types } from 'node:util';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { Source } from './sources';
import { unpack } from './unpack';

/** No line of an access log is longer, in UTF-16 units. */
const MAX_LINE = 64 * 1024;
/** Handed on in the place of one that is: it does not parse, and is the same however the file is packed. */
const TOO_LONG = 'a line that is too long';
const BYTE_ORDER_MARK = /^\uFEFF/;

export interface Reading {
  /** Called with the bytes read, as they are in the file. */
  readonly onBytes: (bytes: number) => void;
  /** When aborted, the lines end after the last whole one. */
  readonly signal: AbortSignal;
}

/** The source is not there any more. */
export class SourceGone extends StartFailure {}

/**
 * The lines of a source in portions, unpacked where it is packed, in constant memory.
 * @throws StartFailure where it cannot be read or unpacked to its end · SourceGone
 */
export async function* linesOf(source: Source, reading: Reading): AsyncGenerator<readonly string[]> {
  let rest = '';
  let isFirst = true;
  for await (const text of textOf(source, reading)) {
    const lines = (rest + (isFirst ? text.replace(BYTE_ORDER_MARK, '') : text)).split('\n');
    isFirst &&= text === '';
    rest = (lines.pop() ?? '').slice(0, MAX_LINE + 1);
    yield lines.map(bounded);
  }
  if (rest !== '' && !reading.signal.aborted) yield [bounded(rest)];
}

const bounded = (line: string): string => (line.length > MAX_LINE ? TOO_LONG : line);

async function* textOf(source: Source, reading: Reading): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const bytes of unpack(bytesOf(source, reading))) yield decoder.write(bytes);
    yield decoder.end();
  } catch (error) {
    if (reading.signal.aborted) return;
    if (error instanceof StartFailure || !types.isNativeError(error)) throw error;
    const sentence = `${source.name} is damaged (${error.message}): what comes before may be imported`;
    throw new StartFailure(`${sentence}, and a whole copy will add only the rest.`, { cause: error });
  }
}

async function* bytesOf(source: Source, { onBytes, signal }: Reading): AsyncGenerator<Buffer> {
  const stream = source.open();
  const stop = () => stream.destroy(new Error('interrupted'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      onBytes(bytes.length);
      yield bytes;
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new SourceGone(`${source.name} is not there any more.`, { cause });
    throw new StartFailure(`${source.name} cannot be read (${message}).`, { cause });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
