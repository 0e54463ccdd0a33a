import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Copy, DockerfileParser, Env, From, Healthcheck, JSONInstruction, type Instruction } from 'dockerfile-ast';
import { root } from '../docs/documents';

/** One stage of docker/Dockerfile. */
export interface Stage {
  readonly name: string;
  /** An image of a registry, or an earlier stage. */
  readonly from: string;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly keyword: 'RUN' | 'WORKDIR' | 'USER' | 'EXPOSE'; readonly text: string }
  | { readonly keyword: 'COPY'; readonly from?: string; readonly sources: readonly string[]; readonly to: string }
  | { readonly keyword: 'ENV'; readonly variables: Readonly<Record<string, string>> }
  | { readonly keyword: 'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK'; readonly words: readonly string[] };

/** Stages in their order. @throws where an instruction is not one that the replay can run */
export function readDockerfile(): Stage[] {
  const file = DockerfileParser.parse(readFileSync(join(root, 'docker', 'Dockerfile'), 'utf8'));
  const stages: { name: string; from: string; steps: Step[] }[] = [];
  const args: Record<string, string> = {};
  for (const instruction of file.getInstructions()) {
    const text = instruction.getArgumentsContent() ?? '';
    if (instruction.getKeyword() === 'ARG') Object.assign(args, Object.fromEntries([text.split('=')]));
    else if (instruction instanceof From)
      stages.push({
        name: instruction.getBuildStage()!,
        from: instruction.getImage()!.replace(/\$\{(\w+)\}/, (_, arg: string) => args[arg]!),
        steps: [],
      });
    else stages.at(-1)!.steps.push(stepOf(instruction, text));
  }
  return stages;
}

function stepOf(instruction: Instruction, text: string): Step {
  const keyword = instruction.getKeyword();
  if (instruction instanceof Copy) {
    const paths = instruction.getArguments().map((argument) => argument.getValue());
    const from = instruction.getFromFlag()?.getValue();
    return { keyword: 'COPY', ...(from ? { from } : {}), sources: paths.slice(0, -1), to: paths.at(-1)! };
  }
  if (instruction instanceof Env) {
    const variables = instruction.getProperties().map((each) => [each.getName(), each.getValue()!] as const);
    return { keyword: 'ENV', variables: Object.fromEntries(variables) };
  }
  if (instruction instanceof Healthcheck) return { keyword: 'HEALTHCHECK', words: wordsIn(text.replace(/^CMD /, '')) };
  if (keyword === 'ENTRYPOINT' || keyword === 'CMD') return { keyword, words: wordsIn(text) };
  if (keyword === 'RUN' || keyword === 'WORKDIR' || keyword === 'USER' || keyword === 'EXPOSE')
    return { keyword, text };
  throw new Error(`The replay cannot run ${keyword}${instruction instanceof JSONInstruction ? ' with words' : ''}.`);
}

/** The exec form: a shell would be the process that gets the signals. */
const wordsIn = (text: string): string[] => JSON.parse(text) as string[];
