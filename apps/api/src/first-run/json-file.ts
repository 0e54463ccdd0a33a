import { readFile } from 'node:fs/promises';
import { types } from 'node:util';

/** Undefined when there is no such file. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
