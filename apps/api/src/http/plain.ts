/** The fields of a DTO class without the class: what is answered is plain data. */
export type Plain<Dto> = { readonly [Field in keyof Dto]: Dto[Field] };
