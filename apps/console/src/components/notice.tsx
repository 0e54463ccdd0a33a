import type { ReactNode } from 'react';

interface NoticeProps {
  readonly tone: 'danger' | 'warning' | 'info';
  readonly children: ReactNode;
}

/** A sentence about what stands beside it; one about a failure is read out at once. */
export const Notice = ({ tone, children }: NoticeProps) => (
  <p className={`notice ${tone}`} role={tone === 'danger' ? 'alert' : undefined}>
    {children}
  </p>
);
