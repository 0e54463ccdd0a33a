import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import {
  INCIDENT_SEVERITIES,
  INCIDENT_STATUSES,
  type IncidentSeverity,
  type IncidentStatus,
  type IncidentUpdate,
} from '@ledgerline/contracts/events/status-page.events';
import type { Incident, StatusPage } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/decider';
import {
  MONITOR_STATUSES,
  OVERALL_STATUSES,
  overallStatus,
  type OverallStatus,
} from '@ledgerline/domain/monitors/status';
import { Registry } from '@ledgerline/domain/registry/registry';
import { shownOccurrences, type ShownOccurrence } from '@ledgerline/domain/status-pages/occurrences';
import { monitorsUnderMaintenance, withIncidents } from '@ledgerline/domain/status-pages/overall';
import { repeatText } from '@ledgerline/domain/status-pages/repeat-text';
import { notFound } from '../../http/problems';
import { arraySchema, object, text } from '../../http/record.dto';
import { MONITOR_DAY, type MonitorReport, MonitorStatuses, REPORTED_DAYS } from '../monitor-statuses';

/** All that a status page shows. */
export interface StatusReport {
  readonly name: string;
  readonly description: string | null;
  /** When the page itself was changed last. */
  readonly updatedAt: string;
  readonly timezone: string;
  readonly overallStatus: OverallStatus;
  readonly monitors: readonly PublicMonitor[];
  /** The newest first: those that go on, are planned, or began within the reported days. */
  readonly incidents: readonly PublicIncident[];
}

/** Without why and since when it is down: that may say something about what is behind it. */
const PRIVATE = ['failure', 'warning', 'detail', 'certificateExpiresAt', 'downSince', 'downtimes'] as const;
export type PublicMonitor = Omit<MonitorReport, (typeof PRIVATE)[number]>;

export interface PublicIncident {
  /** The id; that of an occurrence of a repeating maintenance has the day on which it begins. */
  readonly id: string;
  readonly title: string;
  readonly status: IncidentStatus;
  readonly severity: IncidentSeverity;
  /** The creation; of an occurrence since when it was the next one. */
  readonly createdAt: string;
  readonly resolvedAt: string | null;
  /** The begin of a maintenance. */
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** When it takes place again, in a sentence. */
  readonly repeats: string | null;
  readonly updates: readonly IncidentUpdate[];
}

/** The time for which the state of monitors is kept in memory, ms: many may look at a page while something is down. */
const KEPT_MS = 5_000;
const DAY_MS = 86_400_000;

/** Reads what everybody sees of public status pages. */
@Injectable()
export class StatusReports {
  private readonly monitors = new LRUCache<string, readonly MonitorReport[]>({ max: 1_000, ttl: KEPT_MS });

  constructor(
    private readonly registry: Registry,
    private readonly statuses: MonitorStatuses,
  ) {}

  /** By slug. */
  get slugs(): readonly string[] {
    return this.registry
      .all('statusPages')
      .flatMap(({ slug, isPublic }) => (isPublic ? [slug] : []))
      .sort();
  }

  /** @throws Problem NOT_FOUND for no public page */
  async of(slug: string, now = Date.now()): Promise<StatusReport> {
    const page = this.registry.all('statusPages').find((each) => each.slug === slug && each.isPublic);
    if (!page) throw notFound('Status page');
    const reports = await this.reportsOf(page, now);
    const reported = this.registry
      .list('incidents', page.organizationId)
      .filter(({ statusPageId }) => statusPageId === page.id);
    const shown = reported.flatMap((incident) => publicIncidents(incident, now));
    const incidents = [...shown, ...reports.flatMap(downtimesOf)]
      .filter((incident) => isShown(incident, now))
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
    const status = overallStatus(reports.map(({ currentStatus }) => currentStatus));
    return {
      name: page.name,
      description: page.description,
      timezone: page.timezone,
      updatedAt: page.updatedAt.toISOString(),
      overallStatus: withIncidents(status, reported, now),
      monitors: reports.map((report) => omit(report, ...PRIVATE)),
      incidents,
    };
  }

  private async reportsOf({ organizationId, monitorIds }: StatusPage, now: number): Promise<readonly MonitorReport[]> {
    const monitors = monitorIds.flatMap((id) => this.registry.find('monitors', id) ?? []);
    const maintained = monitorsUnderMaintenance(this.registry, organizationId, now);
    const key = monitors.map(({ id, revision }) => `${id} ${revision} ${maintained.has(id)}`).join();
    const kept = this.monitors.get(key);
    if (kept) return kept;
    const reports = await this.statuses.of(monitors, now);
    this.monitors.set(key, reports);
    return reports;
  }
}

