import type {
  AlertDecided,
  LinkClicked,
  MonitorChecked,
  ReportReady,
} from '@ledgerline/contracts/events/observed-events';
import { type GoalHit, isGoalHit, meets } from '@ledgerline/domain/goals/reached-goal';
import type { DestinationMessage } from '@ledgerline/domain/messages/message';
import {
  BATCH_MS,
  type MessagePosition,
  type OpenBatch,
  addToBatch,
  isFresh,
} from '@ledgerline/domain/messages/message-batch';
import {
  type MonitorMessage,
  type ToldMonitor,
  lapsed,
  messagesAfterCheck,
} from '@ledgerline/domain/monitors/monitor-messages';
import { isStale } from '@ledgerline/domain/monitors/status';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { ObservedRecords } from './observed-records';

/** What is remembered under a key between two batches of events. */
export interface ObservedFold {
  readonly key: string;
  readonly state: ToldMonitor | OpenBatch;
  /** Epoch ms when time alone changes it; null = it waits for events. */
  readonly dueAt: number | null;
}

/** A message, and what tells it from all others. */
export interface FoldedMessage {
  readonly content: string;
  /** Epoch ms: destinations that are newer do not get it. */
  readonly since: number;
  /** The destinations that a record names; absent = those that want the message. */
  readonly destinationIds?: readonly string[];
  readonly message: DestinationMessage;
}

/** What events of one partition add: folds that changed (null = there is none any more), and messages in their order. */
export class ObservedFolds {
  readonly messages: FoldedMessage[] = [];
  private readonly changed = new Map<string, ObservedFold | null>();

  constructor(
    private readonly held: ReadonlyMap<string, ObservedFold>,
    private readonly records: ObservedRecords,
    private readonly partition: number,
    /** Epoch ms, by the clock of the database. */
    private readonly now: number,
  ) {}

  get changes(): ReadonlyMap<string, ObservedFold | null> {
    return this.changed;
  }

  add({ event, offset }: LoggedHit): void {
    if (event.type === 'MonitorChecked') this.addCheck(event, offset);
    else if (event.type === 'AlertDecided') this.addDecision(event, offset);
    else if (event.type === 'ReportReady') this.addReport(event, offset);
    else if (!isFresh(event)) return;
    else if (event.type === 'LinkClicked') {
      const { organizationId, linkId } = event.data;
      if (this.records.wanting({ type: 'link.clicked', data: { organizationId, linkId } }).length > 0)
        this.addToBatch(linkKey(linkId), event, offset);
    } else if (isGoalHit(event)) {
      for (const { id, condition } of this.records.goalsOf(event.data.websiteId))
        if (meets(event, condition)) this.addToBatch(goalKey(id), event, offset);
    }
  }

  /** Sends batches whose time has come, and looks after monitors that are down. */
  pass(): void {
    for (const key of new Set([...this.held.keys(), ...this.changed.keys()])) {
      const fold = this.fold(key);
      if (!fold || fold.dueAt === null || fold.dueAt > this.now) continue;
      if ('items' in fold.state) this.closeBatch(key, fold.state);
      else this.lookAfter(key, fold.state);
    }
  }

  private fold(key: string): ObservedFold | undefined {
    const changed = this.changed.get(key);
    return changed === null ? undefined : (changed ?? this.held.get(key));
  }

  private addCheck(check: MonitorChecked, offset: number): void {
    const { monitorId } = check.data;
    if (!this.records.monitor(monitorId)) return; // deleted, or nobody wants to know
    const key = monitorKey(monitorId);
    const before = this.fold(key)?.state;
    const { state, messages } = messagesAfterCheck(before && 'told' in before ? before : undefined, check);
    this.keepMonitor(key, state);
    const position = { partition: this.partition, offset };
    for (const each of messages) this.sayOfMonitor(monitorId, check.id, each, { position, since: check.receivedAt });
  }

  private keepMonitor(key: string, state: ToldMonitor): void {
    const dueAt = state.told === 'down' ? this.now + LOOKED_AFTER_MS : null;
    this.changed.set(key, { key, state, dueAt });
  }

  /** A monitor that is down may be paused, deleted, or not be checked any more. */
  private lookAfter(key: string, state: ToldMonitor): void {
    const monitorId = idIn(key);
    const monitor = this.records.monitor(monitorId);
    if (!monitor) {
      this.changed.set(key, null);
      return;
    }
    const from = `${monitorId}-${state.checks?.lastAt ?? 0}`;
    const isOver = monitor.paused || !state.checks || isStale(state.checks, this.now);
    const after = isOver ? lapsed(state, monitor.paused ? 'pause' : 'gap', this.now) : { state, messages: [] };
    this.keepMonitor(key, after.state);
    for (const each of after.messages) this.sayOfMonitor(monitorId, from, each, { position: null, since: this.now });
  }

