import { zipf } from './choices';

export interface SitePage {
  readonly path: string;
  readonly title: string;
}

/** How many different pages the website has. */
const PAGES = 5_000;

const FRONT = ['/', '/pricing', '/docs', '/features', '/blog', '/sign-up', '/about', '/changelog', '/contact', '/jobs'];
const TOPICS = ['guides', 'reference', 'recipes', 'releases', 'stories'] as const;

const pages: readonly SitePage[] = Array.from({ length: PAGES }, (_, rank) => {
  const path = FRONT[rank] ?? `/${TOPICS[rank % TOPICS.length] ?? 'docs'}/article-${rank}`;
  return { path, title: `${path === '/' ? 'Home' : path.slice(1)} – Example` };
});

/** A page, the front page most often. */
export const somePage = zipf(pages, 0.95);

/** Where links lead out of the website. */
export const someOutgoingLink = zipf(
  Array.from({ length: 200 }, (_, rank) => ({
    href: `https://${['github.com', 'www.youtube.com', 'partner.example.com', 'docs.example.org'][rank % 4] ?? ''}/p/${rank}`,
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
