import { guardedDouble, type GuardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

describe('the projection that fills the category streams', () => {
  let server: GuardedDouble;

  beforeEach(async () => (server = await guardedDouble()));
  afterEach(() => server.stop());

  it('is not taken for running where the user may not ask', async () => {
    const sentence = expect.stringMatching(/^The user of EVENTSTORE_URL may not ask .* \$by_category/) as string;
    expect(await warningsTo('ledgerline')).toEqual([sentence]);
    expect(await warningsTo('admin')).toEqual([]);
  });

  const warningsTo = async (user: string) => {
    const store = await EventStoreDbEventStore.open(server.url(user));
    const warnings = await store.warnings();
    await store.close();
    return warnings;
  };
});
