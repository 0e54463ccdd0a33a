import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { afterCheck, isDown, isStale } from './status';

/** Why nothing is known any more of a monitor that was down. */
type UnknownReason = 'maintenance' | 'pause' | 'gap' | 'own_network';

/** A message about a monitor. */
export type MonitorMessage = Readonly<
  { at: number } & (
    | { type: 'monitor.down'; since: number; status: number | null; failure: string | null; detail: string | null }
    | { type: 'monitor.up'; since: number | null }
    | { type: 'monitor.unknown'; why: UnknownReason }
    | { type: 'monitor.warning'; warning: 'slow' | 'certificate'; detail: string | null }
  )
>;

/** A monitor as it is remembered between its checks. */
export interface ToldMonitor {
  readonly checks: MonitorState | null;
  /** The state that was said last; `up` also where nothing was. */
  readonly told: 'up' | 'down' | 'unknown';
  /** Since when it was down when that was said, epoch ms. */
  readonly downSince: number | null;
  /** Failures in a row that are not put down to the network of this installation. */
  readonly confirmed: number;
  /** Checks in a row that were slow. */
  readonly slow: number;
  /** The end of the certificate that was warned of last, epoch ms. */
  readonly warnedOf: number | null;
}

interface Told {
  readonly state: ToldMonitor;
  readonly messages: readonly MonitorMessage[];
}

const NOTHING_TOLD: ToldMonitor = {
  checks: null,
  told: 'up',
  downSince: null,
  confirmed: 0,
  slow: 0,
  warnedOf: null,
};

/** As many as make a downtime. */
const IN_A_ROW = 2;

/** The messages after a check, in the order of the log. A check that is recorded after a later one changes nothing. */
export function messagesAfterCheck(before: ToldMonitor | undefined, check: Pick<MonitorChecked, 'at' | 'data'>): Told {
  const known = before ?? NOTHING_TOLD;
  const { at, data } = check;
  if (known.checks && at <= known.checks.lastAt) return { state: known, messages: [] };
  const isGap = known.checks !== null && (data.resumed || isStale(known.checks, at));
  const { state: checks } = afterCheck(known.checks ?? undefined, check);
  const isFailure = !data.up && !data.maintenance;
  const earlier = isGap ? 0 : known.confirmed;
  const confirmed = isFailure ? earlier + (data.unconfirmed ? 0 : 1) : 0;
  const counted = { ...known, checks, confirmed };
  const said = sayState(counted, check, isGap);
  const warned = sayWarnings(said.state, check);
  return { state: warned.state, messages: [...said.messages, ...warned.messages] };
}

function sayState(known: ToldMonitor, { at, data }: Pick<MonitorChecked, 'at' | 'data'>, isGap: boolean): Told {
  const { checks, confirmed, told } = known;
  if (data.maintenance) return lapsed(known, 'maintenance', at);
  if (data.up) {
    if (told === 'up') return { state: known, messages: [] };
    const messages = [{ type: 'monitor.up', at, since: known.downSince } as const];
    return { state: { ...known, told: 'up', downSince: null }, messages };
  }
  const since = checks?.failingSince ?? at;
  if (confirmed >= IN_A_ROW && told !== 'down') {
    const { status, failure, detail } = data;
    const down = { type: 'monitor.down', at, since, status, failure, detail } as const;
    return { state: { ...known, told: 'down', downSince: since }, messages: [down] };
  }
  if (isGap) return lapsed(known, data.resumed ? 'pause' : 'gap', at);
  if (told === 'up' && data.unconfirmed && checks && isDown(checks)) return unknown(known, 'own_network', at);
  return { state: known, messages: [] };
}

/** Nothing is known of it any more: that is said where it was down. */
export const lapsed = (known: ToldMonitor, why: UnknownReason, at: number): Told =>
  known.told === 'down' ? unknown(known, why, at) : { state: known, messages: [] };

const unknown = (known: ToldMonitor, why: UnknownReason, at: number): Told => ({
  state: { ...known, told: 'unknown' },
  messages: [{ type: 'monitor.unknown', at, why }],
});

/** Each is said once: of a certificate, and of slow checks until one is not slow. */
function sayWarnings(known: ToldMonitor, { at, data }: Pick<MonitorChecked, 'at' | 'data'>): Told {
  const { up, maintenance, warning, detail, certificateExpiresAt } = data;
  if (!up || maintenance) return { state: known, messages: [] };
  const slow = warning === 'slow' ? known.slow + 1 : 0;
  const say = (state: ToldMonitor, of: 'slow' | 'certificate'): Told => ({
    state,
    messages: [{ type: 'monitor.warning', at, warning: of, detail }],
  });
  if (slow === IN_A_ROW) return say({ ...known, slow }, 'slow');
  if (warning === 'certificate' && certificateExpiresAt !== known.warnedOf)
    return say({ ...known, slow, warnedOf: certificateExpiresAt }, 'certificate');
  return { state: { ...known, slow }, messages: [] };
}
