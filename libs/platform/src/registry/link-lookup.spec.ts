import type { LinkEvent, SlugReserved } from '@ledgerline/contracts/events/link.events';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { linkOf, linkRules } from '@ledgerline/domain/registry/record-changes';
import type { EventStore, RecordedEvent } from '../event-store/event-store';
import { LogUnavailable } from '../log/log-reader';
import { LinkLookup, RecentChanges, type StoredLink } from './link-lookup';

describe('the lookup of links', () => {
  it('keeps what the read models hold', async () => {
    const { lookup, find } = setUp({ stored: stored(created, 5) });
    expect(lookup.cached('spring')).toBeUndefined();
    expect(await lookup.inReadModels('spring')).toMatchObject({ id: 'link_1' });
    expect(lookup.cached('spring')).toMatchObject({ id: 'link_1' });
    expect(await lookup.byId('link_1', [])).toMatchObject({ id: 'link_1' });
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('changes a cached link as soon as its change is known, and takes no older one from the read models', async () => {
    const { lookup } = setUp({ stored: stored(created, 5) });
    await lookup.inReadModels('spring');
    lookup.apply(...recorded(renamed, 6));
    expect(lookup.cached('spring')).toBeUndefined();
    const changed = { slug: 'summer', revision: 5, createdAt: new Date(5), updatedAt: new Date(6) };
    expect(lookup.cached('summer')).toMatchObject(changed);
    expect(await lookup.inReadModels('spring')).toBeUndefined();
    lookup.apply(...recorded(created, 3));
    lookup.apply(...recorded({ ...renamed, data: { ...renamed.data, slug: 'late' } }, 6));
    expect(lookup.cached('summer')).toMatchObject(changed);
    lookup.apply(...recorded(removed, 7));
    expect(lookup.cached('summer')).toBeUndefined();
  });

  it('takes a link from read models that include its last change', async () => {
    const { lookup } = setUp({ stored: stored(renamed, 6) });
    lookup.apply(...recorded(renamed, 6));
    expect(await lookup.inReadModels('summer')).toMatchObject({ slug: 'summer' });
    expect(lookup.cached('spring')).toBeUndefined();
  });

  it('takes nothing from read models that are older than the state it began with', async () => {
    const { lookup } = setUp({ stored: stored(created, 5) });
    lookup.load({ cursor: '6' });
    expect(await lookup.inReadModels('spring')).toBeUndefined();
  });

  it('keeps no link that changed while the event store was read', async () => {
    let finish: (events: readonly RecordedEvent[]) => void = () => undefined;
    const slow = new Promise<readonly RecordedEvent[]>((resolve) => (finish = resolve));
    const { lookup, streams } = setUp({});
    const begun = new Promise<void>((resolve) => {
      streams['org_1-link-link_1'] = () => (resolve(), slow);
    });
    const found = lookup.inStore('spring');
    await begun;
    lookup.apply(...recorded(renamed, 6));
    finish([recorded(created, 1)[0]]);
    expect(await found).toMatchObject({ slug: 'spring' }); // as it was when it was asked for
    expect(lookup.cached('spring')).toBeUndefined();
  });

  it('finds a link in the event store by a slug it has, not by one it had', async () => {
    const { lookup, streams } = setUp({});
    streams['org_1-link-link_1'] = () => Promise.resolve([recorded(created, 1)[0], recorded(renamed, 2)[0]]);
    expect(await lookup.inStore('spring')).toBeUndefined();
    expect(await lookup.byId('link_1', ['org_2', 'org_1'])).toMatchObject({ slug: 'summer' });
    expect(await lookup.byId('link_1', [])).toMatchObject({ slug: 'summer', revision: 1, createdBy: 'usr_1' }); // known by now
    expect(await lookup.byId('link_2', ['org_1'])).toBeUndefined();
  });

  it('finds a link by the first and the last of its events, and none that was deleted', async () => {
    const { lookup, streams } = setUp({});
    const events = [created, renamed, renamed].map((event, at) => recorded(event, at + 1)[0]);
    streams['org_1-link-link_1'] = () => Promise.resolve(events);
    const link = { revision: 2, createdAt: events[0]!.recordedAt, updatedAt: events[2]!.recordedAt };
    expect(await lookup.byId('link_1', ['org_1'])).toMatchObject(link);
    streams['org_1-link-link_2'] = () => Promise.resolve([...events, recorded(removed, 4)[0]]);
    expect(await lookup.byId('link_2', ['org_1'])).toBeUndefined();
  });

  it('finds a link by its own events where something else has written to its stream', async () => {
    const { lookup, streams } = setUp({});
    const first = recorded(created, 1)[0];
    const second = recorded(renamed, 2)[0];
    streams['org_1-link-link_1'] = () => Promise.resolve([first, second, { ...second, type: 'Other', revision: 2 }]);
    expect(await lookup.byId('link_1', ['org_1'])).toMatchObject({ slug: 'summer', revision: 1 });
  });

  it('finds nothing of a deleted organization', async () => {
    const { lookup, deleted } = setUp({ stored: stored(created, 5) });
    await lookup.inReadModels('spring');
    deleted.add('org_1');
    expect(lookup.cached('spring')).toBeUndefined();
    expect(await lookup.inReadModels('spring')).toBeUndefined();
    expect(await lookup.inStore('spring')).toBeUndefined();
    expect(await lookup.byId('link_1', ['org_1'])).toBeUndefined();
  });

  it('goes on to the event store while the read models cannot be reached, and fails only with it', async () => {
    const { lookup, find, streams } = setUp({});
    find.mockRejectedValue(new LogUnavailable('away'));
    expect(await lookup.inReadModels('spring')).toBeUndefined();
    streams['global-slug-spring'] = () => Promise.reject(new LogUnavailable('away'));
    await expect(lookup.inStore('spring')).rejects.toThrow(LogUnavailable);
  });

  it('looks nothing up for what can be no link', async () => {
    const { lookup, find } = setUp({});
    for (const slug of ['robots.txt', '', 'a b c', '\0\0\0'])
      expect([await lookup.inReadModels(slug), await lookup.inStore(slug)]).toEqual([undefined, undefined]);
    expect(await lookup.byId('link_\0', ['org_1'])).toBeUndefined();
    expect(find).not.toHaveBeenCalled();
  });
});

describe('the recent changes', () => {
  it('count as included only from their event on, and the forgotten ones from the last that was forgotten', () => {
    const changes = new RecentChanges(compare, 2);
    ['a', 'b', 'a', 'c', 'd'].forEach((id, at) => changes.add(id, String(at + 1)));
    expect([changes.isIncluded('d', '4'), changes.isIncluded('d', '5')]).toEqual([false, true]);
    expect([changes.isIncluded('a', '2'), changes.isIncluded('a', '3')]).toEqual([false, true]);
    expect([changes.isIncluded('other', '2'), changes.isIncluded('other', '3')]).toEqual([false, true]);
  });
});

const compare = (a: string, b: string) => Number(a) - Number(b);
const details = { organizationId: 'org_1', name: 'Spring', targetUrl: 'https://a.test/', ...plainLink };
const created: LinkEvent = {
  type: 'LinkCreated',
  data: { ...details, slug: 'spring', linkId: 'link_1', createdBy: 'usr_1' },
};
const renamed: LinkEvent & { readonly type: 'LinkUpdated' } = {
  type: 'LinkUpdated',
  data: { ...details, slug: 'summer', linkId: 'link_1', before: { slug: 'spring' } },
};
const removed: LinkEvent = {
  type: 'LinkDeleted',
  data: { linkId: 'link_1', organizationId: 'org_1', slug: 'summer', name: 'Spring' },
};
const reserved: SlugReserved = {
  type: 'SlugReserved',
  data: { slug: 'spring', linkId: 'link_1', organizationId: 'org_1' },
};

const recorded = <Of extends LinkEvent | SlugReserved>(event: Of, at: number) =>
  [
    {
      ...event,
      stream: 'org_1-link-link_1',
      metadata: {},
      revision: at - 1,
      recordedAt: new Date(at),
      cursor: String(at),
    } as Of & RecordedEvent,
    String(at),
  ] as const;

/** The link as the read models have it after that event. */
function stored(last: LinkEvent, at: number): StoredLink {
  const link = linkOf([created, last].map((event) => recorded(event, at)[0]))!;
  return { link, cursor: String(at) };
}

function setUp({ stored }: { stored?: StoredLink }) {
  const find = jest.fn(() => Promise.resolve(stored));
  const deleted = new Set<string>();
  const streams: Record<string, () => Promise<readonly RecordedEvent[]>> = {
    'global-slug-spring': () => Promise.resolve([recorded(reserved, 1)[0]]),
    'org_1-link-link_1': () => Promise.resolve([recorded(created, 1)[0]]),
  };
  const readStream: EventStore['readStream'] = async (stream, { direction, limit } = {}) => {
    const events = (await streams[stream]?.()) ?? [];
    return (direction === 'backward' ? events.toReversed() : events).slice(0, limit);
  };
  const organizations = { isDeleted: (id: string) => deleted.has(id) };
  const lookup = new LinkLookup({ find }, { readStream, compare }, organizations, linkRules);
  return { lookup, find, deleted, streams };
}
