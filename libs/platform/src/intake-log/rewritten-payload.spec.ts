import fc from 'fast-check';
import { traffic } from '@test/oracle/random-traffic';
import { encodeHit } from './encoded-hit';
import { withoutEvents } from './rewritten-payload';
import { packEvents, unpackEvents } from './segment-format';

describe('a payload without some of its events', () => {
  it('has the others at their places, also where more leave it later, and no byte of what left', async () => {
    const property = fc.asyncProperty(traffic, fc.infiniteStream(fc.nat(3)), async (some, drawn) => {
      const events = some.events({ websiteId: 'site_1', organizationId: 'org_1', zone: 'UTC' });
      const hits = events.map((event) => encodeHit({ event, subject: 'site_1', dedupe: 'never' }, 1));
      const fates = events.map(() => drawn.next().value as number);
      const at = (fate: number) => new Set(fates.flatMap((each, place) => (each === fate ? [place] : [])));
      let packed = await packEvents(hits);
      for (const fate of [0, 1]) packed = await withoutEvents(packed, at(fate));
      const left = [...unpackEvents(packed.payload, packed.size).entries()].filter(([, event]) => event);
      expect(left).toEqual([...events.entries()].filter(([place]) => (fates[place] ?? 0) > 1));
      const named = new Set(left.map(([, event]) => (event?.data as { visitorId: string | null }).visitorId));
      for (const { data } of events) {
        const { visitorId } = data as { visitorId: string | null };
        if (visitorId !== null && !named.has(visitorId))
          expect(packed.payload.includes(Buffer.from(visitorId, 'hex'))).toBe(false);
      }
    });
    await fc.assert(property, { seed: 68, numRuns: 60, endOnFailure: true });
  });
});
