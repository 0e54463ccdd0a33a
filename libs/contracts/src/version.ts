/** The version of this build, by semantic versioning; as in package.json. */
export const VERSION = '1.0.0';
