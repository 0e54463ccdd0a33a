import { ask, type Answer } from '../api/ask';
import { readAuditLog } from '../api/audit-log';
import { ok } from '../api/every-change';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { monitorCheck } from '../monitors/random-checks';
import { projectInto, type DirectProjector } from '../query/projected-database';

const HOUR = 3_600_000;
const SECRET = 'token=SECRET';

/** A website to which all that `annotations` knows has happened, and as much to another one of its organization. */
export class HistoryScene {
  readonly ids = { link: '', monitor: '', incident: '', own: '', everywhere: '', other: '' };
  readonly now = Date.now();

  private constructor(
    readonly api: TestApi,
    readonly projector: DirectProjector,
    readonly owner: Owner,
  ) {}

  static async open(): Promise<HistoryScene> {
    const api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000' });
    const projector = await projectInto(api.settings.databaseUrl, []);
    const scene = new HistoryScene(api, projector, await ownerWithWebsite(api));
    await scene.note();
    await scene.change();
    await scene.check();
    await projector.catchUp();
    return scene;
  }

  async close(): Promise<void> {
    await this.projector.close();
    await this.api.close();
  }

  /** From the day two days ago up to tomorrow, in UTC, which is the website's zone. */
  wish(more: object = {}) {
    const { firstDay: startDate, now } = this;
    return { parameters: ['annotations'], startDate, endDate: dayOf(now + 24 * HOUR), ...more };
  }

  asked(headers: Readonly<Record<string, string>>, more: object = {}): Promise<Answer> {
    const path = `POST /v1/query?website_id=${this.owner.websiteId}` as const;
    return ask(this.api, path, { body: this.wish(more), headers });
  }

  /** The changes of the commands, in their order: kind, text, subject and the action in the audit log. */
  get changes() {
    const { ids, owner } = this;
    const moved = 'Target of the link Poster changed from https://example.com/old to https://example.com/new';
    const opened = 'Settings of the website Shop changed: is public from false to true';
    return [
      ['link_target_changed', moved, ids.link, 'link.updated'],
      ['flag_changed', 'Flag own created: active', ids.own, 'flag.created'],
      ['flag_changed', 'Flag own changed: status from active to inactive', ids.own, 'flag.updated'],
      ['flag_changed', 'Flag everywhere created: active', ids.everywhere, 'flag.created'],
      ['website_changed', opened, owner.websiteId, 'website.updated'],
      ['incident_opened', 'Incident opened: Orders fail', ids.incident, 'incident.created'],
      ['incident_resolved', 'Incident resolved: Orders fail', ids.incident, 'incident.updated'],
    ] as const;
  }

  /** The rows, out of the annotations, the checks that were sent and the audit log, which reads the event store. */
  async naiveRows(): Promise<readonly object[]> {
    const rows: Record<string, string | null>[] = [];
    const { api, owner, ids, now } = this;
    const notes = await ok(api, `GET /v1/annotations?organizationId=${owner.organizationId}`, owner);
    for (const note of notes.body.data as Record<string, string | null>[]) {
      const at = note.at ?? note.from ?? '';
      const until = note.to ?? null;
      if (note.linkId !== null || (note.websiteId !== null && note.websiteId !== owner.websiteId)) continue;
      if ((until ?? at) < `${this.firstDay}T00:00:00.000Z`) continue;
      const subject = note.websiteId ?? null;
      rows.push({ at, until, kind: note.kind ?? 'note', text: note.text!, id: note.id!, subject });
    }
    const times = { down: now - 30 * HOUR, up: now - 29 * HOUR };
    const downtime = (kind: 'down' | 'up', text: string, until: string | null) => {
      const id = `${ids.monitor}_monitor_${kind}_${times[kind]}`;
      rows.push({ at: iso(times[kind]), until, kind: `monitor_${kind}`, text, id, subject: ids.monitor });
    };
    downtime('down', 'Monitor Door went down', iso(times.up));
    downtime('up', 'Monitor Door is up again', null);
    const entries = (await readAuditLog(api, owner)).toReversed();
    for (const [kind, text, subject, action] of this.changes) {
      const at = entries.findIndex(
        (entry) => entry.action === action && entry.target.id === subject && !('externalId' in entry.changes),
      );
      const [entry] = at < 0 ? [] : entries.splice(at, 1);
      if (!entry) throw new Error(`The audit log has no ${action}.`);
      rows.push({ at: entry.recordedAt, until: null, kind, text, id: entry.id, subject });
    }
    return rows.sort((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1));
  }

