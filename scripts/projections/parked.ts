import Table from 'cli-table3';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { listParked, type ParkedReport } from '../../apps/projector/src/runner/list-projections';
import { acceptParked } from '../../apps/projector/src/runner/parked-events';
import type { RetryResult } from '../../apps/projector/src/runner/retry-parked';
import { type ProjectionCommand, withGroups } from './projection-command';

type Action = (chosen: readonly ParkedReport[]) => Promise<string>;

/** The actions on the parked events that are named; `list` takes all if none is. */
const ACTIONS: Readonly<Partial<Record<string, Action>>> = {
  list: (parked) => Promise.resolve(parkedTable(parked)),
  show: async (parked) => (await Promise.all(parked.map(shown))).join('\n\n'),
  retry: (parked) => retry(parked.filter(isOpen)),
  accept,
};

export const parked: ProjectionCommand = {
  name: 'parked',
  takes: 'list|show|retry|accept [ID…|GROUP…|all]',
  meaning: 'events that projections left out, because they failed: project them, or leave them out for good',
  run: async ({ words: [action = '', ...names], variables }) => {
    const act = ACTIONS[action];
    if (!act || (names.length === 0 && action !== 'list')) throw new StartFailure(WORDS);
    await withGroups(variables, async (groups) => {
      const chosen = choose(await listParked(groups), names.length === 0 ? ['all'] : names, groups);
      process.stdout.write(`${await act(chosen)}\n`);
    });
  },
};

const WORDS = 'Say which: parked list, or parked show|retry|accept with ids of the list, groups, or "all".';

/** @throws StartFailure for a name of nothing */
function choose(all: readonly ParkedReport[], names: readonly string[], groups: readonly BoundGroup[]) {
  const matches =
    (name: string) =>
    ({ id, group }: ParkedReport) =>
      [id, group.name, 'all'].includes(name);
  const isGroup = (name: string) => name === 'all' || groups.some((group) => group.name === name);
  const unknown = names.find((name) => !isGroup(name) && !all.some(matches(name)));
  if (unknown !== undefined)
    throw new StartFailure(`Nothing that is parked has the id "${unknown}"; parked list shows all of them.`);
  return all.filter((each) => names.some((name) => matches(name)(each)));
}

const isOpen = ({ acceptedAt }: ParkedReport): boolean => acceptedAt === null;

function parkedTable(reports: readonly ParkedReport[]): string {
  if (reports.length === 0) return 'Nothing is parked.';
  const head = ['id', 'version', 'partition', 'position', 'type', 'of', 'parked', 'state'];
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  for (const each of reports) {
    const version = `${each.version}${each.live ? ' (live)' : ''}`;
    const { id, partition, cursor, type, subject, parkedAt } = each;
    table.push([id, version, partition, cursor, type, subject, parkedAt.toISOString(), stateOf(each)]);
  }
  return table.toString();
}

function stateOf({ error, acceptedAt }: ParkedReport): string {
  if (acceptedAt) return `accepted ${acceptedAt.toISOString()}`;
  return error === null ? 'waits behind an earlier one' : (error.split('\n')[0] ?? '');
}

/** With the event as the log has it. */
async function shown(report: ParkedReport): Promise<string> {
  const { id, group, partition, type, eventId, subject, occurredAt, tries, error } = report;
  const text = await group
    .readParkedEvent(partition, report)
    .then((event) => JSON.stringify(event, null, 2)) // where an upcaster fails, reading its data throws
    .catch((reason: unknown) => String(reason));
  return [
    `${id}: ${type} ${eventId} of ${subject}, ${occurredAt?.toISOString() ?? 'at an unknown time'}`,
    `tried ${tries} times; ${report.acceptedAt || error === null ? stateOf(report) : 'waits for retry or accept'}`,
    ...(error === null ? [] : [error]),
    text,
  ].join('\n');
}

/** Tries these events again, with all that are parked in the same order. */
async function retry(parked: readonly ParkedReport[]): Promise<string> {
  const results: RetryResult[] = [];
  for (const [{ group, version, partition }, orderKeys] of byPartition(parked))
    results.push(await group.retryParked({ key: { group: group.name, version, partition }, orderKeys }));
  const projected = sum(results, 'projected');
  const failed = sum(results, 'failed');
  if (failed > 0) process.exitCode = 1;
  const rest = failed > 0 ? `; ${eventsText(failed)} still failed, and what is parked behind waits on` : '';
  return `${eventsText(projected)} projected${rest}.`;
}

/** Leaves out those that failed by themselves, and projects what waited behind them. */
async function accept(parked: readonly ParkedReport[]): Promise<string> {
  const failed = parked.filter((each) => isOpen(each) && each.error !== null);
  let accepted = 0;
  for (const group of new Set(failed.map((each) => each.group))) {
    const numbers = failed.filter((each) => each.group === group).map(({ number }) => number);
    accepted += await acceptParked(group, numbers);
  }
  return `${eventsText(accepted)} left out for good, ${await retry(failed)}`;
}

/** The order keys of parked events, by version and partition. */
function byPartition(parked: readonly ParkedReport[]): (readonly [ParkedReport, readonly string[]])[] {
  const placeOf = ({ id, version, partition }: ParkedReport) => `${id.split('/')[0]} ${version} ${partition}`;
  const places = new Map(parked.map((each) => [placeOf(each), each]));
  return [...places].map(([place, first]) => {
    const keys = parked.filter((each) => placeOf(each) === place).map(({ orderKey }) => orderKey);
    return [first, [...new Set(keys)]];
  });
}

const sum = (results: readonly RetryResult[], of: keyof RetryResult): number =>
  results.reduce((total, result) => total + result[of], 0);

const eventsText = (count: number): string => `${count} ${count === 1 ? 'event' : 'events'}`;
