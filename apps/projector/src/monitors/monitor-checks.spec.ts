import { plainMonitor } from '@ledgerline/domain/monitors/monitor.decider';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { startHttpServer, type HttpServer } from '@test/monitors/http-server';
import { waitUntil } from '@test/wait-until';
import type { DueCheck } from './monitor-checks';
import { monitorChecks } from './monitor-checks';

describe('the checks of monitors', () => {
  it('record each result durably before the next check is due', async () => {
    begin([due('mon_1')]);
    await waitUntil(() => finished.length > 0);
    expect(sent).toEqual([
      {
        subject: 'mon_1',
        dedupe: '48h',
        event: expect.objectContaining({
          type: 'MonitorChecked',
          at: DUE + 5,
          data: expect.objectContaining({ monitorId: 'mon_1', dueAt: DUE, up: true, status: 200 }) as object,
        }) as object,
      },
    ]);
    expect(server.requests[0]?.headers['x-token']).toBe('opened sealed');
  });

  it('of one due time have one id, whichever process makes them', async () => {
    begin([due('mon_1'), due('mon_1'), due('mon_2')]);
    await waitUntil(() => finished.length === 3);
    expect(new Set(sent.map(({ event }) => event.id)).size).toBe(2);
  });

  it('are at most 50 at once', async () => {
    server.hold();
    begin(Array.from({ length: 120 }, (_, n) => due(`mon_${n}`)));
    await waitUntil(() => server.requests.length === 50);
    expect(wanted[0]).toBe(50);
    server.release();
    await waitUntil(() => finished.length === 120);
    expect(most).toBe(50);
  }, 20_000);

  it('are not finished while the intake log is away', async () => {
    log.isAway = true;
    begin([due('mon_1')]);
    await waitUntil(() => lines.length > 0);
    expect(finished).toEqual([]);
    expect(givenBack).toEqual([]);
  });

  it('are given back when the process stops', async () => {
    server.hold();
    begin([due('mon_1')]);
    await waitUntil(() => server.requests.length === 1);
    await checks?.beforeApplicationShutdown();
    expect([givenBack, sent, finished]).toEqual([['mon_1'], [], []]);
  });

  it('are not made without the headers that belong to them', async () => {
    begin([{ ...due('mon_1'), details: { ...due('mon_1').details, sealedHeaders: 'destroyed' } }]);
    await waitUntil(() => lines.length > 0);
    expect([server.requests, sent, finished]).toEqual([[], [], []]);
  });
});

const DUE = Date.parse('2026-11-01T10:00:00Z');

let server: HttpServer & { hold(): void; release(): void };
let checks: ReturnType<typeof monitorChecks> | undefined;
let sent: IntakeItem[];
let finished: string[];
let givenBack: string[];
let wanted: number[];
let lines: unknown[];
let most: number;
let log: { isAway: boolean };

const due = (id: string): DueCheck => ({
  id,
  dueAt: DUE,
  takenAt: DUE + 5,
  maintenance: false,
  resumed: false,
  details: { ...plainMonitor, organizationId: 'org_1', name: id, url: server.url, sealedHeaders: 'sealed' },
});

function begin(all: DueCheck[]): void {
  const waiting = [...all];
  checks = monitorChecks({
    schedule: {
      take: (max) => {
        wanted.push(max);
        return Promise.resolve(waiting.splice(0, max));
      },
      finish: ({ id }) => Promise.resolve(void finished.push(id)),
      giveBack: ({ id }) => Promise.resolve(void givenBack.push(id)),
    },
    intakeLog: {
      send: (items) => {
        if (log.isAway) return Promise.reject(new LogUnavailable('away'));
        sent.push(...items);
        return Promise.resolve({ outcomes: items.map(() => 'stored' as const), positions: new Map() });
      },
    },
    headers: {
      open: ([value]) => {
        const text = value?.sealed ?? '';
        return Promise.resolve(new Map(text === 'sealed' ? [[text, { 'x-token': `opened ${text}` }]] : []));
      },
    },
    guard: { allows: () => true },
    logger: { warn: (line: unknown) => lines.push(line), info: () => undefined } as never,
  });
  checks.onApplicationBootstrap();
}

beforeEach(async () => {
  sent = [];
  finished = [];
  givenBack = [];
  wanted = [];
  lines = [];
  most = 0;
  log = { isAway: false };
  let held: (() => void)[] | undefined;
  let open = 0;
  const plain = await startHttpServer((_, reply) => {
    most = Math.max(most, ++open);
    const end = () => {
      open--;
      reply.end();
    };
    if (held) held.push(end);
    else end();
  });
  server = {
    ...plain,
    hold: () => (held = []),
    release: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const end of waiting) end();
    },
  };
});

afterEach(async () => {
  await checks?.beforeApplicationShutdown();
  await server.close();
});
