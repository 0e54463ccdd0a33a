import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import type { HappeningKind } from '@ledgerline/contracts/read-models/registry';
import { changedFieldsOfEvent } from '../decider';

/** An event as charts show it beside the annotations of people. */
interface Happening {
  readonly kind: HappeningKind;
  readonly organizationId: string;
  /** Null = of no website, or of all of them. */
  readonly websiteId: string | null;
  readonly subject: string;
  readonly text: string;
}

type Types = {
  readonly [Type in DecidedEvent['type']]?: (
    data: Extract<DecidedEvent, { readonly type: Type }>['data'],
  ) => Omit<Happening, 'organizationId' | 'websiteId'> | undefined;
};

const HAPPENINGS: Types = {
  LinkUpdated: ({ linkId: subject, name, targetUrl, before }) =>
    before.targetUrl === undefined
      ? undefined
      : { kind: 'link_target_changed', subject, text: targetText(name, before.targetUrl, targetUrl) },
  FlagCreated: ({ flagId, key, status }) => flagChanged(flagId, `Flag ${key} created: ${status}`),
  FlagUpdated: (data) => flagChanged(data.flagId, `Flag ${data.key} changed: ${changesIn(data)}`),
  FlagDeleted: ({ flagId, key }) => flagChanged(flagId, `Flag ${key} deleted`),
  WebsiteUpdated: (data) => ({
    kind: 'website_changed',
    subject: data.websiteId,
    text: `Settings of the website ${data.name} changed: ${changesIn(data)}`,
  }),
  // a maintenance is planned, and no incident
  IncidentCreated: ({ incidentId: subject, title, severity }) =>
    severity === 'maintenance' ? undefined : { kind: 'incident_opened', subject, text: `Incident opened: ${title}` },
  IncidentUpdated: ({ incidentId: subject, title, severity, resolvedAt, before }) => {
    if (severity === 'maintenance' || before.resolvedAt === undefined) return undefined;
    if (resolvedAt !== null) return { kind: 'incident_resolved', subject, text: `Incident resolved: ${title}` };
    return { kind: 'incident_opened', subject, text: `Incident opened again: ${title}` };
  },
};

/** Undefined for an event that charts do not show. */
export function happeningOf({ type, data }: DecidedEvent): Happening | undefined {
  const found = HAPPENINGS[type]?.(data as never); // of its type
  if (!found) return undefined;
  const { organizationId } = data;
  return { ...found, organizationId, websiteId: 'websiteId' in data ? (data.websiteId ?? null) : null };
}

const flagChanged = (subject: string, text: string) => ({ kind: 'flag_changed' as const, subject, text });

function targetText(name: string, before: string, after: string): string {
  const from = shownAddress(before);
  const to = shownAddress(after);
  return from === to
    ? `Query string of the target of the link ${name} changed: ${to}`
    : `Target of the link ${name} changed from ${from} to ${to}`;
}

const MAX_SHOWN = 200;

/** Without what may be secret. */
function shownAddress(address: string): string {
  const { origin = '', pathname = '' } = parseUrl(address) ?? {};
  const shown = `${origin}${pathname}`; // ASCII
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN - 1)}…` : shown;
}

/** Fields whose values are said; others may be long, or secret. */
const SAID: readonly string[] = ['name', 'status', 'domain', 'isPublic', 'visitorIdentity', 'retentionDays'];

/** `status from active to inactive, rule values`. */
const changesIn = (data: object): string =>
  Object.entries(changedFieldsOfEvent(data))
    .map(([field, { before, after }]) => `${wordsOf(field)}${SAID.includes(field) ? saidChange(before, after) : ''}`)
    .join(', ');

const saidChange = (before: unknown, after: unknown): string => ` from ${said(before)} to ${said(after)}`;

const said = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? 'none' : JSON.stringify(value);

/** `allowedOrigins` → `allowed origins`. */
const wordsOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
