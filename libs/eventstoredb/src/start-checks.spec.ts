import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { guardedDouble, PASSWORD, type GuardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import { proxyTo } from '@test/network/breakable-proxy';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

const opening = (url: string) => EventStoreDbEventStore.open(url, { timeoutMs: 1_000 });

describe('EventStoreDB at start', () => {
  let double: EventStoreDbDouble;
  beforeEach(async () => (double = await EventStoreDbDouble.start()));
  afterEach(() => double.stop());

  it('must be there', () => away('esdb://127.0.0.1:1?tls=false', 'EventStoreDB cannot be reached at 127.0.0.1:1.'));

  it('must run its system projections', async () => {
    double.log.projection = 'Stopped';
    await refused(double.url, 'EventStoreDB does not run its system projections; start it with');
  });

  it('must still be there while its projections start', async () => {
    double.log.projection = 'Stopped';
    const refusal = away(double.url, `127.0.0.1:${double.port}`);
    await waitUntil(
      () => double.statusesSent,
      (told) => told > 0,
    );
    double.stop();
    await refusal;
  });

  it('must not be too old', async () => {
    double.version = '22.10.5';
    await refused(double.url, 'EventStoreDB 22.10.5 is too old: version 23.10 or newer is needed.');
  });

  it('must use TLS unless tls=false', () =>
    refused(double.url.replace('?tls=false', ''), `EventStoreDB at 127.0.0.1:${double.port} does not speak TLS`));
});

describe('the epoch of a log', () => {
  let double: EventStoreDbDouble;
  let driver: EventStoreDBClient;
  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
    driver = EventStoreDBClient.connectionString(double.url);
  });
  afterEach(async () => {
    await driver.dispose();
    double.stop();
  });
  const STREAM = 'ledgerline-epoch';
  const read = async (): Promise<string> => {
    const store = await opening(double.url);
    try {
      return await store.epoch();
    } finally {
      await store.close();
    }
  };
  const foreign = (stream: string) => driver.appendToStream(stream, jsonEvent({ type: 'EpochBegun', data: [null] }));
  /** Returns what a scavenge takes of a stream that was deleted. */
  const scavenge = () => {
    double.log.all = double.log.all.filter(({ stream }) => stream !== STREAM);
  };

  it.each<[string, () => Promise<unknown>]>([
    ['has a tombstone', () => driver.tombstoneStream(STREAM)],
    ['was deleted', () => driver.deleteStream(STREAM)],
    ['has a foreign event behind its own', () => foreign(STREAM)],
    ['was deleted and has a foreign event', () => driver.deleteStream(STREAM).then(() => foreign(STREAM))],
    ['has a tombstone, as its category does', () => tombstones(STREAM, '$ce-ledgerline')],
    [
      'has a tombstone, as the next one has, which is a foreign event’s',
      () => tombstones(STREAM, `${STREAM}.2`).then(() => foreign(`${STREAM}.3`)),
    ],
  ])('stays the same where its stream %s', async (_, damage) => {
    const epoch = await read();
    await damage();
    expect([await read(), await read()]).toEqual([epoch, epoch]);
  });

  it.each(['tombstoneStream', 'deleteStream'] as const)('stays the same after a %s and a scavenge', async (damage) => {
    const epoch = await read();
    await driver[damage](STREAM);
    expect(await read()).toBe(epoch);
    if (damage === 'tombstoneStream') scavenge();
    expect(await read()).toBe(epoch);
  });

  it('is another one where nothing is left of it', async () => {
    const epoch = await read();
    await driver.tombstoneStream(STREAM);
    scavenge();
    const other = await read();
    expect(other).toMatch(/^[\da-f-]{36}$/);
    expect(other).not.toBe(epoch);
    expect(await read()).toBe(other);
  });

  async function tombstones(...streams: string[]): Promise<void> {
    for (const stream of streams) await driver.tombstoneStream(stream);
  }
});

