import type { ReactNode } from 'react';
import { Brand } from './brand';

/** A page for those who are not signed in. */
export const CardPage = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <main className="card-page">
    <title>{`${title} · Ledgerline`}</title>
    <Brand />
    <h1>{title}</h1>
    {children}
  </main>
);
