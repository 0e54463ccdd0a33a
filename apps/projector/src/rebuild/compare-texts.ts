import { findChangedTexts, type ChangedText } from '../projections/websites/text-faults';
import type { BoundGroup } from '../runner/bound-group';
import { SHOWN, type Difference } from './difference';

interface ComparedTexts {
  /** Those that are not the texts of their hashes. */
  readonly changed: Difference | undefined;
  /** Those that were not, and got the texts of the log. */
  readonly mended: Difference | undefined;
}

/** Compares all texts with their hashes, and with those of the log that the events of a rebuild had. */
export async function compareTexts({ pool, dictionary }: BoundGroup): Promise<ComparedTexts> {
  if (!dictionary) return { changed: undefined, mended: undefined };
  const found = (await findChangedTexts(pool, null)).map((each) => dictionary.changed.get(each.id) ?? each);
  const still = new Set(found.map(({ id }) => id));
  const mended = [...dictionary.changed.values()].filter(({ id }) => !still.has(id));
  return { changed: differenceOf(found), mended: differenceOf(mended) };
}

function differenceOf(texts: readonly ChangedText[]): Difference | undefined {
  if (texts.length === 0) return undefined;
  const rows = texts.slice(0, SHOWN).map(({ id, scope, text, found }) => ({
    key: { id, scope },
    before: { text: found },
    after: text === null ? null : { text },
  }));
  const onlyAfter = texts.filter(({ text }) => text !== null).length;
  return { table: 'dictionary', onlyBefore: texts.length, onlyAfter, rows };
}
