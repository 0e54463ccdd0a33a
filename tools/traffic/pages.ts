import { weighted, zipf } from './choices';
import type { Random } from './random';

export interface SitePage {
  readonly path: string;
  readonly title: string;
  /** Absent: as if it had one. */
  readonly hasForm?: boolean;
}

/** The number of different pages the website has. */
const PAGES = 5_000;

const FRONT = ['/', '/pricing', '/docs', '/features', '/blog', '/sign-up', '/about', '/changelog', '/contact', '/jobs'];
const TOPICS = ['guides', 'reference', 'recipes', 'releases', 'stories'] as const;

const pages: readonly SitePage[] = Array.from({ length: PAGES }, (_, rank) => {
  const path = FRONT[rank] ?? `/${TOPICS[rank % TOPICS.length] ?? 'docs'}/article-${rank}`;
  return { path, title: `${path === '/' ? 'Home' : path.slice(1)} – Example` };
});

/** A page, the front page most often. */
export const somePage = zipf(pages, 0.95);

/** A website as small companies have: path, title, weight among page views. */
const SITE: readonly (readonly [string, string, number])[] = [
  ['/', 'Home', 100],
  ['/pricing', 'Pricing', 42],
  ['/features', 'Features', 30],
  ['/docs', 'Documentation', 28],
  ['/blog', 'Blog', 22],
  ['/sign-up', 'Sign up', 20],
  ['/docs/getting-started', 'Getting started', 19],
  ['/blog/why-we-left-spreadsheets', 'Why we left spreadsheets', 16],
  ['/docs/installation', 'Installation', 13],
  ['/contact', 'Contact', 10],
  ['/customers', 'Customers', 10],
  ['/blog/five-mistakes-in-onboarding', 'Five mistakes in onboarding', 9],
  ['/changelog', 'Changelog', 9],
  ['/about', 'About us', 8],
  ['/docs/api', 'API reference', 8],
  ['/integrations', 'Integrations', 7],
  ['/blog/release-of-the-autumn', 'Release of the autumn', 7],
  ['/demo', 'Book a demo', 6],
  ['/docs/import', 'Import your data', 6],
  ['/security', 'Security', 5],
  ['/docs/webhooks', 'Webhooks', 5],
  ['/integrations/slack', 'Slack', 4],
  ['/blog/a-year-of-remote-work', 'A year of remote work', 4],
  ['/careers', 'Careers', 4],
  ['/docs/billing', 'Billing', 3],
  ['/integrations/zapier', 'Zapier', 3],
  ['/docs/roles', 'Roles and permissions', 3],
  ['/docs/faq', 'Questions and answers', 3],
  ['/blog/how-we-test', 'How we test', 2],
  ['/terms', 'Terms', 2],
  ['/privacy', 'Privacy', 2],
  ['/careers/backend-engineer', 'Backend engineer', 2],
  ['/imprint', 'Imprint', 1],
];
const FORMS: readonly string[] = ['/sign-up', '/contact', '/demo'];

const drawPage = weighted<SitePage>(
  SITE.map(([path, title, weight]) => [{ path, title: `${title} – Example`, hasForm: FORMS.includes(path) }, weight]),
);

/** A page of the small website, and no page twice in a row. */
export function somePageOfSite(random: Random, previous?: SitePage): SitePage {
  for (;;) {
    const page = drawPage(random);
    if (page !== previous) return page;
  }
}

interface OutgoingLink {
  readonly href: string;
  readonly text: string;
}

/** Where the small website leads. */
export const someLinkOfSite = zipf<OutgoingLink>(
  [
    { href: 'https://github.com/example/app', text: 'Source code' },
    { href: 'https://www.youtube.com/@example', text: 'Videos' },
    { href: 'https://status.example.net/', text: 'Status' },
    { href: 'https://www.linkedin.com/company/example', text: 'LinkedIn' },
    { href: 'https://slack.com/marketplace/example', text: 'Add to Slack' },
    { href: 'https://zapier.com/apps/example', text: 'Connect with Zapier' },
    { href: 'https://partner.example.org/prices.pdf', text: 'Price list' },
    { href: 'https://de.wikipedia.org/wiki/Onboarding', text: 'Onboarding' },
  ],
  0.8,
);

/** Where links lead out of the website. */
export const someOutgoingLink = zipf<OutgoingLink>(
  Array.from({ length: 200 }, (_, rank) => ({
    href: `https://${['github.com', 'www.youtube.com', 'partner.example.com', 'docs.example.org'][rank % 4] ?? ''}/p/${rank}${rank % 4 === 3 ? '.pdf' : ''}`,
    text: `Reference ${rank}`,
  })),
  1,
);

/** Custom events of visitors. */
export const someCustomEvent = zipf(
  ['signup_started', 'newsletter_joined', 'video_played', 'download', 'signup_finished', 'plan_chosen', 'search'],
  0.8,
);

/** Custom events that servers send with an API key. */
export const someServerEvent = zipf(['order_placed', 'invoice_paid', 'subscription_renewed', 'refund_issued'], 0.7);

export const PLANS = ['free', 'pro', 'team'] as const;

/** As the tracking script decides by the type of a file. */
export const linkKindOf = (href: string): 'link' | 'download' => (href.endsWith('.pdf') ? 'download' : 'link');
