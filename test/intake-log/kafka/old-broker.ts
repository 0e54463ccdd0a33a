import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

const API_VERSIONS = 18;
const METADATA = 3;
const UNSUPPORTED_VERSION = 35;

/** The requests that Kafka 0.10 answered: key, oldest and newest version. */
const VERSIONS = [
  [0, 0, 2],
  [1, 0, 2],
  [2, 0, 0],
  [METADATA, 0, 1],
  [API_VERSIONS, 0, 0],
] as const;

/**
 * Answers the first requests of a client as Kafka 0.10 did, which no current Java runs: which requests it takes, and that
 * it has the topic that is asked for. No broker: it stores nothing.
 */
export async function startOldBroker(topic: string, partitions: number) {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
        const end = 4 + received.readInt32BE(0);
        answer(socket, received.subarray(4, end));
        received = received.subarray(end);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { broker: `127.0.0.1:${port}`, close: () => server.close() };

  function answer(socket: Socket, request: Buffer): void {
    const key = request.readInt16BE(0);
    const version = request.readInt16BE(2);
    const body = key === METADATA ? metadata() : apiVersions(version === 0 ? 0 : UNSUPPORTED_VERSION);
    const response = Buffer.concat([request.subarray(4, 8), body]);
    socket.write(Buffer.concat([int32(response.length), response]));
  }

  /** Version 1. */
  function metadata(): Buffer {
    const { port: own } = server.address() as AddressInfo;
    const broker = [int32(0), text('127.0.0.1'), int32(own), int16(-1)];
    const numbers = Array.from({ length: partitions }, (_, n) => n);
    const listed = numbers.map((n) =>
      Buffer.concat([int16(0), int32(n), int32(0), list([int32(0)]), list([int32(0)])]),
    );
    const found = Buffer.concat([int16(0), text(topic), Buffer.from([0]), list(listed)]);
    return Buffer.concat([list([Buffer.concat(broker)]), int32(0), list([found])]);
  }
}

const apiVersions = (error: number): Buffer =>
  Buffer.concat([int16(error), list(VERSIONS.map((numbers) => Buffer.concat(numbers.map(int16))))]);

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

const text = (value: string): Buffer => Buffer.concat([int16(value.length), Buffer.from(value)]);
const list = (items: readonly Buffer[]): Buffer => Buffer.concat([int32(items.length), ...items]);
