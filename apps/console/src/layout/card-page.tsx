import type { ReactNode } from 'react';
import { useTitle } from '../components/use-title';
import { Brand } from './brand';

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
