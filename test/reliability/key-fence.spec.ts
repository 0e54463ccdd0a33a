import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { Installation } from './installation';
import { CHANGES, refuseKey } from './refuse-key';

/** `RELIABILITY_CHANGES=5 npx jest test/reliability/key-fence`, as in `npm run prove`; on Postgres see two-of-every-process. */
const CHANGES_ON_DOUBLE = Number(process.env['RELIABILITY_CHANGES'] ?? 0);

jest.setTimeout(600_000);

if (CHANGES_ON_DOUBLE === 0)
  it.skip('a key that loses its rights on a double of EventStoreDB: SKIPPED; npm run prove sets RELIABILITY_CHANGES', () =>
    undefined);
else
  describe('a key that loses its rights (a double of EventStoreDB)', () => {
    let double: EventStoreDbDouble;
    let place: Installation;
    beforeAll(async () => {
      double = await EventStoreDbDouble.start();
      const onDouble = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: double.url };
      place = await Installation.open({ api: 2, tracker: 2, projector: 0 }, onDouble);
    });
    afterAll(async () => {
      await place.close();
      double.stop();
    });
    refuseKey(() => place, CHANGES.slice(0, CHANGES_ON_DOUBLE));
  });
