/** What a key's `resources` may name: `global`, or `website:<id>`. */
export const isResourceName = (name: string): boolean => name === 'global' || websiteIn(name) !== undefined;

/** The website a resource names, if it names one. */
export const websiteIn = (name: string): string | undefined => /^website:(site_[0-9A-Z]{26})$/.exec(name)?.[1];
