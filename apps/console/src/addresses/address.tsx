import { readableAddress, readableHost } from './readable-address';

interface ReadableProps {
  /** As it is stored, which a tooltip shows where it reads otherwise. */
  readonly raw: string;
  readonly className?: string;
}

const Readable = ({ raw, shown, ...rest }: ReadableProps & { readonly shown: string }) => (
  <bdi {...rest} title={shown === raw ? undefined : raw}>
    {shown}
  </bdi>
);

/** A host name. */
export const Host = (props: ReadableProps) => <Readable {...props} shown={readableHost(props.raw)} />;

/** A web address. */
export const ReadableAddress = (props: ReadableProps) => <Readable {...props} shown={readableAddress(props.raw)} />;
