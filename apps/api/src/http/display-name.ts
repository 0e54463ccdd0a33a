const MAX_NAME = 80;

/** Characters without a shape, among them those that turn the direction of a text around; not those that join letters and emoji. */
const INVISIBLE =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** What can be seen: joining characters alone are no name. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A name that others have chosen, on one line, in one direction and not too long; empty where nothing of it can be seen. */
export function displayName(name: string): string {
  const shown = name.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  return VISIBLE.test(shown) ? cutText(shown, MAX_NAME) : '';
}

/** The beginning of a long text, without half of a character. */
export const cutText = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…` : text;