/** One, or of a repeating maintenance its occurrences that are shown. */
function publicIncidents(incident: Incident, now: number): readonly PublicIncident[] {
  const { id, title, status, severity, createdAt, resolvedAt, startsAt, endsAt, repeat, updates } = incident;
  if (repeat) return shownOccurrences(incident, now).map((each) => publicOccurrence(incident, each, now));
  // a maintenance ends at its planned time unless it was resolved before
  const isOver = resolvedAt === null && endsAt !== null && Date.parse(endsAt) <= now;
  return [
    {
      id,
      title,
      severity,
      startsAt,
      endsAt,
      updates,
      createdAt: createdAt.toISOString(),
      status: isOver ? 'resolved' : status,
      resolvedAt: isOver ? endsAt : resolvedAt,
      repeats: null,
    },
  ];
}

/** With what was said about the whole series before it was over, and about itself. */
function publicOccurrence(incident: Incident, occurrence: ShownOccurrence, now: number): PublicIncident {
  const { id, title, severity, repeat } = incident;
  const { day, startsAt, endsAt, overAt, announcedAt } = occurrence;
  const updates = incident.updates.filter((update) =>
    update.occurrence ? update.occurrence === day : Date.parse(update.at) <= overAt,
  );
  const isOver = overAt <= now;
  return {
    id: `${id}.${day ?? ''}`,
    title,
    severity,
    status: isOver ? 'resolved' : (updates.at(-1)?.status ?? incident.status),
    createdAt: instant(announcedAt),
    resolvedAt: isOver ? instant(overAt) : null,
    startsAt: instant(startsAt),
    endsAt: instant(endsAt),
    repeats: repeat ? repeatText(repeat) : null,
    updates: updates.map((update) => omit(update, 'occurrence')),
  };
}

const instant = (at: number): string => new Date(at).toISOString();

/** Downtimes as incidents, which open and close by themselves. */
const downtimesOf = ({ id, name, downtimes }: MonitorReport): readonly PublicIncident[] =>
  downtimes.map(({ startedAt, endedAt }) => ({
    id: `inc_${derivedEventId(id, 'downtime', String(startedAt))}`,
    title: endedAt === null ? `${name} is down` : `${name} was down`,
    status: endedAt === null ? 'investigating' : 'resolved',
    severity: 'major',
    createdAt: instant(startedAt),
    resolvedAt: endedAt === null ? null : instant(endedAt),
    startsAt: null,
    endsAt: null,
    repeats: null,
    updates: [],
  }));

const isShown = ({ resolvedAt }: PublicIncident, now: number): boolean =>
  resolvedAt === null || Date.parse(resolvedAt) > now - REPORTED_DAYS * DAY_MS;

const orNull = (type: string) => ({ type: [type, 'null'] });
const timeOrNull = { ...orNull('string'), format: 'date-time' };
const time = { ...text, format: 'date-time' };

const MONITOR = object({
  id: text,
  name: text,
  currentStatus: { ...text, enum: MONITOR_STATUSES },
  lastCheckedAt: timeOrNull,
  uptimePercentage: { ...orNull('number'), description: 'Of all days' },
  dailyData: { ...arraySchema(MONITOR_DAY), description: '90 days of UTC up to today' },
});

const INCIDENT = object({
  id: { ...text, description: 'Of a maintenance that repeats: of this occurrence' },
  title: text,
  status: { ...text, enum: INCIDENT_STATUSES },
  severity: { ...text, enum: INCIDENT_SEVERITIES },
  createdAt: time,
  resolvedAt: timeOrNull,
  startsAt: { ...timeOrNull, description: 'Of a planned maintenance' },
  endsAt: timeOrNull,
  repeats: { ...orNull('string'), description: 'When a maintenance takes place again, in a sentence' },
  updates: arraySchema(object({ at: time, status: { ...text, enum: INCIDENT_STATUSES }, message: text })),
});

/** The schema of a status report. */
export const STATUS_REPORT = object({
  name: text,
  description: orNull('string'),
  timezone: { ...text, description: 'IANA; of the times that the page shows' },
  updatedAt: { ...time, description: 'When the page itself was changed last' },
  overallStatus: { ...text, enum: OVERALL_STATUSES },
  monitors: arraySchema(MONITOR),
  incidents: arraySchema(INCIDENT),
});
