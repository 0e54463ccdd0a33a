import type { EventStoreAddress } from '@ledgerline/engines/event-store.factory';
import { behaveAsOne } from './behave-as-one';
import { checkMonitors } from './check-monitors';
import { evaluateFlagsAlike } from './evaluate-flags-alike';
import { Installation } from './installation';
import { refuseKey } from './refuse-key';
import { surviveKills, VISITORS } from './survive-kills';

const SERVER = process.env['EVENTSTORE_URL'];

jest.setTimeout(600_000 + VISITORS * 600);

describe('two of every process', () => onOneInstallation());

if (SERVER !== undefined) describe('two of every process on EventStoreDB', () => onOneInstallation(SERVER));
else it.skip('two of every process on EventStoreDB: SKIPPED, as EVENTSTORE_URL names no server', () => undefined);

/** One installation for all, as starting six processes takes longer than most of what is tested. */
function onOneInstallation(eventStoreUrl?: string): void {
  let place: Installation;
  const storeOf = ({ databaseUrl }: Installation): EventStoreAddress => ({ databaseUrl, eventStoreUrl });

  beforeAll(async () => {
    const chosen = eventStoreUrl === undefined ? {} : { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStoreUrl };
    const variables = { ...chosen, MONITOR_ALLOW_PRIVATE: '1' };
    place = await Installation.open({ api: 2, tracker: 2, projector: 2 }, variables);
  });
  afterAll(() => place.close());

  if (eventStoreUrl === undefined) describe('that have monitors', () => checkMonitors(() => place));
  describe('that run', () => behaveAsOne(() => place, storeOf));
  describe('whose apis change a flag', () => evaluateFlagsAlike(() => place));
  describe('some of which are paused: a key', () => refuseKey(() => place));
  describe('of which one of each is killed', () => surviveKills(() => place, storeOf));
}
