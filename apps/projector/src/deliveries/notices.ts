import type { Pool } from 'pg';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { deliveryOutcome, pauseAfter } from '@ledgerline/domain/destinations/delivery-outcome';
import { inOneLine } from '@ledgerline/domain/messages/message-text';
import type { Settings } from '@ledgerline/platform/config/settings';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { isInstallation } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { DeliveryMails, isMailServer } from '@ledgerline/platform/outbound/mail-destination';
import { type RegistryTables, findRegistryTables } from '@ledgerline/platform/registry/stored-registry';
import { DueWork } from '../runner/due-work';

interface NoticesParts {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'epoch'>;
  readonly settings: Pick<Settings, 'publicApiUrl' | 'mail'>;
  readonly logger: Logger;
}

/** A mail that this process has taken. */
interface Notice {
  readonly id: string;
  /** Null = they are no owner or admin any more, or have no address that is confirmed. */
  readonly address: string | null;
  readonly subject: string;
  readonly body: string;
  readonly tries: number;
  readonly ageMs: number;
}

const { destinations, members, organizations } = RECORD_TABLES;

const TICK_MS = 5_000;
/** Until a destination is held back for so long it is nothing to write about. */
const HELD_BACK_FOR = sql`interval '5 minutes'`;
const MAILED_EVERY = sql`interval '1 hour'`;
/** How long a mail belongs to a process, s: longer than sending it may take. */
const CLAIM_S = 60;

/** Tells owners and admins by mail, once, that a destination is held back, has set a message aside or is off. */
export function notices({ pool, store, settings, logger }: NoticesParts): DueWork<Notice> {
  const mails = new DeliveryMails(settings);
  const { publicApiUrl } = settings;
  return new DueWork({
    take: async (max) => {
      if (!isMailServer(settings.mail)) return [];
      const epoch = await store.epoch();
      const tables = await findRegistryTables(pool, [destinations, members, organizations]);
      if (tables?.epoch !== epoch || !(await isInstallation(pool, { publicApiUrl, epoch }))) return [];
      await transaction(pool, (client) => writeNotices(client, tables, publicApiUrl));
      return takeNotices(pool, tables, max);
    },
    complete: async (notice, stopping) => {
      const { id, address: to, subject, body: text, tries, ageMs } = notice;
      if (to === null) return finish(pool, id, null, null);
      const { status, isGone, retryAfterMs } = await mails.send({ id, to, subject, text }, stopping);
      const outcome = deliveryOutcome({
        kind: 'mail',
        status,
        isGone,
        tries,
        failingForMs: ageMs,
        entries: 1,
        successorPasses: false,
      });
      const pauseMs = outcome === 'held_back' ? pauseAfter(tries, retryAfterMs, Math.random()) : null;
      return finish(pool, id, status, pauseMs);
    },
    giveBack: ({ id }) => finish(pool, id, null, 0),
    wait: (stopping) => pause(TICK_MS, stopping),
    outage: new OutageLog(logger, {
      began: 'owners and admins cannot be told about destinations; trying again until they can',
      ended: 'owners and admins are told about destinations again',
    }),
  });
}

/** A destination whose trouble is not what was told. */
interface Changed {
  readonly id: string;
  readonly organizationId: string;
  readonly organization: string;
  readonly name: string;
  readonly told: string;
  readonly troubles: string;
  /** False within an hour after the last mail. */
  readonly mayTell: boolean;
}

const TROUBLES = sql`concat_ws(' ',
  case when s.state = 'off' then 'off' when s.state = 'held_back' and s.failing_since < now() - ${HELD_BACK_FOR} then 'held_back' end,
  case when exists (select from deliveries m where m.destination_id = s.destination_id and m.state = 'set_aside') then 'set_aside' end)`;

