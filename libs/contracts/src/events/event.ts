/** A fact somebody decided, named as a past sentence. Its `type` is stored as written here. */
export interface Event<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Data;
}
