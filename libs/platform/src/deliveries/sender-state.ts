import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';

/** By what an installation is recognised: what sends elsewhere is a copy of it. */
interface Installation {
  readonly publicApiUrl: string;
  /** The epoch of the event store. */
  readonly epoch: string;
}

const isSame = ({ publicApiUrl, epoch }: Installation) => sql`
  public_api_url = ${publicApiUrl} and epoch = ${epoch}
  and system_identifier = (select system_identifier::text from pg_control_system())`;

/**
 * Records that a sender looks for messages, and answers whether it may send: not in a copy, after a restore or a move.
 * The first one with a destination decides which installation it is.
 */
export async function mayStillSend(on: Queryable, installation: Installation): Promise<boolean> {
  const look = () =>
    run<{ isCopy: boolean }>(
      on,
      sql`update delivery_sender set looked_at = now(), is_copy = not (${isSame(installation)}) returning is_copy as "isCopy"`,
    );
  const known = await look();
  if (known.length > 0) return known[0]?.isCopy !== true;
  await run(
    on,
    sql`insert into delivery_sender (public_api_url, system_identifier, epoch)
      select ${installation.publicApiUrl}, system_identifier::text, ${installation.epoch} from pg_control_system()
      where exists (select from destination_sending) on conflict do nothing`,
  );
  return (await look())[0]?.isCopy !== true;
}

/** Whether it is the one that sends, and no copy of it. */
export async function isInstallation(on: Queryable, installation: Installation): Promise<boolean> {
  const same = await run(on, sql`select from delivery_sender where ${isSame(installation)}`);
  return same.length > 0;
}

/** Whether another installation is the one that sends. */
export async function isCopy(on: Queryable, installation: Installation): Promise<boolean> {
  return (await run(on, sql`select from delivery_sender where not (${isSame(installation)})`)).length > 0;
}

/** The installation that sends next is the one that sends from now on; answers whether there was another one. */
export async function resumeSending(on: Queryable): Promise<boolean> {
  const rows = await run<{ isCopy: boolean }>(on, sql`delete from delivery_sender returning is_copy as "isCopy"`);
  return rows.some(({ isCopy }) => isCopy);
}

/** The state of deliveries that an operator sees. */
export interface SendingState {
  readonly destinations: number;
  readonly heldBack: number;
  readonly off: number;
  /** Messages of all destinations. */
  readonly setAside: number;
  /** Nothing is sent before an operator resumes. */
  readonly isCopy: boolean;
  /** The time for which no sender has looked for messages, or no source of them was read, ms; 0 where there are no destinations. */
  readonly standsStillMs: number;
}

export async function readSendingState(on: Queryable): Promise<SendingState> {
  const [row] = await run<SendingState & Record<string, unknown>>(
    on,
    sql`select count(*)::integer as destinations,
        count(*) filter (where state = 'held_back')::integer as "heldBack",
        count(*) filter (where state = 'off')::integer as off,
        (select count(*)::integer from deliveries where state = 'set_aside') as "setAside",
        coalesce((select is_copy from delivery_sender), false) as "isCopy",
        coalesce((select extract(epoch from now() - least(looked_at, (select min(s.looked_at) from delivery_sources s))) * 1000
          from delivery_sender), 0)::float8 as "standsStillMs"
      from destination_sending`,
  );
  if (!row) throw new Error('A count has no row.');
  return row;
}
