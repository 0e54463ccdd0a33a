import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { untilAnswer } from '../../journeys/product';
import { waitUntil } from '../../wait-until';
import type { Editors } from '../editors';
import type { Installation } from '../installation';
import { chainsOf, compare, decidedBy, differencesFromRebuild, NONE, settled } from '../log-audit';
import { differencesFrom, expectedAnswersAbout } from '../oracle-comparison';
import { untilSpoolIsEmpty } from '../spooled-clicks';
import type { Stream } from '../stream';
import type { Tenant } from '../tenant';

/** The state in which everything has to hold after a fault. */
interface Aftermath {
  readonly place: Installation;
  readonly tenant: Tenant;
  readonly stream: Stream;
  readonly editors: Editors;
  /** The hits that were logged before the fault. */
  readonly logged: readonly string[];
}

/** By the heading of their column, in order; each fails like an assertion. */
export const CHECKS: Readonly<Record<string, (aftermath: Aftermath) => Promise<void> | void>> = {
  'log = acknowledged': async ({ place, tenant, stream, editors }) => {
    await settled(stream, tenant, place.databaseUrl);
    await untilSpoolIsEmpty(place.folder);
    expect(editors.unexpected).toEqual([]);
    const created = (await decidedBy(place, tenant)).filter(({ type }) => type === 'LinkCreated');
    const links = created.map(({ data }) => data['linkId'] as string);
    expect(compare([tenant.linkId, ...editors.links], links)).toEqual(NONE);
  },
  'answers = oracle': async ({ place, tenant, stream }) => {
    const log = await settled(stream, tenant, place.databaseUrl);
    const website = { about: 'website', id: tenant.websiteId, zone: 'UTC' } as const;
    const link = { about: 'link', id: tenant.linkId, zone: 'UTC' } as const;
    for (const subject of [website, link])
      await untilAnswer(
        () => differencesOf(place, tenant, subject, log),
        (found) => found.length === 0,
      );
  },
  'tables = log': async ({ place }) => {
    const differences = () => differencesFromRebuild(place.databaseUrl, place).catch(undefinedIfUnavailable);
    expect(await waitUntil(differences)).toEqual([]);
  },
  'chains hold': async ({ place, tenant }) => {
    await untilAnswer(
      () => chainsOf(place.databaseUrl, place, tenant),
      ({ intake, decided }) => intake && decided,
    );
  },
  'no error logged': ({ place, logged }) => {
    expect(place.failures().filter((line) => !logged.includes(line))).toEqual([]);
  },
};

/** After an outage all processes connect at once, and the server may have no connection left for a moment. */
function undefinedIfUnavailable(error: unknown): undefined {
  if (!isUnavailable(error)) throw error;
  return undefined;
}

type About = Parameters<typeof expectedAnswersAbout>[0];

async function differencesOf(place: Installation, { key }: Tenant, subject: About, log: readonly ObservedEvent[]) {
  const expected = expectedAnswersAbout(subject, log);
  const asked = place.all('api').flatMap(({ url }) => expected.map((each) => differencesFrom(url, key, each)));
  return (await Promise.all(asked)).flat();
}
