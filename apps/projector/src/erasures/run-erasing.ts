import { type RecordedEvent, decidedIn, occurredAt } from '@ledgerline/platform/event-store/event-store';
import { BEGINNING, type LogPosition, type LogReader, isReplaced } from '@ledgerline/platform/log/log-reader';
import { RebuiltElsewhere } from '../rebuild/catch-up';
import { repeatWork, type GroupWork } from '../runner/periodic-work';
import { eraseVisits, hasVisits } from './erase-visits';
import type { ErasedVisits } from './erased-hits';

type DecidedLog = Pick<LogReader<RecordedEvent>, 'read'>;

const EVERY_MS = 2_000;
/** By then what was received before an erasure is in the log. */
const SETTLED_MS = 5_000;
const OUTAGE = { began: 'visits cannot be erased; trying again', ended: 'visits are erased again' };

/** Takes visits of erased profiles out of the tables of a group, at start and as they are erased, until the signal. */
export const runErasing =
  (decided: DecidedLog) =>
  ({ group, logger, signal }: GroupWork): Promise<void> => {
    if (!hasVisits(group)) return Promise.resolve();
    const erasures = new ProfileErasures(decided);
    return repeatWork({ logger, signal }, { everyMs: EVERY_MS, ...OUTAGE }, async () => {
      const settled = (await erasures.all()).filter(({ until }) => until + SETTLED_MS <= Date.now());
      try {
        const erased = await eraseVisits(group, settled);
        if (erased.length > 0)
          logger.info({ erasures: erased.length }, 'visits of erased profiles are out of the tables');
      } catch (error) {
        if (!(error instanceof RebuiltElsewhere)) throw error; // tried again, as a rebuild ends
      }
    });
  };

const TYPES = ['SubjectErased'] as const;

/** The erasures of profiles that the event store has; each is read once. */
export class ProfileErasures {
  private position: LogPosition = { cursor: BEGINNING };
  private known: ErasedVisits[] = [];

  constructor(private readonly decided: DecidedLog) {}

  async all(): Promise<readonly ErasedVisits[]> {
    try {
      await this.readOn();
    } catch (error) {
      if (isReplaced(error)) [this.position, this.known] = [{ cursor: BEGINNING }, []];
      throw error;
    }
    return this.known;
  }

  private async readOn(): Promise<void> {
    for (let atHead = false; !atHead;) {
      const { cursor, digest } = this.position;
      const read = await this.decided.read(0, cursor, { max: 1_000, types: TYPES, digest });
      for (const event of decidedIn(read.events)) {
        if (event.type !== 'SubjectErased' || !('profile' in event.data.subject)) continue;
        const { websiteId, profile } = event.data.subject;
        const until = Date.parse(occurredAt(event));
        this.known.push({ erasureId: event.data.erasureId, websiteId, profile: profile.replaceAll('-', ''), until });
      }
      this.position = { cursor: read.next, digest: read.digest };
      atHead = read.atHead;
    }
  }
}
