import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A release of Apache Kafka, with the digest of its jars and of all that they need. */
export interface Release {
  readonly version: string;
  readonly oldestJava: number;
  readonly digest: string;
}

/** To take a newer one, change its version: the error about its checksum names the digest. */
export const RELEASES = {
  current: {
    version: '4.4.0',
    oldestJava: 17,
    digest: '98b52a7fc606912291aaa0d2a2b8563c1bb4f6a732ad5a4ba94bffc300884b95',
  },
  '3.9': {
    version: '3.9.2',
    oldestJava: 11,
    digest: 'aea7a5c231fa124b118209d52b9fe968e420e08f7e1f7bfec392f8c1de62b951',
  },
} as const satisfies Record<string, Release>;

export type ReleaseName = keyof typeof RELEASES;

/** SHA-256 of the lines `<SHA-256 of a jar>  <name>`, in the order of the names, as `sha256sum *.jar | sha256sum` prints it. */
export function digestOf(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  return sha256(Buffer.from(lines.join('')));
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
