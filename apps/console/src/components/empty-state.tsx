import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  /** Why there is nothing, and what to do about it. */
  readonly children: ReactNode;
}

/** In the place of a list without entries. */
export const EmptyState = ({ title, children }: EmptyStateProps) => (
  <div className="state">
    <h2>{title}</h2>
    <div>{children}</div>
  </div>
);
