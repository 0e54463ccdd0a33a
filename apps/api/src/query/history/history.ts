import { Inject, Injectable } from '@nestjs/common';
import { HAPPENING_KINDS, type HappeningKind } from '@ledgerline/contracts/read-models/registry';
import type { RecordOf } from '@ledgerline/contracts/records';
import { type Action, type Caller, may, organizationsOf } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { POOL } from '../../tokens';
import type { AnnotationRow } from '../types/website/annotations.query-type';
import { type MonitorDowntimeRow, readDowntimes } from './read-downtimes';
import { readHappenings, type HistoryRange } from './read-happenings';
import { readTold, type ToldRow } from './read-told';

/** The subject whose history is wanted: that of a website, of a link or, with neither, of all of the organization. */
export interface HistoryOf {
  readonly organizationId: string;
  readonly websiteId?: string | undefined;
  readonly linkId?: string | undefined;
}

interface History {
  readonly rows: readonly AnnotationRow[];
  readonly notes: readonly string[];
}

/** The permission that a caller needs to see events of each kind. */
const READS: Readonly<Record<HappeningKind, Action>> = {
  link_target_changed: 'links:read',
  flag_changed: 'flags:read',
  website_changed: 'websites:read',
  incident_opened: 'statusPages:read',
  incident_resolved: 'statusPages:read',
};

/** So many of the newest changes, downtimes and alerts are listed; what people note is limited anyway. */
const MAX_HAPPENED = 1_000;

/** Reads what people and programs noted, and what the product knows itself, as far as a caller may read it. */
@Injectable()
export class Histories {
  constructor(
    private readonly registry: Registry,
    private readonly links: LinkLookup,
    private readonly stores: ReadStores,
    @Inject(POOL) private readonly main: Queryable,
  ) {}

  /** In no order. @throws RebuildingProblem of monitors · ReadStoreUnavailable */
  async find(caller: Caller, of: HistoryOf, span: HistoryRange): Promise<History> {
    const known = await this.changes(caller, of, span);
    const changes = known ?? [];
    const downtimes = await this.downtimes(caller, of, span);
    const alerts = await this.told(caller, of, span);
    const listed = { changes: changes.slice(0, MAX_HAPPENED), downtimes: downtimes.slice(0, MAX_HAPPENED) };
    const cut = Object.entries({ changes, downtimes, alerts }).filter(([, { length }]) => length > MAX_HAPPENED);
    return {
      rows: [
        ...this.noted(caller, of, span),
        ...listed.changes,
        ...listed.downtimes.flatMap(rowsIn(span)),
        ...alerts.slice(0, MAX_HAPPENED),
      ],
      notes: [
        ...(known ? [] : ['Changes and incidents are missing: their table is not filled yet.']),
        ...cut.map(([name]) => `Of the ${name} in the range the newest ${MAX_HAPPENED} are listed.`),
      ],
    };
  }

  /** Reads the history of the website or link of a question, whose caller may read it. */
  async about(caller: Caller, id: string, span: HistoryRange): Promise<History> {
    const website = this.registry.find('websites', id);
    if (website) return this.find(caller, { organizationId: website.organizationId, websiteId: id }, span);
    const link = await this.links.byId(id, organizationsOf(caller));
    return link ? this.find(caller, { organizationId: link.organizationId, linkId: id }, span) : NOTHING;
  }

  private noted(caller: Caller, { organizationId, websiteId, linkId }: HistoryOf, span: HistoryRange): AnnotationRow[] {
    const isOfAll = websiteId === undefined && linkId === undefined;
    return this.registry
      .list('annotations', organizationId)
      .filter(
        (each) =>
          isOfAll ||
          (each.websiteId === null && each.linkId === null) ||
          each.websiteId === (websiteId ?? '') ||
          each.linkId === (linkId ?? ''),
      )
      .filter((each) => may(caller, 'annotations:read', { organizationId, websiteId: each.websiteId }))
      .map(notedRow)
      .filter((row) => isIn(span, row));
  }

