import type {
  MonitorCreated,
  MonitorDeleted,
  MonitorSettings,
  MonitorUpdated,
} from '@ledgerline/contracts/events/monitor.events';
import type { StoredRecords } from '@ledgerline/contracts/records';
import { specify } from '@test/domain/given';
import { Registry } from '../registry/registry';
import { monitor, plainMonitor, type CreateMonitor, type DeleteMonitor, type UpdateMonitor } from './monitor.decider';

describe('a monitor', () => {
  it('is created once', () => {
    given().when(create()).then(created());
    given(created()).when(create()).rejects('MONITOR_EXISTS');
  });

  it('is updated, and keeps what its fields held before', () =>
    given(created())
      .when(update({ name: 'Api', intervalSeconds: 30 }))
      .then(updated({ name: 'Api', intervalSeconds: 30 }, { name: 'Shop', intervalSeconds: 60 })));

  it('stays without an event when an update changes nothing', () =>
    given(created())
      .when(update({ name: 'Shop', headerNames: [] }))
      .then());

  it('is paused and resumed', () => {
    given(created())
      .when(update({ paused: true }))
      .then(updated({ paused: true }, { paused: false }));
    given(created(), updated({ paused: true }, { paused: false }))
      .when(update({ paused: false }))
      .then(updated({ paused: false }, { paused: true }));
  });

  it('is deleted for good, and what its headers held is not repeated', () => {
    given(created({ sealedHeaders: 'sealed' }))
      .when(remove)
      .then(deleted);
    given(created(), deleted).when(remove).rejects('MONITOR_NOT_FOUND');
    given(created(), deleted)
      .when(update({ name: 'Late' }))
      .rejects('MONITOR_NOT_FOUND');
    given(created(), deleted).when(create()).rejects('MONITOR_EXISTS');
  });

  it.each([
    ['ADDRESS_INVALID', { url: 'ftp://example.com/' }],
    ['ADDRESS_INVALID', { url: 'https://user:password@example.com/' }],
    ['MONITOR_TEXT_INVALID', { method: 'HEAD', expectedText: 'ok' }],
    ['MONITOR_TEXT_INVALID', { method: 'HEAD', unwantedText: 'error' }],
    ['MONITOR_BODY_INVALID', { method: 'GET', body: '{}' }],
  ] as const)('is refused with %s when it is %j', (fact, settings) => {
    given().when(create(settings)).rejects(fact);
    given(created()).when(update(settings)).rejects(fact);
  });
});

it('of an earlier version is read with the defaults of options that there were not yet', () => {
  const { unwantedText: _1, slowAfterMs: _2, certificateDays: _3, ignoreTlsErrors: _4, body: _5, ...earlier } = DATA;
  const { monitorId: id, ...details } = { ...earlier, timeoutSeconds: 3 };
  const registry = new Registry();
  const own = { id, organizationId: 'org_1', createdAt: new Date(0), updatedAt: new Date(0), revision: 0 };
  const defined = {
    flags: [],
    goals: [],
    funnels: [],
    segments: [],
    savedViews: [],
    tags: [],
    annotations: [],
    statusPages: [],
    destinations: [],
    alerts: [],
    reports: [],
  };
  const others = { organizations: [], members: [], invitations: [], websites: [], ...defined };
  const stored = { ...own, details } as unknown as StoredRecords['monitors']; // as its row has it
  registry.load({ ...others, monitors: [stored], incidents: [], shares: [], apiKeys: [], oauthGrants: [] });
  expect(registry.find('monitors', id)).toEqual({ ...own, ...DATA, monitorId: undefined, timeoutSeconds: 3 });
  expect(registry.list('monitors', 'org_1')).toEqual([registry.find('monitors', id)]);
});

const given = specify(monitor);

const ID = { monitorId: 'mon_1', organizationId: 'org_1' };
const DATA = { ...ID, ...plainMonitor, name: 'Shop', url: 'https://shop.example/' };
const { sealedHeaders: _, ...SHOWN } = DATA;

const create = (settings: Partial<MonitorSettings> = {}): CreateMonitor => ({
  type: 'CreateMonitor',
  data: { ...DATA, ...settings },
});
const created = (settings: Partial<MonitorSettings> = {}): MonitorCreated => ({
  type: 'MonitorCreated',
  data: { ...DATA, ...settings },
});
const update = (changes: Partial<MonitorSettings>): UpdateMonitor => ({ type: 'UpdateMonitor', data: { changes } });
const updated = (settings: Partial<MonitorSettings>, before: Partial<MonitorSettings>): MonitorUpdated => ({
  type: 'MonitorUpdated',
  data: { ...DATA, ...settings, before },
});
const remove: DeleteMonitor = { type: 'DeleteMonitor', data: {} };
const deleted: MonitorDeleted = { type: 'MonitorDeleted', data: SHOWN };
