import { countedRows } from '@test/query/selected-sessions';
import { downloads, outboundDomains, outboundLinksQuery } from './outbound.query-type';

const SHOP = 10;
const BLOG = 11;
const EXAMPLE = 20;
const click = (at: number, label: number, ids: readonly number[] = [0, 0, 0, 0], href = SHOP) => {
  const [id_1 = 0, id_2 = 0, id_3 = 0, id_4 = 0] = ids;
  return { at, path: 1, href, label, id_1, id_2, id_3, id_4 };
};

describe('a link that was clicked', () => {
  it.each([
    ['time', [click(5, 1), click(7, 2), click(6, 3)], 2],
    ['id at the same time', [click(5, 1, [-9, 0, 0, 1]), click(5, 2, [-9, 0, 2, 0]), click(5, 3, [-10, 5, 5, 5])], 2],
  ])('has the text of its latest click, by %s', (_, outgoing_links, label) => {
    expect(countedRows(outboundLinksQuery, [{ units: { outgoing_links } }])).toMatchObject([{ value: SHOP, label }]);
  });

  it('counts each session and visitor once, and neither of a click in no session', () => {
    const sessions = [
      { visitor: 0, units: { outgoing_links: [click(5, 1), click(6, 1)] } },
      { visitor: 0, units: { outgoing_links: [click(9, 1)] } },
      { isSingle: true, units: { outgoing_links: [click(8, 1)] } },
    ];
    const counts = { total_clicks: 4, unique_users: 1, unique_sessions: 2 };
    expect(countedRows(outboundLinksQuery, sessions)).toMatchObject([{ value: SHOP, ...counts, last_clicked: 9 }]);
  });

  it('is none where it is a download from the website’s own domain', () => {
    const outgoing_links = [click(5, 1), { ...click(6, 1, [], BLOG), link_kind: 2 }, { ...click(7, 1), link_kind: 1 }];
    const sessions = [{ visitor: 0, units: { outgoing_links } }];
    const lookup = [SHOP, BLOG].map((value) => ({ value, domain: EXAMPLE }));
    expect(countedRows(outboundLinksQuery, sessions)).toMatchObject([{ value: SHOP, total_clicks: 2, whole: 2 }]);
    expect(countedRows(outboundDomains, sessions, { lookup })).toMatchObject([{ total_clicks: 2, unique_links: 1 }]);
  });

  it('is a download from any domain', () => {
    const outgoing_links = [click(5, 1), { ...click(6, 2, [], BLOG), link_kind: 2 }, { ...click(7, 3), link_kind: 1 }];
    const rows = countedRows(downloads, [{ visitor: 0, units: { outgoing_links } }]);
    expect(rows).toHaveLength(2); // their texts decide the order
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ value: BLOG, label: 2, total_clicks: 1, whole: 2 }),
        expect.objectContaining({ value: SHOP, label: 3, total_clicks: 1, whole: 2 }),
      ]),
    );
  });

  it('belongs to its domain', () => {
    const sessions = [{ visitor: 0, units: { outgoing_links: [click(5, 1), click(6, 1, [], BLOG)] } }];
    const lookup = [SHOP, BLOG].map((value) => ({ value, domain: EXAMPLE }));
    expect(countedRows(outboundDomains, sessions, { lookup })).toEqual([
      { value: EXAMPLE, total_clicks: 2, unique_users: 1, unique_links: 2, whole: 2, total_rows: 1 },
    ]);
  });
});
