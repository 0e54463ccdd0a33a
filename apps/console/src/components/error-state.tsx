import { codeOf, messageOf, requestIdOf } from '../api/failure';
import { Button } from './button';

interface ErrorStateProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** In the place of what could not be loaded or changed: the sentence and code of the api, and a way to try again. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const sentence = messageOf(error);
  const requestId = requestIdOf(error);
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
