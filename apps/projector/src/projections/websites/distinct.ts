import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { Distinct } from '@ledgerline/contracts/read-models/website-events';
import { presencesAround } from '@ledgerline/domain/sessions/around';
import type { Hit } from '@ledgerline/domain/sessions/hit';
import { byDay, type Presence } from '@ledgerline/domain/sessions/presence';
import type { Session } from '@ledgerline/domain/sessions/session';
import { rollup, type Rollup, type WebsiteUnit } from '../rollup';
import { valuesOf } from './dimension';
import { countedInBlocks } from './spread-in-blocks';
import { hitPresences } from './hit-presences';

type Kind = typeof HIT.custom | typeof HIT.outgoing;
type ValueOf = (hit: Hit, unit: WebsiteUnit) => number;

/** Distinct visitors among the hits of a kind, per value. */
export const distinctVisitors = (builds: Distinct, kind: Kind, valueOf: ValueOf): Rollup =>
  rollup(
    builds,
    (unit, add) => {
      if (unit.visitor === null) return;
      const presencesOf = (session: Session) => {
        return has(session, kind) ? hitPresences(session, unit, kind, (hit) => valueOf(hit, unit)) : [];
      };
      const changing = valuesOf(unit, (session) => presencesOf(session).map(({ value }) => value));
      const presences = presencesAround(unit, changing, ({ session }, tell) => {
        for (const { value, day } of presencesOf(session)) tell(value, day, 0, 0);
      });
      for (const row of rows(unit, presences)) add(row);
    },
    IN_BLOCKS,
  );

/** Distinct sessions among the hits of a kind, per value, page views or not; events of no session count for none. */
export const distinctSessions = (builds: Distinct, kind: Kind, valueOf: ValueOf): Rollup =>
  rollup(
    builds,
    (unit, add) => {
      for (const { session } of unit.near) {
        if (session.kind === SESSION_KIND.none || !has(session, kind)) continue;
        const presences = hitPresences(session, unit, kind, (hit) => valueOf(hit, unit));
        for (const row of rows(unit, presences)) add(row);
      }
    },
    IN_BLOCKS,
  );

const IN_BLOCKS = countedInBlocks('distinct_count');

const has = ({ customEvents, outgoingLinks }: Session, kind: Kind) =>
  (kind === HIT.custom ? customEvents : outgoingLinks) > 0;

const rows = ({ website, window }: WebsiteUnit, presences: readonly Presence[]) =>
  byDay(presences, window).map(({ value, day, previousDay }) => {
    return { website, span: 1, day, value, previous_day: previousDay, distinct_count: 1 };
  });
