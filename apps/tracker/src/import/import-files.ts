import { MAX_TEXT } from '@ledgerline/contracts/intake-limits';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { IntakeItem, IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { readVisited, type Visited } from '../parse';
import { openFormats } from './formats/formats';
import type { LogFormat } from './formats/log-format';
import type { LoggedRequest } from './formats/logged-request';
import { emptyReport, tally, type ImportReport } from './import-report';
import { LinePrefixes } from './line-prefixes';
import { LineTimes, pageViewOf, type ImportTarget } from './page-view-of-line';
import { fileType, skipReason, type SkipReason } from './skip-reason';
import { linesOf, SourceGone, type SourceReadOptions, type ImportSource } from './sources';

export interface ImportDeps extends ImportTarget, SourceReadOptions {
  readonly log: Pick<IntakeLog, 'send'>;
  readonly now: () => number;
  /** Returns whether pages of this host are the website's. */
  readonly isOwnHost: (host: string) => boolean;
  readonly formats: readonly LogFormat[];
  /** Called with what a person should know while it goes on. */
  readonly say: (text: string) => void;
}

/** A page view, and its line. */
interface Found {
  readonly hit: IntakeItem;
  readonly line: number;
}

const BATCH = 2_000;
const NAMED_LINES = 20;
/** Read in the place of a line of which the last part is missing. */
const CUT_OFF = 'a line that is cut off';

/**
 * Imports access logs as page views, counted in `report` as it goes. Lines that were imported before add nothing. Ends
 * early when `signal` is aborted. A source that cannot be read to its end keeps none of the others from being imported.
 */
export async function importFiles(
  sources: readonly ImportSource[],
  deps: ImportDeps,
  report: ImportReport = emptyReport(deps.formats),
): Promise<ImportReport> {
  for (const source of sources) {
    if (deps.signal.aborted) break;
    const before = report.lines;
    try {
      const isWhole = await new SourceImport(source.name, deps, report).run(linesOf(source, deps));
      if (isWhole && report.lines === before) report.warnings.push(`${source.name} has no lines.`);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      (error instanceof SourceGone ? report.warnings : report.failures).push(error.message);
    }
  }
  return report;
}

/** The import of one source. */
class SourceImport {
  private number = 0;
  private found: Found[] = [];
  private knownFirst = 0;
  private addedAny = false;
  private readonly target: Parameters<typeof pageViewOf>[3];
  private readonly prefixes = new LinePrefixes();
  private readonly readContent: ReturnType<typeof openFormats>;

  constructor(
    private readonly name: string,
    private readonly deps: ImportDeps,
    private readonly report: ImportReport,
  ) {
    this.target = { ...deps, times: new LineTimes() };
    this.readContent = openFormats(deps.formats);
  }

  /** False if it was interrupted. */
  async run(portions: AsyncIterable<readonly string[]>): Promise<boolean> {
    this.deps.identity.beginFile();
    let sending: Promise<void> = Promise.resolve();
    try {
      for await (const lines of portions) {
        for (const line of lines) this.readPhysicalLine(line);
        if (this.found.length < BATCH) continue;
        await sending; // reading goes on while one batch is under way
        sending = this.send();
        sending.catch(() => undefined); // rejects at the next await
      }
    } finally {
      await sending;
      await this.send();
    }
    if (this.deps.signal.aborted) return false;
    if (this.prefixes.hasPart) this.readLine(CUT_OFF);
    return true;
  }

  private readPhysicalLine(line: string): void {
    this.number++;
    const text = this.prefixes.take(withoutReturn(line));
    if (text !== null) this.readLine(withoutReturn(text));
  }

  private readLine(text: string): void {
    if (text.trim() === '') return;
    const { deps, report } = this;
    const content = this.readContent(text);
    if (content === 'comment') return;
    report.lines++;
    if (content === null || content === 'message') {
      this.skip(content ?? 'unparseable');
      return;
    }
    const now = deps.now();
    const page = readVisited(content.target, MAX_TEXT);
    const reason = this.skipReason(content, page, now);
    if (page === null || reason !== null) {
      this.skip(reason ?? 'unparseable');
      return;
    }
    const event = pageViewOf(content, page, text, this.target, now);
    if (event.data.visitorId === null) report.withoutVisitor++;
    this.found.push({ hit: { event, subject: deps.website.id, dedupe: 'forever' }, line: this.number });
  }

  private skipReason(line: LoggedRequest, page: Visited | null, now: number): SkipReason | null {
    const { deps, report } = this;
    const host = hostOfLine(line);
    if (host !== null && !deps.isOwnHost(host)) {
      tally(report.otherHosts, host, line.target);
      return 'host';
    }
    const reason = skipReason(line, page, now);
    if (reason === 'file' && page) tally(report.files, fileType(page.path) ?? '', line.target);
    return reason;
  }

  private skip(reason: SkipReason): void {
    const { skipped, unparseable } = this.report;
    skipped[reason]++;
    if (reason === 'unparseable' && unparseable.length < NAMED_LINES) unparseable.push(`${this.name}:${this.number}`);
  }

  private async send(): Promise<void> {
    const found = this.found;
    if (found.length === 0) return;
    this.found = [];
    const { outcomes } = await this.deps.log.send(found.map(({ hit }) => hit));
    outcomes.forEach((outcome, at) => this.count(outcome === 'stored', found[at]?.line ?? 0));
  }

  private count(isNew: boolean, line: number): void {
    this.report[isNew ? 'added' : 'known']++;
    if (this.addedAny) return;
    if (isNew && this.knownFirst > 0) this.deps.say(goesOn(this.name, this.knownFirst, line));
    if (isNew) this.addedAny = true;
    else this.knownFirst++;
  }
}

/** Returns the host of a target that is a whole address, else the virtual host; null where neither names one. */
const hostOfLine = ({ host, target }: LoggedRequest): string | null =>
  (target.startsWith('/') ? null : parseUrl(target)?.hostname) || host;

const goesOn = (name: string, known: number, line: number): string =>
  `${name}: ${known.toLocaleString('en-US')} page views were imported before; going on at line ${line.toLocaleString('en-US')}.`;

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
