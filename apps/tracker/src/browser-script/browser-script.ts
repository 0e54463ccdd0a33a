import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The compiled script as it is sent. */
interface BrowserScript {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** Strong, of the content. */
  readonly etag: string;
}

/** Where the build puts it: beside the compiled tracker. */
const FILE = join(__dirname, '..', '..', 'browser', 'tracker.js');

/** Undefined where only the server was compiled, as in unit tests. */
export function readBrowserScript(file = FILE): BrowserScript | undefined {
  if (!existsSync(file)) return undefined;
  const plain = readFileSync(file);
  const etag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`;
  return { plain, gzipped: gzipSync(plain, { level: 9 }), etag };
}
