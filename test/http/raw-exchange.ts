import { once } from 'node:events';
import { connect } from 'node:net';

/** A response as it came over the connection. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body where it is JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends bytes to a port of this machine and reads until the server ends the connection, or until one whole response. */
export async function rawExchange(port: number, ...chunks: readonly string[]): Promise<RawResponse> {
  const [first] = await rawResponses(port, 1, chunks);
  if (!first) throw new Error('The connection ended without a response.');
  return first;
}

/** The first responses on one connection; `between` runs before each chunk after the first. */
export async function rawResponses(
  port: number,
  count: number,
  chunks: readonly string[],
  between: () => void | Promise<void> = () => undefined,
): Promise<RawResponse[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  const done = new Promise<void>((resolve) => {
    socket.on('data', (text: string) => {
      received += text;
      if (responsesIn(received).length >= count) resolve();
    });
    socket.on('close', resolve).on('error', () => resolve());
  });
  await once(socket, 'connect');
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0) await between();
    if (socket.writable) socket.write(chunk, 'latin1');
  }
  await done;
  socket.destroy();
  return responsesIn(received);
}

function responsesIn(text: string): RawResponse[] {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return [];
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? 0);
  const rest = text.slice(end + 4);
  if (rest.length < length) return [];
  const body = rest.slice(0, length);
  const status = Number(statusLine.split(' ')[1]);
  return [{ status, headers, text: body, body: parsed(body) }, ...responsesIn(rest.slice(length))];
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
