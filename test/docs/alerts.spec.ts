import { ALERT_FIGURES, ALERT_WINDOW_MINUTES, type AlertSettings } from '@ledgerline/contracts/events/alert.events';
import { windowsBetween } from '@ledgerline/domain/alerts/alert-windows';
import { plainAlert } from '@ledgerline/domain/alerts/alert.decider';
import { AT_THE_BEGINNING, decideWindow, usualFigure } from '@ledgerline/domain/alerts/decide-window';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { curlCommandsIn, send } from './curl';
import { documentAt } from './documents';

const { text } = documentAt('docs/alerts.md');

describe('docs/alerts.md', () => {
  it('names every figure and every window, with how often one ends', () => {
    for (const figure of Object.keys(ALERT_FIGURES)) expect(text).toContain(`\`${figure}\``);
    const [, lengths, last, steps, lastStep] =
      /\| ([\d, ]+) or (\d+) `minutes`, ending every ([\d, ]+) or (\d+) minutes/.exec(text)!;
    expect([...lengths!.split(', '), last!].map(Number)).toEqual([...ALERT_WINDOW_MINUTES]);
    const ends = ALERT_WINDOW_MINUTES.map((minutes) => {
      const [first, second] = windowsBetween({ minutes, zone: 'UTC', wholeDays: false }, 0, 3 * 86_400_000);
      return (second!.to - first!.to) / 60_000;
    });
    expect([...steps!.split(', '), lastStep!].map(Number)).toEqual(ends);
  });

  it('has a curl command that is answered', async () => {
    const key = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
    const [command] = curlCommandsIn(text);
    const filled = [
      ['$API', await api.app.getUrl()],
      ['$KEY', key],
      ['org_…', owner.organizationId],
      ['site_…', owner.websiteId],
    ].reduce((known, [name, value]) => known.replaceAll(name!, value!), command!);
    const answer = await send(filled);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { sentence: 'Visitors of the last hour more than 50 % below the usual, from 20 on', decided: 0, told: [] },
    ]);
  });

  it('calculates as the product does', () => {
    // the document's text is what is tested
    const rule = { ...plainAlert, ...(ruleIn(text) as unknown as AlertSettings) };
    const rows = [
      ...text.matchAll(/^\| (\d+|none) +\| (\d+|none) +\| (\d+|none) +\| (\d+) +\| (.+?) +\| (\d+) +\| (.+?) +\|$/gm),
    ];
    expect(rows).toHaveLength(4);
    for (const [row, ...cells] of rows) {
      const weeks = cells.slice(0, 4).filter((cell) => cell !== 'none');
      const usual = weeks.map(Number);
      const to = Date.parse('2026-11-24T09:00:00Z');
      const window = { from: to - 3_600_000, to, figure: Number(cells[5]), usual };
      const { told } = decideWindow(rule, 'Europe/Berlin', AT_THE_BEGINNING, window);
      expect([row, usualFigure(usual) ?? 'none', told[0]?.outcome ?? '-']).toEqual([
        row,
        cells[4] === 'none' ? 'none' : Number(cells[4]),
        cells[6],
      ]);
    }
  });
});

/** The rule of the command. */
const ruleIn = (document: string): object => JSON.parse(/-d '(.*)'/.exec(document)![1]!) as object;

let api: TestApi;
let owner: Owner;
let projector: DirectProjector;
beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl);
  owner = await ownerWithWebsite(api);
});
afterAll(async () => {
  await projector.close();
  await api.close();
});
