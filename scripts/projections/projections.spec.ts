import { readModel } from '@ledgerline/contracts/read-models/read-model';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { WHOLE_LOG_SHARE } from '@ledgerline/platform/read-stores/read-stores';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { asSentence, tablesLabel, namedTables } from './projection-command';
import { projections, PROJECTIONS_USAGE } from './projections';
import { dropSentence, pace, replaySummary, tableOf } from './rebuild';

describe('npm run projections', () => {
  it('finds groups and tables by their names, and rejects others', () => {
    const groups = [group('registry', 'links', 'flags'), group('links', 'link_clicks', 'link_cities')];
    const names = (...words: string[]) => namedTables(groups, words).map(tablesLabel);
    expect(names('all')).toEqual(['registry', 'links']);
    expect(names('links', 'flags')).toEqual(['flags', 'links']);
    expect(names('registry.links', 'link_cities')).toEqual(['links', 'link_cities']);
    expect(() => names('nonsense')).toThrow(
      'There is no group or table "nonsense". The groups are registry, websites, links, monitors; "all" means all of them.',
    );
  });

  it('rejects an unknown command', () =>
    expect(given('rebiuld', 'links')).rejects.toThrow(`There is no command "rebiuld".\n\n${PROJECTIONS_USAGE}`));

  it('rejects --accept where nothing is switched, and further words', async () => {
    for (const words of [
      ['verify', 'links', '--accept'],
      ['rebuild', 'links', '--acept'],
    ])
      await expect(given(...words)).rejects.toThrow(`These arguments do not go together.\n\n${PROJECTIONS_USAGE}`);
  });

  it('rejects an action on parked events that there is not, or on none', async () => {
    for (const words of [
      ['parked', 'frob'],
      ['parked', 'retry'],
    ])
      await expect(given(...words)).rejects.toThrow(/^Say which: parked list, or parked show\|retry\|accept with ids/);
  });

  it('says what was dropped, and that nothing was', () => {
    const dropped = ['links_v1.link_clicks', 'links_v1.link_hours'].map((table) => ({ table, bytes: 700_000_000 }));
    expect(dropSentence('links', dropped)).toBe(
      'Of links 2 tables (1,400 MB) were dropped: links_v1.link_clicks, links_v1.link_hours.',
    );
    expect(dropSentence('links', [])).toBe('Of links nothing was kept from before the last rebuild.');
  });

  it('says in one sentence that a disk is full, also in a thread', () => {
    const full = { code: '53100', severity: 'ERROR' };
    const message = 'The disk of the database is full; make room there and begin again.';
    for (const error of [
      Object.assign(new Error('could not extend file "base/16384/24576"'), full),
      Object.assign(new Error('not filled'), { cause: full }),
    ])
      expect(asSentence(error)).toEqual(new StartFailure(message));
  });

  it('prints differences that were accepted', () => {
    const rows = [{ key: { id: 7 }, before: { views: 2 }, after: null }];
    const differences = [{ table: 'sessions', onlyBefore: 1, onlyAfter: 0, rows }];
    const compared = [
      { table: 'sessions', rows: 1_234 },
      { table: 'errors', rows: 0 },
    ];
    const result = { version: 2, differences, compared, mended: undefined, flipped: true, flipMs: 1, heldUp: 0 };
    expect(replaySummary({ flip: true }, 'websites', result)).toBe(
      'websites differs from a rebuild from its log; the differences were accepted (--accept), and it now uses version 2:\n' +
        '  sessions: 1 rows only in the live version, 0 only in the rebuilt one\n    id 7: live views 2 · rebuilt no row',
    );
    expect(
      tableOf(result)
        .split('\n')
        .map((line) => line.split(/[│\s]+/).filter(Boolean)),
    ).toEqual(
      expect.arrayContaining([
        ['table', 'rows', 'differ'],
        ['sessions', '1,234', '1'],
        ['errors', '0', '0'],
      ]),
    );
  });

  it('shows the rate, and the time that is left at this rate', () => {
    expect(pace({ done: 30_000, left: 3_665 * 3_000 }, 10_000)).toBe('3,000 events/s | ETA 1:01:05');
    expect(pace({ done: 0, left: 9 }, 10_000)).toBe('');
  });

  it.each([[[]], [['verify']]])('prints its usage after %j', (words) =>
    expect(given(...words)).rejects.toThrow(new Error(PROJECTIONS_USAGE)),
  );
});

const group = (name: Group, ...tables: string[]) =>
  ({ name, builds: tables.map((table) => readModel(table, {})), share: WHOLE_LOG_SHARE }) as unknown as BoundGroup;

const given = (...words: string[]) => projections(words, {});