  private sayOfMonitor(
    monitorId: string,
    from: string,
    { type, at, ...details }: MonitorMessage,
    { position, since }: { readonly position: MessagePosition | null; readonly since: number },
  ): void {
    const monitor = this.records.monitor(monitorId);
    if (!monitor) return;
    const { organizationId, name } = monitor;
    const begun = 'since' in details ? { since: details.since && new Date(details.since).toISOString() } : {};
    const data = { id: from, organizationId, monitorId, position, name, ...details, ...begun };
    const message = { type, timestamp: new Date(at).toISOString(), data };
    this.messages.push({ content: `${from} ${type}`, since, message });
  }

  /** One that is told with a later one, or is a count of windows, has no message of its own. */
  private addDecision({ id, receivedAt: since, data: decided }: AlertDecided, offset: number): void {
    const { alertId, organizationId, websiteId, linkId, outcome, told: decisions, figure, usual, why } = decided;
    const alert = this.records.alert(alertId);
    if (!alert || decisions === 0 || outcome === 'quiet' || outcome === 'undecided') return;
    const about = linkId === null ? { websiteId: websiteId ?? '' } : { linkId };
    const times = { from: isoTime(decided.from), to: isoTime(decided.to), asOf: isoTime(decided.asOf) };
    const position = { partition: this.partition, offset };
    const of = { id, organizationId, alertId, ...about, name: alert.name, rule: alert.sentence, position };
    const reason = outcome === 'blind' || outcome === 'over' ? { why } : {};
    const data = { ...of, ...times, figure, usual, decisions, ...reason };
    this.messages.push({
      content: id,
      since,
      destinationIds: alert.destinationIds,
      message: { type: `alert.${outcome}`, timestamp: isoTime(decided.toldAt), data },
    });
  }

  /** One that was deleted or paused meanwhile is not sent. */
  private addReport({ id, receivedAt: since, data: event }: ReportReady, offset: number): void {
    const report = this.records.report(event.reportId);
    if (report?.enabled !== true) return;
    const { asOf, ...told } = event;
    const position = { partition: this.partition, offset };
    const data = { id, ...told, name: report.name, position, asOf: new Date(asOf).toISOString() };
    const message = { type: 'report.ready', timestamp: new Date(since).toISOString(), data };
    const destinationIds = this.records.destinationsOf(report).map((each) => each.id);
    this.messages.push({ content: `${id} report.ready`, since, message, destinationIds });
  }

  private addToBatch(key: string, hit: LinkClicked | GoalHit, offset: number): void {
    const open = this.fold(key);
    const batch = open && 'items' in open.state ? open.state : undefined;
    const state = addToBatch(batch, hit, { partition: this.partition, offset });
    this.changed.set(key, { key, state, dueAt: open?.dueAt ?? this.now + BATCH_MS });
  }

  private closeBatch(key: string, batch: OpenBatch): void {
    const { eventId, organizationId, receivedAt: since, position, count, items } = batch;
    this.changed.set(key, null);
    const isOfLink = key.startsWith(LINK);
    const about = isOfLink ? this.records.link(idIn(key)) : this.records.goal(idIn(key));
    if (!about) return; // deleted meanwhile
    const type = isOfLink ? 'link.clicked' : 'goal.reached';
    const data = { id: eventId, organizationId, ...about, position, count, items };
    this.messages.push({
      content: `${eventId} ${key}`,
      since,
      message: { type, timestamp: items[0]?.at ?? new Date(this.now).toISOString(), data },
    });
  }
}

const isoTime = (at: number): string => new Date(at).toISOString();

const LOOKED_AFTER_MS = 30_000;

const LINK = 'link ';
const linkKey = (id: string): string => `${LINK}${id}`;
const goalKey = (id: string): string => `goal ${id}`;
const monitorKey = (id: string): string => `monitor ${id}`;
const idIn = (key: string): string => key.slice(key.indexOf(' ') + 1);

/** The folds that an event may change. */
export function foldKeys({ event }: LoggedHit, records: ObservedRecords): readonly string[] {
  if (event.type === 'MonitorChecked') return [monitorKey(event.data.monitorId)];
  if (event.type === 'LinkClicked') return [linkKey(event.data.linkId)];
  return isGoalHit(event) ? records.goalsOf(event.data.websiteId).map(({ id }) => goalKey(id)) : [];
}
