import { waitUntil } from '@test/wait-until';
import { freePort } from '../../../../test/network/free-port';
import { startWhenUp } from './start-when-up';

const AWAY = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
});
const SENTENCE = 'The database is away (connection refused); the start goes on when it is there.';

describe('a start while the database is away', () => {
  it('answers 503 and says why until it is there, is alive meanwhile, and says both once', async () => {
    const waiting = await starting();
    const answers = await waitUntil(() =>
      Promise.all(['/health', '/health/ready', '/v1/links?x=1'].map(waiting.get)).catch(() => undefined),
    );
    expect(answers).toMatchObject([
      { status: 200, body: { status: 'ok' } },
      { status: 503, retryAfter: '5', body: { status: 'unavailable', reason: SENTENCE, database: 'down' } },
      { status: 503, retryAfter: '5', body: { success: false, error: SENTENCE, code: 'SERVICE_UNAVAILABLE' } },
    ]);
    waiting.failure = undefined;
    await waiting.ended;
    expect(waiting.starts).toBe(1);
    expect(waiting.said).toEqual([SENTENCE, 'The database is there.']);
    await expect(waiting.get('/health')).rejects.toThrow('fetch failed'); // the port is free for what has started
  });

  it('begins anew when the database goes away in the midst of it', async () => {
    const waiting = await starting([AWAY, AWAY]);
    waiting.failure = undefined;
    await waiting.ended;
    expect(waiting.starts).toBe(3);
  });

  it.each([
    ['a wrong password', Object.assign(new Error('no'), { severity: 'FATAL', code: '28P01' })],
    [
      'what a pooler never takes',
      Object.assign(new Error('unsupported startup parameter: options'), { severity: 'FATAL', code: '08P01' }),
    ],
  ])('ends by %s', async (_, failure) => {
    const waiting = await starting();
    waiting.failure = failure;
    await expect(waiting.ended).rejects.toBe(failure);
    expect(waiting.starts).toBe(0);
  });

  it('ends when a stop is requested', async () => {
    const waiting = await starting();
    waiting.stopping.abort();
    await waiting.ended;
    expect(waiting.starts).toBe(0);
  });
});

/** A start whose database is away for a reason that a test changes, and that fails itself as given first. */
async function starting(failures: Error[] = []) {
  const port = await freePort();
  const said: string[] = [];
  const stopping = new AbortController();
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    const body = await answer.json();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
  };
  const state = { failure: AWAY as Error | undefined, starts: 0, said, stopping, get };
  const check = () => (state.failure ? Promise.reject(state.failure) : Promise.resolve());
  const start = () => {
    state.starts += 1;
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  const report = (sentence: string) => void said.push(sentence);
  const { signal } = stopping;
  const ended = startWhenUp({ check, listenAddress: '127.0.0.1', ports: [port], report, signal }, start);
  ended.catch(() => undefined); // awaited by the test
  return Object.assign(state, { ended });
}
