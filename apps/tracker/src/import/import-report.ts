import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { fromKeys, keysOf } from '@ledgerline/contracts/json';
import type { LogFormat } from './formats/log-format';
import { SKIP_REASONS, type SkipReason } from './skip-reason';
import type { ImportSource } from './sources';

/** The number of lines of a kind, and the target of the first. */
export interface Tally {
  count: number;
  readonly example: string;
}

/** The result of an import, so far. */
export interface ImportReport {
  lines: number;
  /** Page views that were not there before, and those that were. */
  added: number;
  known: number;
  /** Page views, of both, beyond the daily limit of hits per visitor. */
  withoutVisitor: number;
  readonly skipped: Record<SkipReason, number>;
  /**
   * The tallies of files by their ending, and of the lines of other virtual hosts by host, the first of which is the
   * example.
   */
  readonly files: Map<string, Tally>;
  readonly otherHosts: Map<string, Tally>;
  /** The first lines that could not be read, as `file:number`, and the names of the formats that were tried. */
  readonly unparseable: string[];
  readonly formats: readonly string[];
  /** Sentences: what deserves a look, and what failed while the rest was imported. */
  readonly warnings: string[];
  readonly failures: string[];
}

export const emptyReport = (formats: readonly LogFormat[]): ImportReport => ({
  lines: 0,
  added: 0,
  known: 0,
  withoutVisitor: 0,
  skipped: { ...fromKeys(keysOf(SKIP_REASONS), () => 0) },
  files: new Map(),
  otherHosts: new Map(),
  unparseable: [],
  formats: formats.map(({ name }) => name),
  warnings: [],
  failures: [],
});

const WHY_AGENTS =
  'the log has no user agents, without which people cannot be told from bots; let the server log them.';

/** The greatest number of kinds that are counted apart, so that memory is bounded. */
const MAX_TALLIES = 1_000;

export function tally(tallies: Map<string, Tally>, kind: string, example: string): void {
  const found = tallies.get(kind);
  if (found) found.count++;
  else if (tallies.size < MAX_TALLIES)
    tallies.set(kind, { count: 1, example: example.slice(0, 60).replaceAll(/\p{Cc}/gu, encodeURIComponent) });
}

/** The most frequent first. */
const mostFrequent = (tallies: ReadonlyMap<string, Tally>, limit: number): [kind: string, Tally][] =>
  [...tallies].sort(([, a], [, b]) => b.count - a.count).slice(0, limit);

const hostsOf = ({ otherHosts }: ImportReport): string =>
  mostFrequent(otherHosts, 5)
    .map(([host, { count }]) => `${host} (${count.toLocaleString('en-US')})`)
    .join(', ');

/** Why there are no page views where no line could have been one; undefined where some could. */
export function whyNothing(report: ImportReport): string | undefined {
  const { lines, skipped } = report;
  if (lines === 0 || lines > withoutRequests(skipped)) return undefined;
  if (skipped.host > 0)
    return `Nothing was imported: no line is of a host of the website. Choose with --host among ${hostsOf(report)}.`;
  const why =
    skipped.agents_not_logged > 0 ? WHY_AGENTS : `no line is a request in a known format (${triedFormats(report)}).`;
  return `Nothing was imported: ${why}`;
}

const withoutRequests = ({ unparseable, message, agents_not_logged, host }: ImportReport['skipped']): number =>
  unparseable + message + agents_not_logged + host;

const triedFormats = ({ formats }: ImportReport): string => `tried: ${formats.join(', ')}`;

/** Says why some of the lines were not imported, a sentence each. */
export function whyFewer(report: ImportReport): readonly string[] {
  const { lines, skipped } = report;
  if (lines === withoutRequests(skipped)) return [];
  const count = (number: number) => `${number.toLocaleString('en-US')} lines were not counted:`;
  return [
    ...(skipped.agents_not_logged > 0 ? [`${count(skipped.agents_not_logged)} ${WHY_AGENTS}`] : []),
    ...(skipped.host > 0
      ? [`${count(skipped.host)} they are of other virtual hosts, ${hostsOf(report)}; --host chooses others.`]
      : []),
  ];
}

/** Endings that the table names. */
const NAMED_TYPES = 10;

/** The report as a table, with the lines that could not be read. */
export function reportTable(report: ImportReport, seconds: number, isDryRun = false): string {
  const { lines, added, known, withoutVisitor, skipped, unparseable } = report;
  const views = added + known;
  const table = new Table({ style: { head: [], border: [], compact: true }, colAligns: ['left', 'right'] });
  const row = (name: string, count: number) => table.push([name, count.toLocaleString('en-US')]);
  row('lines', lines);
  row('page views', views);
  row(isDryRun ? '  to be added' : '  added', added);
  row('  already imported', known);
  if (withoutVisitor > 0) row('  without visitor: over the daily limit', withoutVisitor);
  row(
    'skipped',
    Object.values(skipped).reduce((a, b) => a + b, 0),
  );
  for (const [reason, count] of Object.entries(skipped)) {
    if (count > 0) row(`  ${SKIP_REASONS[reason as SkipReason]}`, count);
    if (reason === 'file')
      for (const [type, { count: files, example }] of mostFrequent(report.files, NAMED_TYPES))
        row(`    .${type}, as ${example}`, files);
  }
  row('events per second', Math.round(views / Math.max(seconds, 0.001)));
  const named =
    unparseable.length === 0
      ? ''
      : `\nLines in no known format (${triedFormats(report)}):\n  ${unparseable.join('\n  ')}`;
  return `${table.toString()}${named}`;
}

/** The progress of an import on a terminal: a bar where all sizes are known, else the bytes so far. Nothing elsewhere. */
export class ImportProgress {
  private readonly bar: SingleBar;
  private read = 0;

  constructor(
    sources: readonly ImportSource[],
    private readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stderr,
  ) {
    const total = sources.reduce((sum, { bytes = NaN }) => sum + bytes, 0);
    const format = Number.isNaN(total)
      ? 'importing · {megabytes} MB read · {duration_formatted}'
      : 'importing {bar} {percentage}% · {megabytes} MB read · {eta_formatted} left';
    this.bar = new SingleBar({ format, hideCursor: true, stream });
    this.bar.start(Math.max(total || 0, 1), 0, { megabytes: '0.0' });
  }

  /** More bytes were read. */
  add(bytes: number): void {
    this.read += bytes;
    this.bar.update(this.read, { megabytes: (this.read / 1e6).toFixed(1) });
  }

  /** Clears the line for a message; the bar is drawn again below it. */
  clearLine(): void {
    if (this.stream.isTTY) this.stream.write('\r\u001b[K');
  }

  stop(): void {
    this.bar.stop();
  }
}
