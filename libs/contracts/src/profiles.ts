/** What a website knows of a person beside the profile id: flat; null removes a trait. */
export type Traits = Readonly<Record<string, string | number | boolean | null>>;

/** The traits by which people are shown, the first that is there. */
export const NAMING_TRAITS = ['name', 'username', 'email'] as const;
