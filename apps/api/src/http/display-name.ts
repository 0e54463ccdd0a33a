const MAX_NAME = 80;

/** Characters without a shape, among them those that turn the direction of a text around. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** A name that others have chosen, on one line, in one direction and not too long. */
export const displayName = (name: string): string =>
  cutText(name.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim(), MAX_NAME);

/** The beginning of a long text, without half of a character. */
export const cutText = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…` : text;
