import type { ReactNode } from 'react';
import { Brand, useTitle } from '../components/page';
import { ThemeMenu } from './theme';

/** The frame of pages for people who are not signed in: the bar that all other pages have, without what needs an account. */
export const PublicFrame = ({ children }: { readonly children: ReactNode }) => (
  <div className="public">
    <header className="top">
      <Brand />
      <span className="gap" />
      <ThemeMenu />
    </header>
    {children}
  </div>
);

/** A page for those who are not signed in. */
export function CardPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title);
  return (
    <PublicFrame>
      <main className="card-page">
        <h1>{title}</h1>
        {children}
      </main>
    </PublicFrame>
  );
}
