import { codeOf, messageOf, requestIdOf } from '../api/failure';
import { Button } from './button';

interface ErrorStateProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** In the place of what could not be loaded or changed: the sentence and code of the api, and a way to try again. */
export const ErrorState = ({ error, onRetry }: ErrorStateProps) => (
  <div className="state failed" role="alert">
    <h2>{messageOf(error)}</h2>
    <p>
      <code>{codeOf(error)}</code>
      {requestIdOf(error) !== undefined && (
        <>
          {' '}
          · request <code>{requestIdOf(error)}</code>
        </>
      )}
    </p>
    {onRetry && <Button onClick={onRetry}>Try again</Button>}
  </div>
);