describe('EventStoreDB at start, with TLS and users', () => {
  let guarded: GuardedDouble;
  let place: string;
  beforeEach(async () => {
    guarded = await guardedDouble();
    place = `127.0.0.1:${guarded.double.port}`;
  });
  afterEach(() => guarded.stop());

  it('serves who may', async () => {
    const store = await opening(guarded.url());
    expect(await store.epoch()).toMatch(/^[\da-f-]{36}$/);
    await store.close();
  });

  it('must accept the user and the password', async () => {
    for (const url of [guarded.url('admin', 'n0ther:secret'), guarded.url('nobody')])
      await refused(url, 'EventStoreDB refuses the user or the password of EVENTSTORE_URL.');
  });

  it('must let the user read everything', () =>
    refused(guarded.url('reader'), 'The user of EVENTSTORE_URL may not read $all and $ce- streams'));

  it('must not want a user where none is named', () =>
    refused(guarded.url().replace(/\/\/.*@/, '//'), 'EventStoreDB wants a user; name one in EVENTSTORE_URL'));

  it('must have a certificate of a trusted CA', async () => {
    const sentence = `The certificate of EventStoreDB at ${place} is signed by nobody we trust`;
    await refused(guarded.url().replace(/[?]tls=.*/, ''), sentence);
    await refused(guarded.url().replace(/tlsCAFile=.*/, `tlsCAFile=${guarded.otherCaFile}`), sentence);
  });

  it('must have a certificate for its address', async () => {
    const proxy = await proxyTo('127.0.0.1', guarded.double.port);
    const url = guarded.url('admin', undefined, proxy.port).replace('127.0.0.1', 'localhost');
    await refused(url, 'The certificate of EventStoreDB is made out for another address than localhost');
    await proxy.close();
  });

  it('must have a certificate that has not expired', async () => {
    const old = await guardedDouble({ expired: true });
    await refused(old.url(), `The certificate of EventStoreDB at 127.0.0.1:${old.double.port} has expired.`);
    old.stop();
  });

  it('must be spoken to with TLS', () =>
    away(`esdb://${place}?tls=false`, `EventStoreDB at ${place} hangs up; if it speaks TLS`));
});

describe('a connection string', () => {
  it.each([
    ['esdb://admin:hidden@a:2113?tls=false', 'EVENTSTORE_URL has a user and tls=false'],
    ['esdb://admin:hid@den@a:2113', 'EVENTSTORE_URL is not a connection string such as'],
    ['esdb://admin:hid:den@a:2113', 'EVENTSTORE_URL is not a connection string such as'],
    ['esdb://admin:hid/den@a:2113', 'EVENTSTORE_URL is not a connection string such as'],
    ['esdb://a:2113?tlsCAFile=/home/me@corp/ca.pem', 'EVENTSTORE_URL is not a connection string such as'],
    ['esdb://a:2113?tlsCAFile=/home/me%40corp/ca.pem', 'EVENTSTORE_URL cannot be used: Failed to load certificate'],
    ['esdb://admin:hidden@a:2113?tls', 'EVENTSTORE_URL cannot be used'],
    ['esdb://admin:hidden@a:2113?hidden=1', 'EVENTSTORE_URL has an unknown option; it may have tls, tlsCAFile'],
    [
      'esdb://admin:hidden@a:2113?tlsCAFile=/no/such',
      'EVENTSTORE_URL cannot be used: Failed to load certificate file.',
    ],
    ['esdb://admin:hid%den@a:2113', 'EVENTSTORE_URL cannot be used: URI malformed'],
    ['esdb://a:2113?tls=false&throwOnAppendFailure=false', 'Remove throwOnAppendFailure=false from EVENTSTORE_URL'],
    ['esdb+discover://a,b,c?tls=false', 'names several nodes, of which esdb+discover:// would ask the first alone'],
    ['esdb://a,b,c?tls=false&nodePreference=follower', 'Remove nodePreference from EVENTSTORE_URL'],
    ['esdb+discover://a?tls=false&node-preference=Random', 'Remove nodePreference from EVENTSTORE_URL'],
    ['esdb://a:2113?TLS-verify-cert=false', 'Remove tlsVerifyCert=false from EVENTSTORE_URL'],
  ])('must be one that can be used safely: %s', refused);
});

/** One sentence, which shows no password, nor does anything that is printed. */
function refused(url: string, sentence: string): Promise<void> {
  return failsAs('StartFailure', url, sentence);
}

/** Expects a failure that may pass. */
function away(url: string, sentence: string): Promise<void> {
  return failsAs('StoreAway', url, sentence);
}

async function failsAs(name: string, url: string, sentence: string): Promise<void> {
  const printed = (['log', 'warn', 'error'] as const).map((name) => jest.spyOn(console, name).mockReturnValue());
  const failure = await opening(url).then(
    (store) => store.close(),
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ name, message: expect.stringContaining(sentence) as string });
  const told = JSON.stringify([deep(failure), ...printed.flatMap(({ mock }) => mock.calls)]);
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 'n0ther', 'hidden', 'den@', 'hid:'])
    expect(told).not.toContain(secret);
  for (const spy of printed) spy.mockRestore();
}

/** An error as a logger shows it: with its own fields, its stack and what caused it. */
function deep(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message, stack, cause } = error;
  return { own: Object.entries(error), message, stack, cause: deep(cause) };
}
