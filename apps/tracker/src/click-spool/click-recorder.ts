import { Counter, Gauge } from 'prom-client';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { IntakeItem, IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { assertRoom, StoreFault, type StoreCheck } from '@ledgerline/platform/processes/store-checks';
import { ClickReplay, CLOSING_MS, PendingTasks, wait, waitAtMost } from './click-replay';
import { type ClickSpool, type SpoolState, MAX_LINE_BYTES } from './click-spool';
import { clickHits, lineOf, newBatch, type SpooledClick, type ClickBatch, type SpoolFile } from './spool-file';

/** Clicks within this time are one batch. */
const GATHER_MS = 15;
/** Maximum of clicks being sent to the log, exceeded by one batch at most. */
const MAX_IN_FLIGHT = 20_000;
const REPORT_MS = 1_000;
const RETRY_MS = 500;
const OPENING_MS = 5_000;
/** The bytes of a line beside its clicks. */
const FRAMING_BYTES = 64;

/** The numbers of clicks since the process started that could neither be spooled nor sent. */
interface UnrecordedClicks {
  refused: number;
  lost: number;
}

interface Gathered {
  readonly click: SpooledClick;
  readonly json: string;
  readonly bytes: number;
}

/**
 * Records clicks without making a redirect wait. Each has room on disk set aside, is there within milliseconds, and only
 * then sent to the intake log; what is not in the log when this process dies, or while the log is down, is replayed.
 * Without room, a click is sent to the log before its redirect.
 */
export class ClickRecorder {
  readonly unrecorded: UnrecordedClicks = { refused: 0, lost: 0 };
  private gathered: Gathered[] = [];
  private inFlight = 0;
  private diskFails = false;
  private isClosing = false;
  private reported: UnrecordedClicks = { refused: 0, lost: 0 };
  private reporting: NodeJS.Timeout | undefined;
  private spooling: Promise<void> | undefined;
  /** Batches that are being written or sent. */
  private readonly tasks = new PendingTasks((err) => this.logger.error({ err }, 'a click or its spool file failed'));
  private readonly replays: ClickReplay;

  constructor(
    private readonly log: Pick<IntakeSender, 'send'>,
    private readonly spool: ClickSpool,
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
    /** The policy of whether a link is followed whose click can neither be spooled nor sent, and is lost. */
    private readonly policy: Settings['unrecordedClicks'] = 'refuse',
  ) {
    this.replays = new ClickReplay(log, spool, logger);
  }

  /** Waits for the first room on disk: without it clicks would be refused while the log is away. A disk may hang. */
  async open(): Promise<void> {
    await waitAtMost(OPENING_MS, this.replays.prepared);
  }

  /** True if clicks wait on disk that the log did not take, until they are replayed. */
  get holdsClicks(): boolean {
    return this.spool.needsReplay;
  }

  /** The spool, and whether a click of the last second could not be recorded. */
  state(): SpoolState & { readonly isLosing: boolean } {
    return { ...this.spool.state(), isLosing: this.reporting !== undefined };
  }

  /**
   * Records a click, and returns whether its link may be followed: true at once where the click has room on disk,
   * otherwise when the log has it.
   */
  add(click: SpooledClick): true | Promise<boolean> {
    const json = JSON.stringify(click);
    const bytes = Buffer.byteLength(json) + FRAMING_BYTES;
    if (this.spool.reserve(bytes)) {
      this.gathered.push({ click, json, bytes });
      this.spooling ??= this.spoolGathered();
      return true;
    }
    const sent = this.isSentAlone(click);
    if (this.policy === 'refuse') return sent;
    void this.tasks.add(sent.then(() => undefined));
    return true;
  }

  /** Resolves when everything that was added is in the log or on disk. */
  async close(): Promise<void> {
    this.isClosing = true;
    await waitAtMost(CLOSING_MS, this.idle());
    this.report();
    await this.replays.close();
  }

  /** Resolves when nothing is being written or sent. */
  async idle(): Promise<void> {
    await this.spooling;
    await this.tasks.settled();
  }

  /** One write and fsync at a time: while one takes longer, the next batch gathers. */
  private async spoolGathered(): Promise<void> {
    await wait(GATHER_MS);
    while (this.gathered.length > 0) {
      const some = this.takeGathered();
      await Promise.all([this.tasks.add(this.record(some)), wait(GATHER_MS)]);
    }
    this.spooling = undefined;
  }

  /** As many as make one line. */
  private takeGathered(): readonly Gathered[] {
    let bytes = 0;
    const end = this.gathered.findIndex((each) => (bytes += each.bytes) > MAX_LINE_BYTES);
    return this.gathered.splice(0, end === -1 ? this.gathered.length : end);
  }

  private async record(some: readonly Gathered[]): Promise<void> {
    const batch = newBatch(some.map(({ click }) => click));
    const jsons = some.map(({ json }) => json);
    const line = Buffer.from(lineOf(batch, jsons));
    const reserved = some.reduce((sum, { bytes }) => sum + bytes, 0);
    const file = await this.spooled(line, reserved);
    if (file === undefined) void this.tasks.add(this.keep(batch, line));
    else if (this.inFlight > MAX_IN_FLIGHT || this.replays.logIsDown) await this.spool.leave(file);
    else void this.tasks.add(this.sendBatch(batch, file));
  }

  /** Undefined where the disk takes nothing, which is logged once until it works again. */
  private async spooled(line: Buffer, reserved: number): Promise<SpoolFile | undefined> {
    try {
      const file = await this.spool.append(line, reserved);
      this.diskFails = false;
      return file;
    } catch (err) {
      if (!this.diskFails) this.logger.error({ err }, 'clicks cannot be written to disk; they wait in memory');
      this.diskFails = true;
      return undefined;
    }
  }

  private async sendBatch(batch: ClickBatch, file: SpoolFile): Promise<void> {
    if (await this.isSent(clickHits(batch, '48h'))) await this.spool.acknowledge(file);
    else await this.spool.leave(file);
  }

  /** Clicks that had room when their links were followed are in memory until the log or the disk takes them. */
  private async keep(batch: ClickBatch, line: Buffer): Promise<void> {
    for (;;) {
      if (await this.isSent(clickHits(batch, 'forever'))) return;
      const file = await this.spooled(line, 0);
      if (file !== undefined) return this.spool.leave(file);
      if (this.isClosing) break;
      await wait(RETRY_MS);
    }
    this.count('lost', batch.clicks.length);
  }

  private async isSentAlone(click: SpooledClick): Promise<boolean> {
    const mayBeSent = this.inFlight <= MAX_IN_FLIGHT && !this.replays.logIsDown;
    const isSent = mayBeSent && (await this.isSent([{ ...click, dedupe: '48h' }]));
    if (!isSent) this.count(this.policy === 'refuse' ? 'refused' : 'lost', 1);
    return isSent;
  }

  private async isSent(hits: readonly IntakeItem[]): Promise<boolean> {
    this.inFlight += hits.length;
    try {
      await this.log.send(hits);
      return true;
    } catch (err) {
      if (!this.replays.logIsDown)
        this.logger.warn({ err }, 'the intake log does not take clicks; those on disk wait there');
      this.replays.logIsDown ||= err instanceof LogUnavailable;
      return false;
    } finally {
      this.inFlight -= hits.length;
    }
  }

  private count(outcome: keyof UnrecordedClicks, clicks: number): void {
    this.unrecorded[outcome] += clicks;
    this.reporting ??= setTimeout(() => this.report(), REPORT_MS).unref();
  }

  /** At most once a second, as clicks come in any number. */
  private report(): void {
    clearTimeout(this.reporting);
    this.reporting = undefined;
    const { refused, lost } = this.unrecorded;
    const since = { refused: refused - this.reported.refused, lost: lost - this.reported.lost };
    this.reported = { refused, lost };
    if (since.lost > 0)
      this.logger.error({ clicks: since.lost }, 'clicks could neither be sent nor spooled; they are lost');
    if (since.refused > 0)
      this.logger.error(
        { clicks: since.refused },
        'clicks could neither be sent nor spooled; their links were answered 503',
      );
  }
}

type Clicks = Pick<ClickRecorder, 'state'>;

/** Why clicks cannot be recorded at the moment, in one sentence; undefined while they can. */
export function faultOf(clicks: Clicks): string | undefined {
  const { failing, isLosing } = clicks.state();
  if (failing !== undefined) return `The disk takes no clicks (${failing}).`;
  return isLosing ? 'The intake log takes no clicks, and their room on disk is used up.' : undefined;
}

/** Judges the recording of clicks by what became of them, and the disk by what it has left: room for clicks is kept ahead. */
export const checkSpool = (clicks: Clicks & Pick<ClickRecorder, 'holdsClicks'>, folder: string): StoreCheck => ({
  store: 'click_spool',
  operation: 'write',
  holdsClicks: () => clicks.holdsClicks,
  check: async () => {
    const fault = faultOf(clicks);
    if (fault !== undefined) throw new StoreFault(fault);
    await assertRoom(folder);
  },
});

/**
 * Counts how many clicks wait on disk until the intake log has them, how many more have room there, and which had none.
 */
export function observeClicks(clicks: ClickRecorder, spool: ClickSpool, metrics: Metrics): void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics.registry] });
  const bytes = gauge('ledgerline_click_spool_bytes', 'Bytes of the click spool');
  const files = gauge('ledgerline_click_spool_files', 'Files of the click spool');
  const room = gauge('ledgerline_click_spool_room_bytes', 'Bytes that are allocated on disk for clicks and free');
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [metrics.registry] });
  const refused = counter('ledgerline_clicks_refused_total', 'Clicks answered 503 as nothing could record them');
  const lost = counter('ledgerline_clicks_lost_total', 'Redirected clicks that nothing could record');
  metrics.beforeReading(() => {
    const depth = spool.depth();
    bytes.set(depth.bytes);
    files.set(depth.files);
    room.set(spool.state().room);
    refused.reset();
    refused.inc(clicks.unrecorded.refused);
    lost.reset();
    lost.inc(clicks.unrecorded.lost);
  });
}