  /** Creates something of the organization, and returns its id. */
  async created(path: string, body: object): Promise<string> {
    const { organizationId, headers } = this.owner;
    return (await ok(this.api, `POST ${path}`, { body: { organizationId, ...body }, headers })).body.id as string;
  }

  private get firstDay(): string {
    return dayOf(this.now - 48 * HOUR);
  }

  private async changed(path: string, body: object): Promise<void> {
    await ok(this.api, `PATCH ${path}`, { body, headers: this.owner.headers });
  }

  private async note(): Promise<void> {
    const { ids, now } = this;
    const { websiteId } = this.owner;
    ids.other = await this.created('/v1/websites', { name: 'Other', domain: 'other.example' });
    ids.link = await this.created('/v1/links', { name: 'Poster', targetUrl: `https://example.com/old?${SECRET}` });
    const note = (text: string, hours: number, more: object) =>
      this.created('/v1/annotations', { text, at: iso(now - hours * HOUR), ...more });
    await note('Of the shop', 3, { websiteId });
    await note('Version 2', 2, { websiteId, kind: 'deploy' });
    await note('Of the other', 2, { websiteId: ids.other });
    await note('Printed', 2, { linkId: ids.link });
    await note('Long ago', 100, { websiteId });
    await note('Lasts into the range', 0, { at: null, from: iso(now - 100 * HOUR), to: iso(now) });
  }

  private async change(): Promise<void> {
    const { ids } = this;
    const { websiteId } = this.owner;
    await this.changed(`/v1/links/${ids.link}`, { targetUrl: `https://example.com/new?${SECRET}` });
    await this.changed(`/v1/links/${ids.link}`, { externalId: 'x' });
    const flag = { name: 'A flag', type: 'boolean' };
    ids.own = await this.created('/v1/flags', { websiteId, key: 'own', ...flag });
    await this.changed(`/v1/flags/${ids.own}`, { status: 'inactive' });
    await this.created('/v1/flags', { websiteId: ids.other, key: 'theirs', ...flag });
    ids.everywhere = await this.created('/v1/flags', { key: 'everywhere', ...flag });
    await this.changed(`/v1/websites/${websiteId}`, { isPublic: true });
    await this.changed(`/v1/websites/${ids.other}`, { name: 'Else' });
    const page = `/v1/status-pages/${await this.created('/v1/status-pages', { slug: 'history-page', name: 'Shop' })}`;
    const incident = { organizationId: undefined, title: 'Orders fail', severity: 'major', message: 'Looking.' };
    ids.incident = await this.created(`${page}/incidents`, incident);
    const update = { status: 'resolved', message: 'Over.' };
    await this.changed(`${page}/incidents/${ids.incident}`, { update });
  }

  /** Down for an hour. */
  private async check(): Promise<void> {
    const { ids, now, projector, owner } = this;
    ids.monitor = await this.created('/v1/monitors', { name: 'Door', url: 'https://example.com/' });
    const of = { organizationId: owner.organizationId, intervalSeconds: 1_800 };
    const checks = [true, false, false, true].map((up, n) =>
      monitorCheck(ids.monitor, now - (30.5 - n / 2) * HOUR, { ...of, up }),
    );
    await projector.send(ids.monitor, checks);
  }
}

const dayOf = (time: number): string => iso(time).slice(0, 10);

const iso = (time: number): string => new Date(time).toISOString();
