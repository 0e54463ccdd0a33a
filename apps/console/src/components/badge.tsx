import type { ReactNode } from 'react';

export type Tone = 'good' | 'warning' | 'danger' | 'neutral';

/** A state in one word; the colour only repeats it. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`badge ${tone}`}>{children}</span>
);
