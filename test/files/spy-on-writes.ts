import { open, type FileHandle } from 'node:fs/promises';

type Write = (
  this: FileHandle,
  bytes: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesWritten: number }>;

/** Writes at a position of all files of `node:fs/promises`, and what does them; restore it in the end. */
export async function spyOnWrites() {
  const handle = await open(__filename);
  await handle.close();
  const prototype = Object.getPrototypeOf(handle) as { write: Write };
  const { write } = prototype;
  return { write, spy: jest.spyOn(prototype, 'write') };
}
