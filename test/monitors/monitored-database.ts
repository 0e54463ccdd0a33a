import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { MonitorDetails, MonitorEvent } from '@ledgerline/contracts/events/monitor.events';
import type { IncidentDetails } from '@ledgerline/contracts/events/status-page.events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { plainMonitor } from '@ledgerline/domain/monitors/monitor.decider';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { createTestDatabase } from '../postgres/test-database';
import { projectInto, type DirectProjector } from '../query/projected-database';

/** A database with an organization whose monitors are decided here and projected at once. */
export interface MonitoredDatabase {
  readonly url: string;
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projector: DirectProjector;
  create(id: string, settings: Partial<MonitorDetails>): Promise<void>;
  update(id: string, settings: Partial<MonitorDetails>): Promise<void>;
  delete(id: string): Promise<void>;
  /** Plans a maintenance of monitors, from and to so many minutes from now. */
  maintain(monitorIds: readonly string[], from: number, to: number, more?: Partial<IncidentDetails>): Promise<void>;
  close(): Promise<void>;
}

export async function openMonitoredDatabase(): Promise<MonitoredDatabase> {
  const { url, drop } = await createTestDatabase();
  const projector = await projectInto(url, []);
  const store = await openEventStore({ databaseUrl: url });
  const pool = openPool({ url, name: 'spec', max: 4 });
  const revisions = new Map<string, number>();
  const append = async (stream: string, type: string, data: object) => {
    const expected = revisions.get(stream) ?? 'no-stream';
    const event = { id: randomUUID(), type, data: data as JsonObject, metadata: { actor: 'usr_1' } };
    await store.append(stream, expected, [event]);
    revisions.set(stream, expected === 'no-stream' ? 0 : expected + 1);
    await projector.catchUp();
  };
  const decide = (type: MonitorEvent['type'], id: string, settings: object = {}) =>
    append(RECORD_KINDS.monitors.stream({ organizationId: 'org_1', id }), type, {
      monitorId: id,
      organizationId: 'org_1',
      name: id,
      ...settings,
    });
  const whole = (settings: Partial<MonitorDetails>) => ({ ...plainMonitor, url: 'https://a.example/', ...settings });
  const maintain: MonitoredDatabase['maintain'] = async (monitorIds, from, to, more = {}) => {
    const n = revisions.size;
    const page = { statusPageId: `status_${n}`, organizationId: 'org_1', slug: `page-${n}`, name: 'Page', monitorIds };
    await append(
      RECORD_KINDS.statusPages.stream({ organizationId: 'org_1', slug: page.slug }),
      'StatusPageCreated',
      page,
    );
    const [startsAt, endsAt] = [from, to].map((minutes) => new Date(Date.now() + minutes * 60_000).toISOString());
    const planned = { severity: 'maintenance', monitorIds, startsAt, endsAt, resolvedAt: null, updates: [] };
    const incident = {
      incidentId: `inc_${n}`,
      organizationId: 'org_1',
      statusPageId: page.statusPageId,
      ...planned,
      ...more,
    };
    await append(
      RECORD_KINDS.incidents.stream({ organizationId: 'org_1', id: incident.incidentId }),
      'IncidentCreated',
      incident,
    );
  };
  const organization = { organizationId: 'org_1', name: 'Acme', ownerId: 'usr_1' };
  await append(RECORD_KINDS.organizations.stream({ id: 'org_1' }), 'OrganizationCreated', organization);
  return {
    url,
    pool,
    store,
    projector,
    create: (id, settings) => decide('MonitorCreated', id, whole(settings)),
    update: (id, settings) => decide('MonitorUpdated', id, { ...whole(settings), before: {} }),
    delete: (id) => decide('MonitorDeleted', id),
    maintain,
    close: async () => {
      await Promise.all([projector.close(), store.close(), pool.end()]);
      await drop();
    },
  };
}
