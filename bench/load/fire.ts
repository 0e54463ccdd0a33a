import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Hits, Shot } from './shot';

/** Puts load on an address, from a separate process. */
export function fire(shot: Shot): Promise<Hits> {
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, 'cannon.js'), [JSON.stringify(shot)], { execArgv: [] });
    child.once('message', (hits) => resolve(hits as Hits));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The load generator ended with ${code ?? 'a signal'}.`)));
  });
}
