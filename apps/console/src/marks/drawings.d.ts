/** The drawings of the build: see scripts/console-drawings.cjs. */

declare module 'logo:*' {
  const address: string;
  export default address;
}

declare module 'flags' {
  /** The codes of countries that have a flag, as ISO 3166-1 alpha-2. */
  export const FLAG_CODES: readonly string[];
  /** The address of the flag of such a code. */
  export const flagOf: (code: string) => string;
}

declare module 'world' {
  export const viewBox: string;
  /** The outline of each country, by its code. */
  export const shapes: Readonly<Record<string, string>>;
}
