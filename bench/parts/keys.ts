import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Figure } from '../figure';
import { DIST, Installation } from '../installation/installation';
import type { Checks } from './key-checker';
import type { Part } from './part';

const WANTED_US = 50;

/** P11: authentication by API key, in a process that has checked the key before. */
export const keys: Part = async ({ print }) => {
  const installation = await Installation.open(1);
  try {
    print('keys: checking one key repeatedly');
    return figures(await checkInAChild(installation));
  } finally {
    await installation.close();
  }
};

const figures = ({ p50, p99, runs }: Checks): Figure[] => [
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
    what: 'A revoked key',
    target: 'refused by the next request',
    measured: 'not there yet: keys cannot be revoked',
    yardstick: '',
    ratio: '',
    isMet: false,
  },
];

function checkInAChild({ env, registered }: Installation): Promise<Checks> {
  const child = fork(join(DIST, 'bench', 'parts', 'key-checker.js'), [registered.apiKey], { env, execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once('message', (checks) => resolve(checks as Checks));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The check of keys ended with ${code ?? 'a signal'}.`)));
  });
}
