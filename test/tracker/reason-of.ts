import { BadItem } from '../../apps/tracker/src/intake/read-field';

/** Why an item is refused; `taken` when it is not. */
export function reasonOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof BadItem) return error.message;
    throw error;
  }
  return 'taken';
}
