import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { REPORT_BASE } from '@ledgerline/domain/sessions/page-report';
import { joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { instant, type Span } from './series';
import { matches, selectsHits, sessionsIn } from './sessions';

const REPORTS = sql`(${HIT.leave}, ${HIT.engagement})`;

/**
 * The visits `v` of pages in a span of which something is reported, as filters select them: path, visitor, session,
 * and the greatest time (ms), scroll depth (hundredths of a percent) and number of interactions reported, each
 * -1 if unknown. A visit goes from a page view to the next one of its path in the session; what is reported before the
 * first is one, too. TRICKY: at and id of a hit are its order, and the number of page views of the path so far its visit.
 */
export const pageVisitsIn = (context: QueryContext, span: Span): Sql => sql`(
    select h.path, h.visitor, h.session, min(h.at) as at, max(case when h.kind = ${HIT.view} then h.text else 0 end) as query,
      max(case when h.kind <> ${HIT.view} then h.extra else -1 end) as time_ms,
      max(case when h.kind <> ${HIT.view} then h.text % ${REPORT_BASE} else 0 end) - 1 as scroll,
      max(case when h.kind <> ${HIT.view} then h.text / ${REPORT_BASE} else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = ${HIT.view}) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from ${sessionsIn(context, span)} and s.hit_kind && array[${HIT.leave}, ${HIT.engagement}]::smallint[]
          and s.kind <> ${SESSION_KIND.none}
      ) h
      where h.kind = ${HIT.view} or h.kind in ${REPORTS}
    ) h
    group by h.actor, h.session, h.visitor, h.path, h.views
    having bool_or(h.kind in ${REPORTS})
  ) v
  where v.at >= ${instant(span.from)} and v.at < ${instant(span.to)}${ofPages(context)}`;

/** Filters on pages select visits by their path, and by the query string of their page view. */
function ofPages({ filters }: QueryContext): Sql {
  const conditions = filters
    .filter(selectsHits)
    .map((filter) => sql` and ${matches(filter.field === 'path' ? sql`v.path` : sql`v.query`, filter)}`);
  return joinSql(conditions, '');
}
