import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from '../../../components/error-state';
import { Skeleton } from '../../../components/skeleton';

interface AnsweredProps<Answer> {
  readonly query: UseQueryResult<Answer>;
  /** What is loading, for screen readers. */
  readonly label: string;
  /** How high it will be, in lines. */
  readonly lines: number;
  readonly children: (answer: Answer) => ReactNode;
}

/**
 * A part of a page that waits and fails by itself; what it showed before stays, dimmed, until there is something new, and
 * as it is where that only could not be refreshed.
 */
export function Answered<Answer>({ query, label, lines, children }: AnsweredProps<Answer>) {
  const { data, error, isPlaceholderData, refetch } = query;
  if (error && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={lines} label={label} />;
  return (
    <div className={isPlaceholderData ? 'answered outdated' : 'answered'} aria-busy={isPlaceholderData}>
      {children(data)}
    </div>
  );
}
