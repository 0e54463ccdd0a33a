import type { ReactNode } from 'react';
import { useTitle } from '../components/page';

/** A page for those who are not signed in. */
export function CardPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title);
  return (
    <main className="card-page">
      <Brand />
      <h1>{title}</h1>
      {children}
    </main>
  );
}

/** The mark and name of the product. */
export const Brand = () => (
  <span className="brand">
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M9 8v16M9 24h14M14 19v-4M19 19V9" />
    </svg>
    <span className="name">Ledgerline</span>
  </span>
);
