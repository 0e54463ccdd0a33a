import { connect, isIPv6, type Socket } from 'node:net';

/** After how long without an answer the next address is tried, too (RFC 8305, 5). */
const NEXT_AFTER_MS = 250;

/** What says the least about a server: this machine cannot send to the address at all. */
const UNREACHABLE: readonly unknown[] = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * A connection to the first of several addresses that takes it. Each has a head start before the next one, of the other
 * family where there is one; a try that has begun goes on. @throws why the addresses failed, or the signal's reason
 */
export function connectFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const waiting = interleaved(addresses);
  const tries = new Set<Socket>();
  const errors: NodeJS.ErrnoException[] = [];
  return new Promise<Socket>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      for (const socket of tries) socket.destroy();
    };
    const abort = () => {
      end();
      reject(signal.reason as Error);
    };
    const next = () => {
      clearTimeout(timer);
      const host = waiting.shift();
      if (host === undefined) return;
      const socket = connect({ host, port, noDelay: true });
      tries.add(socket);
      timer = setTimeout(next, NEXT_AFTER_MS);
      const fail = (error: Error) => {
        errors.push(error);
        tries.delete(socket);
        if (waiting.length > 0) next();
        else if (tries.size === 0) {
          end();
          reject(errors.find(({ code }) => !UNREACHABLE.includes(code)) ?? error);
        }
      };
      socket.once('error', fail).once('connect', () => {
        socket.off('error', fail);
        tries.delete(socket);
        end();
        resolve(socket);
      });
    };
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else next();
  });
}

/** One of each family in turn, beginning with that of the first. */
function interleaved(addresses: readonly string[]): string[] {
  const first = addresses.filter((address) => isIPv6(address) === isIPv6(addresses[0] ?? ''));
  const second = addresses.filter((address) => !first.includes(address));
  return Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [first[n], second[n]])
    .flat()
    .filter((address) => address !== undefined);
}
