import type { DestinationSettings } from '@ledgerline/contracts/events/destination.events';
import { AUDIT_ACTIONS } from '../audit/audited-events';

/** Types of messages beside the actions of the audit log. */
export const OBSERVED_TYPES = [
  'monitor.down',
  'monitor.up',
  'monitor.unknown',
  'monitor.warning',
  'link.clicked',
  'goal.reached',
] as const;
export type ObservedType = (typeof OBSERVED_TYPES)[number];

/** Types of messages that a destination gets from what names it, whatever it wants beside. */
export const NAMED_TYPES = ['alert.fired', 'alert.over', 'alert.blind', 'alert.seeing', 'report.ready'] as const;
export type NamedType = (typeof NAMED_TYPES)[number];

/** What a destination can want. */
export const MESSAGE_TYPES: readonly string[] = [...AUDIT_ACTIONS, ...OBSERVED_TYPES];

export const isObservedType = (type: string): type is ObservedType => OBSERVED_TYPES.some((each) => each === type);

/** A message to a destination; `data` names what it is about. */
export interface DestinationMessage {
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: MessageData;
}

export interface MessageData extends MessageSubject {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** The things that a message is about. */
export interface MessageSubject {
  readonly organizationId: string;
  readonly websiteId?: string;
  readonly linkId?: string;
  readonly monitorId?: string;
  readonly goalId?: string;
}

type Wishes = Pick<DestinationSettings, 'sends' | 'websiteIds' | 'linkIds' | 'monitorIds' | 'goalIds'>;

/**
 * Returns whether a destination gets a message: of its types, about one of its websites, links, monitors and goals. One
 * about several monitors, as an incident, needs one of them.
 */
export function isWanted(
  wishes: Wishes,
  { type, data }: { readonly type: string; readonly data: MessageSubject },
  monitorIds: readonly string[] = data.monitorId === undefined ? [] : [data.monitorId],
): boolean {
  const { sends, websiteIds, linkIds, goalIds } = wishes;
  const isAbout = (ids: readonly string[] | null, id: string | undefined) =>
    id === undefined || ids === null || ids.includes(id);
  const ofMonitors = wishes.monitorIds === null || monitorIds.length === 0;
  return (
    sends.includes(type) &&
    isAbout(websiteIds, data.websiteId) &&
    isAbout(linkIds, data.linkId) &&
    isAbout(goalIds, data.goalId) &&
    (ofMonitors || monitorIds.some((id) => wishes.monitorIds?.includes(id)))
  );
}
