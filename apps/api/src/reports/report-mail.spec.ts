import { exampleReport, exampleWebsite } from '@test/reports/example-report';
import { reportHtml } from './report-mail';
import { reportText } from './report-text';

describe('the mail of a report', () => {
  it('shows text of strangers as text, and loads nothing', () => {
    const report = exampleReport({ name: '</title><b>', websites: [exampleWebsite('a"><img src=x>')] });
    const page = reportHtml(report);
    expect(page).not.toMatch(/<(img|script|b|link|iframe)\b/);
    expect(page).toContain('/&#60;script&#62;alert(1)&#60;/script&#62;');
    expect(page).not.toMatch(/url\(|@import/);
    const addresses = [...page.matchAll(/href="([^"]+)"/g)].map(([, address]) => address ?? '');
    expect(addresses.filter((address) => !address.startsWith('https://stats.example/console/'))).toEqual([]);
  });

  it('has a place for the link that ends it, which no text of others can take', () => {
    const page = reportHtml(exampleReport({ name: '<!--unsubscribe-->' }));
    expect(page.split('<!--unsubscribe-->')).toHaveLength(2);
  });

  it('names gaps, and websites without visitors in one line', () => {
    const nobody = ['Blog', 'Docs'].map((name) => exampleWebsite(name, 0));
    const gaps = [{ websiteId: 'site_app', name: 'App', why: 'behind' }] as const;
    const report = exampleReport({ websites: [exampleWebsite('Shop'), ...nobody], gaps });
    expect(reportText(report)).toMatch(/^No visitors: Blog, Docs$/m);
    expect(reportText(report)).toMatch(/^Note: App: events of this time may be missing/m);
    expect(reportHtml(report)).toContain('App: events of this time may be missing');
  });

  it('shows some websites in full and the figures of all others, within what mail programs show at once', () => {
    const mailOf = (count: number) => {
      const websites = Array.from({ length: count }, (_, n) => exampleWebsite(`Website ${n}`, 1_000 - n));
      const page = reportHtml(exampleReport({ websites }));
      for (const { name } of websites) expect(page).toContain(name);
      expect(page.length).toBeLessThan(102_000);
      return page.match(/>Order</g)?.length;
    };
    expect([30, 100].map(mailOf)).toEqual([3, 1]);
  });
});

describe('the text of a report', () => {
  it('begins with its subject, and has all figures with their changes', () => {
    expect(reportText(exampleReport())).toBe(TEXT);
  });
});

const TEXT = `Weekly figures: 16 to 22 November 2026

Acme, compared with 9 to 15 November 2026

SHOP
  Visitors 12,408 (+12 %)
  Page views 37,224 (unchanged)
  Visits 16,130 (−7 %)
  Bounce rate 41.2 % (−2.7 points)
Pages
  7,445  /
  2,482  /pricing
  1,241  /blog/2026/11/how-we-moved-a-whole-warehouse-of-events-without-losing-a-single-one-of-them
  620  /<script>alert(1)</script>
Sources
  6,204  Direct
  3,722  Google
  1,241  news.ycombinator.com
Countries
  4,963  Germany
  2,482  United States
  124  Côte d’Ivoire
Goals
  310  Order (2.5 % of visitors, +11 %)
  0  Signup (0.0 % of visitors)
${exampleWebsite('Shop').dashboard}

As of 23 November 2026 at 08:00 (Europe/Berlin).`;
