import { isRecord } from './tree.ts';

/** Asks an OpenAI-compatible server for its models. Undefined means: nobody there, or somebody else. */
export type Probe = (baseUrl: string, timeoutMs: number) => Promise<readonly string[] | undefined>;

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export const probeModels: Probe = async (baseUrl, timeoutMs) => {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // A redirect would lead away from the port that was meant.
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: 'error' });
    if (!response.ok || !response.body) return undefined;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) return undefined;
      chunks.push(chunk);
    }
    return readModelIds(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    return undefined; // closed port, time-out, not JSON: for discovery they are all "not there"
  }
};

/** Ports such as 8080 belong to half of all web servers: only a list of models counts. */
function readModelIds(answer: unknown): readonly string[] | undefined {
  if (!isRecord(answer) || !Array.isArray(answer.data)) return undefined;
  return answer.data.flatMap((model: unknown) =>
    isRecord(model) && typeof model.id === 'string' ? [model.id] : [],
  );
}