  private async changes(caller: Caller, { organizationId, websiteId, linkId }: HistoryOf, span: HistoryRange) {
    const websites =
      websiteId === undefined ? this.registry.list('websites', organizationId).map(({ id }) => id) : [websiteId];
    const isRead = (kind: HappeningKind, of: string | null) =>
      may(caller, READS[kind], { organizationId, websiteId: of });
    const kinds =
      linkId === undefined
        ? HAPPENING_KINDS.map((kind) => ({ kind, of: [null, ...websites].filter((website) => isRead(kind, website)) }))
        : [{ kind: LINK_KIND, of: isRead(LINK_KIND, null) ? [null] : [] }];
    return readHappenings(this.main, { organizationId, kinds, subject: linkId, span, limit: MAX_HAPPENED + 1 });
  }

  /** Monitors are of the organization. */
  private async downtimes(
    caller: Caller,
    { organizationId, linkId }: HistoryOf,
    span: HistoryRange,
  ): Promise<NamedDowntime[]> {
    if (linkId !== undefined || !may(caller, 'monitors:read', { organizationId })) return [];
    const monitors = new Map(this.registry.list('monitors', organizationId).map(({ id, name }) => [id, name]));
    const found = await readDowntimes(this.stores, [...monitors.keys()], span, MAX_HAPPENED + 1);
    return found.map((downtime) => ({ ...downtime, name: monitors.get(downtime.id) ?? '' }));
  }

  /** What alerts about the website or link told. */
  private async told(caller: Caller, { organizationId, ...of }: HistoryOf, span: HistoryRange) {
    const isOfAll = of.websiteId === undefined && of.linkId === undefined;
    const read = this.registry
      .list('alerts', organizationId)
      .filter(({ websiteId, linkId }) => isOfAll || websiteId === (of.websiteId ?? '') || linkId === (of.linkId ?? ''))
      .filter(({ websiteId }) => may(caller, 'alerts:read', { organizationId, websiteId }));
    if (read.length === 0) return [];
    const alerts = new Map(read.map((alert) => [alert.id, alert]));
    const found = await readTold(this.stores, [...alerts.keys()], span, MAX_HAPPENED + 1);
    return found.map(({ alertId, ...told }) => toldRow(told, alerts.get(alertId)));
  }
}

const LINK_KIND: HappeningKind = 'link_target_changed';

const NOTHING: History = { rows: [], notes: [] };

function notedRow({ id, kind, text, at, from, to, websiteId, linkId }: RecordOf<'annotations'>): AnnotationRow {
  const until = to === null ? null : Date.parse(to);
  return { at: Date.parse(at ?? from ?? ''), until, kind: kind ?? 'note', text, id, subject: websiteId ?? linkId };
}

const toldRow = (
  { figure, usual, ...told }: Omit<ToldRow, 'alertId'>,
  alert: RecordOf<'alerts'> | undefined,
): AnnotationRow => ({
  ...told,
  kind: 'alert_fired',
  text: `${alert?.name ?? ''}: ${amount(figure)}${usual === null ? '' : `, usual ${amount(usual)}`}`,
  subject: alert?.websiteId ?? alert?.linkId ?? null,
});

const amount = (figure: number | null): string => (figure === null ? 'none' : String(Math.round(figure * 100) / 100));

interface NamedDowntime extends MonitorDowntimeRow {
  readonly name: string;
}

/**
 * Returns rows that say that a monitor went down, also before the range if it lasted into it, and that it came up
 * again.
 */
const rowsIn =
  (span: HistoryRange) =>
  ({ id: subject, name, startedAt, endedAt }: NamedDowntime): AnnotationRow[] => {
    const row = (
      kind: 'monitor_down' | 'monitor_up',
      at: number,
      until: number | null,
      does: string,
    ): AnnotationRow => {
      return { at, until, kind, text: `Monitor ${name} ${does}`, id: `${subject}_${kind}_${at}`, subject };
    };
    const down = row('monitor_down', startedAt, endedAt, 'went down');
    const rows = endedAt === null ? [down] : [down, row('monitor_up', endedAt, null, 'is up again')];
    return rows.filter((each) => isIn(span, each));
  };

const isIn = ({ from, to }: HistoryRange, { at, until }: AnnotationRow): boolean =>
  at < to && (until === null ? at >= from : until > from);
