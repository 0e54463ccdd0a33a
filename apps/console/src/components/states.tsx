import type { IconNode } from 'lucide';
import type { ReactNode } from 'react';
import { codeOf, messageOf, failedRequestId } from '../api/failure';
import { Button, Icon } from './button';

interface EmptyStateProps {
  readonly title: string;
  readonly icon?: IconNode;
  /** The next step, as a link or button; absent for those who may not take it. */
  readonly action?: ReactNode;
  /** Why there is nothing, and what to do about it. */
  readonly children: ReactNode;
}

/** In the place of a list without entries. */
export const EmptyState = ({ title, icon, action, children }: EmptyStateProps) => (
  <div className="state">
    {icon && <Icon of={icon} />}
    <h2>{title}</h2>
    <div>{children}</div>
    {action}
  </div>
);

interface ErrorStateProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** In the place of what could not be loaded or changed: the sentence and code of the api, and a way to try again. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const sentence = messageOf(error);
  const requestId = failedRequestId(error);
  return (
    <div className="state failed" role="alert">
      <h2>{sentence}</h2>
      <p>
        <code>{codeOf(error)}</code>
        {requestId !== undefined && !sentence.includes(requestId) && (
          <>
            {' '}
            · request <code>{requestId}</code>
          </>
        )}
      </p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

interface SkeletonProps {
  readonly lines: number;
  /** Tells screen readers what is loading. */
  readonly label: string;
}

/** In the place of content that is loading. */
export const Skeleton = ({ lines, label }: SkeletonProps) => (
  <div className="skeleton" role="status">
    <span className="visually-hidden">Loading {label} …</span>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} aria-hidden="true" />
    ))}
  </div>
);

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
