import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { calendarOf } from '@ledgerline/domain/sessions/calendar';
import { ALWAYS, LocalSession } from '@ledgerline/domain/sessions/local-session';
import { packReport } from '@ledgerline/domain/sessions/page-report';
import { sessionOf } from '@ledgerline/domain/sessions/session';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { REPORTS } from './page-visits.projections';

describe('visits of pages', () => {
  it.each([1, 2 ** 30, 2 ** 31 - 1])('are counted for the page with the text id %d', (path) => {
    const report = packReport({ scrollDepth: 50, interactions: 1 });
    const hit = { at: 0, id: '0'.repeat(32), kind: HIT.leave, path, text: report, extra: 1000 };
    const session = sessionOf('a', SESSION_KIND.client, [hit], undefined);
    const calendar = calendarOf('UTC');
    const near = [new LocalSession(session, calendar)];
    const around = { window: ALWAYS, changed: [session], near, earlier: [], later: [] };
    const rows: Row[] = [];
    REPORTS[0]?.rowsOf({ website: 1, visitor: 'v', calendar, ...around, domainOf: () => 0 }, (row) => rows.push(row));
    expect(rows.map(({ value }) => value)).toEqual(rows.map(() => path));
    const sumOf = (name: string) => rows.reduce((sum, row) => sum + Number(row[name]), 0);
    expect(['timed', 'timed_visitors', 'scrolled_sessions'].map(sumOf)).toEqual([1, 1, 1]);
  });
});