/** What is told is remembered together with the mails; what is over may be told again. */
async function writeNotices(on: Queryable, { table }: RegistryTables, publicApiUrl: string): Promise<void> {
  const lock = sql`select pg_try_advisory_xact_lock(hashtext('ledgerline delivery notices')) as mine`;
  const [row] = await run<{ mine: boolean }>(on, lock);
  if (row?.mine !== true) return;
  const changed = await run<Changed & Record<string, unknown>>(
    on,
    sql`select s.destination_id as id, s.organization_id as "organizationId", o.name as organization, d.details->>'name' as name,
        s.told, t.troubles, not exists (select from delivery_notices n
          where n.organization_id = s.organization_id and n.created_at > now() - ${MAILED_EVERY}) as "mayTell"
      from destination_sending s
      join ${table(destinations)} d on d.id = s.destination_id and (d.details->>'enabled')::boolean
      join ${table(organizations)} o on o.id = s.organization_id
      cross join lateral (select ${TROUBLES} as troubles) t
      where s.told <> t.troubles order by d.created_at, d.id`,
  );
  const known = changed.filter((each) => each.mayTell || newIn(each).length === 0);
  if (known.length === 0) return;
  await run(
    on,
    sql`update destination_sending s set told = k.troubles
      from unnest(${known.map(({ id }) => id)}::text[], ${known.map(({ troubles }) => troubles)}::text[]) as k (id, troubles)
      where s.destination_id = k.id`,
  );
  const untold = known.filter((each) => newIn(each).length > 0);
  for (const organizationId of new Set(untold.map((each) => each.organizationId))) {
    const { subject, body } = noticeOf(
      untold.filter((each) => each.organizationId === organizationId),
      publicApiUrl,
    );
    await run(
      on,
      sql`insert into delivery_notices (organization_id, user_id, subject, body)
        select organization_id, user_id, ${subject}, ${body} from ${table(members)} m where ${MANAGES} and organization_id = ${organizationId}`,
    );
  }
}

const MANAGES: Sql = sql`m.role in ('owner', 'admin')`;

type Trouble = 'off' | 'held_back' | 'set_aside';

const newIn = ({ told, troubles }: Pick<Changed, 'told' | 'troubles'>): readonly Trouble[] =>
  (troubles.split(' ').filter(Boolean) as Trouble[]).filter((each) => !told.split(' ').includes(each));

const SAYS: Readonly<Record<Trouble, string>> = {
  off: 'is off: it answered that it is gone, or failed for three days. Messages wait until it is turned on.',
  held_back: 'holds messages back: the last tries failed, and others follow.',
  set_aside: 'refused a message for good: it is set aside, and can be sent again.',
};

function noticeOf(all: readonly Changed[], publicApiUrl: string) {
  const paragraphs = all.map((each) => {
    const lines = newIn(each).map((trouble) => `${inOneLine(each.name)} ${SAYS[trouble]}`);
    return [...lines, `${publicApiUrl}/console/organizations/${each.organizationId}/destinations/${each.id}`].join(
      '\n',
    );
  });
  return {
    subject: `${inOneLine(all[0]?.organization ?? '')}: not all messages arrive`,
    body: `${paragraphs.join('\n\n')}\n\nOwners and admins are told once, and at most once an hour.\n`,
  };
}

/** Takes mails that are due; they are due again where this process dies. */
async function takeNotices(on: Queryable, { table }: RegistryTables, max: number): Promise<readonly Notice[]> {
  return run<Notice & Record<string, unknown>>(
    on,
    sql`update delivery_notices n set tries = tries + 1, next_at = now() + make_interval(secs => ${CLAIM_S})
      from (select id from delivery_notices where next_at <= now() order by next_at limit ${max} for update skip locked) due
      where n.id = due.id
      returning n.id, n.subject, n.body, n.tries, (extract(epoch from now() - n.created_at) * 1000)::float8 as "ageMs", (
        select u.email from auth."user" u join ${table(members)} m on m.user_id = u.id and ${MANAGES}
        where u.id = n.user_id and m.organization_id = n.organization_id and (u."emailVerified" or not u."mustVerify")) as address`,
  );
}

/** `pauseMs` is when it is tried again; null = it is over. */
async function finish(on: Queryable, id: string, status: number | null, pauseMs: number | null): Promise<void> {
  const nextAt = pauseMs === null ? sql`null` : sql`now() + make_interval(secs => ${pauseMs / 1_000})`;
  await run(on, sql`update delivery_notices set status = ${status}, next_at = ${nextAt} where id = ${id}`);
}
