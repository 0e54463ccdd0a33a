import fc from 'fast-check';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { eachKindOf } from '../events/each-kind';
import { pageView } from '../events/observed-events';
import { identifications } from '../oracle/random-identifications';
import { traffic } from '../oracle/random-traffic';

/** Everything that a website has a table for, always the same but for ids. */
export function visitsOf(websiteId: string): readonly ObservedEvent[] {
  const site = { websiteId, organizationId: 'org_1', zone: 'UTC' };
  const [random] = fc.sample(traffic, { seed: 9, numRuns: 1 });
  const [identified] = fc.sample(identifications, { seed: 3, numRuns: 1 });
  const click = { id: '01HZX0000000000000000000C1', linkId: 'link_1' };
  return [
    ...random!.events(site),
    ...eachKindOf(websiteId, site.zone),
    pageView(Date.parse('2026-05-25T12:00:00Z'), { ...site, visitorId: 'c'.repeat(32), click }),
    ...identified!.events(site, '2026-05-24'),
  ];
}
