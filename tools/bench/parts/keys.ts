import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Figure } from '../figure';
import { DIST, Installation } from '../installation/installation';
import type { Checks } from './key-checker';
import type { Part } from './part';
import { revokeKeys, type Revocations } from './revoked-keys';

const WANTED_US = 50;

/** P11: authentication by API key in a process that has checked the key before, and after the key is revoked. */
export const keys: Part = async ({ print }) => {
  const installation = await Installation.open({ websites: 1 });
  try {
    print('keys: checking one key repeatedly');
    const checks = await checkInAChild(installation);
    print('keys: revoking keys, with two apis and a tracker');
    return figures(checks, await revokeKeys(installation));
  } finally {
    await installation.close();
  }
};

const figures = ({ p50, p99, runs }: Checks, revoked: Revocations): Figure[] => [
  {
    id: 'P11',
    what: `API key check on a warm process, ${runs} runs`,
    target: `≤ ${WANTED_US} µs`,
    measured: `p50 ${p50.toFixed(1)} µs, p99 ${p99.toFixed(1)} µs`,
    yardstick: '',
    ratio: '',
    isMet: p50 <= WANTED_US,
  },
  {
    id: 'P11',
    what: `A revoked key, ${revoked.keys} keys, two apis and a tracker`,
    target: 'refused by the next request',
    measured: `${revoked.refused} of ${revoked.keys}; answered in p50 ${revoked.p50.toFixed(0)} ms, p99 ${revoked.p99.toFixed(0)} ms`,
    yardstick: '',
    ratio: '',
    isMet: revoked.refused === revoked.keys,
  },
];

function checkInAChild({ env, registered }: Installation): Promise<Checks> {
  const child = fork(join(DIST, 'tools', 'bench', 'parts', 'key-checker.js'), [registered.apiKey], {
    env,
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (checks) => resolve(checks as Checks));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The check of keys ended with ${code ?? 'a signal'}.`)));
  });
}
