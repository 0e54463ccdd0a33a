import { ApiError } from '@ledgerline/client';
import { isOf, messageOf } from '../api/failure';
import { Notice } from './notice';

export interface FormErrorProps {
  readonly error: Error | null;
  /** Fields that show what is wrong with them themselves. */
  readonly fields?: readonly string[];
}

/** What the api refused of a form, except what its fields show. */
export function FormError({ error, fields = [] }: FormErrorProps) {
  if (!error) return null;
  const details = error instanceof ApiError ? error.details : [];
  const others = details.filter(({ field }) => !isOf(field, fields));
  if (details.length > 0 && others.length === 0) return null;
  const sentences = others.map(({ message }) => message);
  return <Notice tone="danger">{sentences.length > 0 ? sentences.join(' ') : messageOf(error)}</Notice>;
}
