import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type AnySchemaObject } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';

/** Lists what is wrong with a document, a line for each; none if it is valid. */
type Validator = (document: unknown) => string[];

const readSchema = (name: string): AnySchemaObject =>
  JSON.parse(readFileSync(join(__dirname, 'schemas', name), 'utf8')) as AnySchemaObject;

/** By the schema of the Compose specification, of compose-go 2.16.2 (Apache-2.0). */
export function composeValidator(): Validator {
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(
    readSchema('compose-spec.json'),
  );
  return (document) => (validate(document) ? [] : (validate.errors ?? []).map((error) => JSON.stringify(error)));
}

type Definition = AnySchemaObject & { 'x-kubernetes-group-version-kind'?: readonly Kind[] };
interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** By the definition of the kind in Kubernetes 1.34; unlike there, fields that it does not have are errors. */
export function kubernetesValidator(): Validator {
  const { definitions } = readSchema('kubernetes-1.34.json') as { definitions: Record<string, Definition> };
  for (const definition of Object.values(definitions))
    if (definition['properties']) definition['additionalProperties'] = false;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false }).addSchema({
    $id: 'k8s',
    definitions,
  });
  return (document) => {
    const { apiVersion, kind } = document as { apiVersion: string; kind: string };
    const [version, group] = apiVersion.split('/').reverse();
    const name = Object.keys(definitions).find((each) =>
      definitions[each]!['x-kubernetes-group-version-kind']?.some(
        (known) => known.kind === kind && known.version === version && known.group === (group ?? ''),
      ),
    );
    if (name === undefined) return [`${apiVersion} ${kind} is no kind of Kubernetes 1.34 that the schema holds`];
    const validate = ajv.getSchema(`k8s#/definitions/${name}`)!;
    return validate(document) === true ? [] : (validate.errors ?? []).map((error) => JSON.stringify(error));
  };
}
