import type { ReportContent, WebsiteContent } from '../../apps/api/src/reports/report-content';

const CONSOLE = 'https://stats.example/console/organizations/org_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E/websites';

/** The content of a weekly report, with texts as strangers may write them. */
export const exampleReport = (more: Partial<ReportContent> = {}): ReportContent => ({
  name: 'Weekly figures',
  organization: 'Acme',
  period: 'week',
  timezone: 'Europe/Berlin',
  startDate: '2026-11-16',
  endDate: '2026-11-22',
  comparedWith: { startDate: '2026-11-09', endDate: '2026-11-15' },
  asOf: Date.parse('2026-11-23T07:00:04Z'),
  websites: [exampleWebsite('Shop')],
  gaps: [],
  ...more,
});

/** A website with so many visitors. */
export const exampleWebsite = (name: string, visitors = 12_408, more: Partial<WebsiteContent> = {}): WebsiteContent => {
  const id = `site_01KAJ4Q7ZJ8M3V5T9X2C6D0B${visitors}`;
  const dashboard = `${CONSOLE}/${id}?from=2026-11-16&to=2026-11-22&timezone=Europe%2FBerlin&compare=previous_period`;
  const row = (text: string, share: number) => ({
    name: text,
    visitors: Math.round(visitors * share),
    address: `${dashboard}&filters=${encodeURIComponent(text)}`,
  });
  return {
    id,
    name,
    domain: `${name.toLowerCase()}.example`,
    dashboard,
    totals: {
      visitors: { now: visitors, before: Math.round(visitors * 0.89) },
      pageviews: { now: visitors * 3, before: visitors * 3 },
      sessions: { now: Math.round(visitors * 1.3), before: Math.round(visitors * 1.4) },
      bounceRate: { now: 41.2, before: 43.9 },
    },
    lists: [
      {
        title: 'Pages',
        rows: [
          row('/', 0.6),
          row('/pricing', 0.2),
          row('/blog/2026/11/how-we-moved-a-whole-warehouse-of-events-without-losing-a-single-one-of-them', 0.1),
          row('/<script>alert(1)</script>', 0.05),
        ],
      },
      { title: 'Sources', rows: [row('Direct', 0.5), row('Google', 0.3), row('news.ycombinator.com', 0.1)] },
      { title: 'Countries', rows: [row('Germany', 0.4), row('United States', 0.2), row('Côte d’Ivoire', 0.01)] },
    ],
    goals: [
      { name: 'Order', conversions: { now: 310, before: 280 }, rate: 2.5, address: `${CONSOLE}/${id}/goals/goal_1` },
      { name: 'Signup', conversions: { now: 0, before: 0 }, rate: 0, address: `${CONSOLE}/${id}/goals/goal_2` },
    ],
    ...more,
  };
};
