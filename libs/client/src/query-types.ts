import type { components, QueryTypeName } from './schema.js';

type Schemas = components['schemas'];
type Entry = Schemas['QueryEntry'];

/** The answer to one parameter; without success its rows are empty and `error` says why. */
export type EntryOf<Name extends QueryTypeName = QueryTypeName> = Extract<Entry, { readonly parameter: Name }>;

/** `RowOf<'top_pages'>`: the row of a query type; a series or list has several */
export type RowOf<Name extends QueryTypeName> = EntryOf<Name>['data'][number];

/** The name of a query type, or an object that overrides the request for it. */
export type QueryParameter = Schemas['QueryRequestDto']['parameters'][number];

type NameOf<Parameter extends QueryParameter> = Parameter extends { readonly name: infer Name extends QueryTypeName }
  ? Name
  : Extract<Parameter, QueryTypeName>;

type Options = Schemas['QueryTypeOptions'];
type OptionOf<Name extends QueryTypeName> = Name extends keyof Options ? Options[Name] : never;
type OfEveryType = Exclude<keyof Schemas['ParameterDto'], Options[keyof Options]>;

/** Without what its query type does not take. */
type Taken<Parameter> = Parameter extends { readonly name: infer Name extends QueryTypeName }
  ? { readonly [Key in keyof Parameter]: Key extends OfEveryType | OptionOf<Name> ? Parameter[Key] : never }
  : Parameter;

type Named = 'website' | 'link' | 'tag' | 'monitor' | 'share';
type About<Name extends Named> = { readonly [Each in Name]: string } & {
  readonly [Each in Exclude<Named, Name>]?: undefined;
};

/** The target of a request: exactly one of these, a share by its token. */
export type QueryTarget = About<'website'> | About<'link'> | About<'tag'> | About<'monitor'> | About<'share'>;

export type QueryRequest<Parameters extends readonly QueryParameter[] = readonly QueryParameter[]> = QueryTarget &
  Omit<Schemas['QueryRequestDto'], 'parameters'> & { readonly parameters: Parameters };

/** A request whose parameters have no option but those of their query types. */
export type CheckedRequest<Parameters extends readonly QueryParameter[]> = QueryRequest<Parameters> & {
  readonly parameters: { readonly [At in keyof Parameters]: Taken<Parameters[At]> };
};

/** An entry for each parameter, in their order. */
export interface QueryAnswer<Parameters extends readonly QueryParameter[] = readonly QueryParameter[]> {
  readonly success: true;
  readonly queryId: string;
  readonly data: { readonly [At in keyof Parameters]: EntryOf<NameOf<Parameters[At]>> };
  readonly meta: Schemas['QueryMeta'];
}
