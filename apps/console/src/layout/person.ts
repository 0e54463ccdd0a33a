const PREFIX = 'ledgerline';
const PERSON = `${PREFIX}.person`;

/** Whose choices are remembered in this browser from now on; before it is known those of the last person. */
export const rememberPerson = (id: string): void => write(PERSON, id);

/** What a person chose, in this browser; null for nothing. */
export const rememberedOfPerson = (name: string): string | null => read(keyOf(name));

export const rememberOfPerson = (name: string, text: string): void => write(keyOf(name), text);

const keyOf = (name: string): string => `${PREFIX}.${name}.${read(PERSON) ?? ''}`;

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is blocked
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // the address of the page still has it
  }
}
