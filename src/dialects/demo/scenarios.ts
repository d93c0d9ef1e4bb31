import {
  GatewayError,
  type IdSource,
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type TurnRequest,
} from '../../core/index.ts';
import { readConversation } from './conversation.ts';
import { type Answer, allowedTools, decideAnswer } from './decide-answer.ts';
import { echoRequest } from './echo-request.ts';
import type { CallableTool } from './find-tool.ts';
import { writeLongText } from './long-text.ts';
import type { PlannedCall } from './plan-call.ts';
import { asObject, createInstance, setOwn, wordsOf } from './schema-instance.ts';
import { propertiesOf, requiredOf, schemaVariants, typesOf } from './schema-variants.ts';
import {
  type Cut,
  cutCodePoints,
  cutEvery,
  type Piece,
  type Script,
  say,
  scriptAnswer,
  scriptCalls,
} from './script.ts';
import { INTRODUCTION } from './talk.ts';

export interface ScenarioContext {
  readonly request: TurnRequest;
  readonly newId: IdSource;
}

type Scenario = (context: ScenarioContext) => Script;

const SLOW_MS = 200;
const MID_STREAM_MS = 100;
const HUGE_CHARACTERS = 1024 * 1024;
const PARALLEL_CALLS = 5;

/** Every script: emoji with joiners and skin tones, combining marks, right-to-left text, characters beyond the first plane. */
const UNICODE_SAMPLE =
  'Grüße 👩🏽‍💻🏳️‍🌈 e\u0301a\u0308 שלום עולם مرحبا 漢字 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u200Dzero\u200B width "quoted" \\ back';

/** What the models `demo/<name>` do; `demo` itself answers the user. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  demo: answerUser,
  'long-text': ({ request }) => writeLongText(readSize(request)),
  slow: slowly,
  'error-mid-stream': failMidStream,
  'error-first': failFirst,
  'huge-arguments': (context) => callFirstTool(context, 'huge arguments', hugeCall, cutEvery(512)),
  unicode: sayUnicode,
  echo: ({ request }) => say('text', echoRequest(request)),
  reasoning: reasonAloud,
  refusal: refuse,
  length: runOut,
  'empty-arguments': (context) => callFirstTool(context, 'empty arguments', emptyCall),
  parallel: callInParallel,
};

export const SCENARIO_NAMES: readonly string[] = Object.keys(SCENARIOS);

/** The script a request asks for, by its model name or, on `demo`, by `metadata.demo_scenario`. */
export function scriptFor(context: ScenarioContext): Script {
  const name = scenarioName(context.request);
  return (SCENARIOS[name] ?? answerUser)(context);
}

function scenarioName(request: TurnRequest): string {
  const model = request.model.replace(/^demo\//, '');
  if (!Object.hasOwn(SCENARIOS, model)) {
    const message = `The demo upstream has no model "${request.model}". It has: ${SCENARIO_NAMES.join(', ')}.`;
    throw new GatewayError('not-found', message, { detail: { param: 'model', reason: 'model_not_found' } });
  }
  const wanted = request.metadata?.demo_scenario;
  if (model !== 'demo' || wanted === undefined) return model;
  if (typeof wanted === 'string' && Object.hasOwn(SCENARIOS, wanted)) return wanted;
  throw invalidRequest(
    `metadata.demo_scenario ${JSON.stringify(wanted)} is unknown. Use one of: ${SCENARIO_NAMES.join(', ')}.`,
    'metadata.demo_scenario',
  );
}

const DEFAULT_WORDS = 2000;
const MAX_WORDS = 100_000_000;

function readSize(request: TurnRequest): number {
  const size = request.metadata?.demo_size;
  if (size === undefined) return DEFAULT_WORDS;
  const words = Number(size);
  if (typeof size !== 'boolean' && size !== '' && Number.isInteger(words) && words >= 0 && words <= MAX_WORDS)
    return words;
  throw invalidRequest(
    `metadata.demo_size ${JSON.stringify(size)} is not a whole number of words from 0 to ${MAX_WORDS}.`,
    'metadata.demo_size',
  );
}

function answerUser({ request, newId }: ScenarioContext): Script {
  return scriptAnswer(decideAnswer(request), { newId, withReasoning: wantsReasoning(request) });
}

function wantsReasoning({ reasoning }: TurnRequest): boolean {
  if (!reasoning || reasoning.enabled === false || reasoning.effort === 'none') return false;
  return reasoning.enabled === true || reasoning.effort !== undefined || (reasoning.budgetTokens ?? 0) > 0;
}

function* slowly(context: ScenarioContext): Generator<Piece> {
  for (const piece of answerUser(context)) {
    yield piece;
    yield { type: 'pause', ms: SLOW_MS };
  }
}

function* failMidStream(): Generator<Piece> {
  yield* say('text', 'This answer breaks off in the middle of');
  // Without a pause the error would leave in the same packet, and a reader may then take it for one before the first byte.
  yield { type: 'pause', ms: MID_STREAM_MS };
  const message = 'The demo scenario error-mid-stream ends here with an error, as it was asked to.';
  yield { type: 'error', error: new GatewayError('upstream-unavailable', message) };
}

function failFirst(): never {
  const message =
    'The demo scenario error-first refuses every request, as it was asked to. Retry after a second, or use another model.';
  throw new GatewayError('rate-limited', message, { retryAfterMs: 1000 });
}

function* reasonAloud({ request, newId }: ScenarioContext): Generator<Piece> {
  const answer: Answer = decideAnswer(request);
  yield* say(
    'reasoning',
    `${INTRODUCTION} My rules are fixed, so this is how I go on. First I look at the last thing the user said, without the context around it. Then I match it with my rules.`,
  );
  yield* say('reasoning', `\n${answer.plan}`);
  yield* scriptAnswer(answer, { newId, withReasoning: false });
}

function* refuse(): Generator<Piece> {
  yield* say('refusal', 'I decline this request, because the demo scenario "refusal" always does.');
  yield { type: 'finish', reason: 'refusal' };
}

function* runOut(): Generator<Piece> {
  yield* say('text', 'This answer stops as if the output limit had been reached, right in the');
  yield { type: 'finish', reason: 'length' };
}

function* sayUnicode(context: ScenarioContext): Generator<Piece> {
  const { request, newId } = context;
  yield* say('text', UNICODE_SAMPLE, cutCodePoints);
  const tool = allowedTools(request)[0];
  if (!tool || hasResults(request)) return;
  yield* scriptCalls([sampleCall(tool, [UNICODE_SAMPLE])], { newId, cutArguments: cutCodePoints });
}

function* callInParallel(context: ScenarioContext): Generator<Piece> {
  const { request, newId } = context;
  const tools = allowedTools(request);
  if (tools.length === 0 || hasResults(request)) return yield* callsDone(context, 'parallel calls');
  const words = wordsOf(readConversation(request.messages).ask);
  const count = request.parallelToolCalls === false ? 1 : PARALLEL_CALLS;
  const calls = Array.from({ length: count }, (_, index) => {
    const tool = tools[index % tools.length];
    return tool ? [sampleCall(tool, words, index)] : [];
  });
  yield* scriptCalls(calls.flat(), { newId });
}

/** A scenario of one odd call; once its result is there, the turn ends in words. */
function* callFirstTool(
  context: ScenarioContext,
  what: string,
  makeCall: (tool: CallableTool) => PlannedCall,
  cutArguments?: Cut,
): Generator<Piece> {
  const tools = allowedTools(context.request);
  const tool = tools.find(({ kind }) => kind === 'function') ?? tools[0];
  if (!tool || hasResults(context.request)) return yield* callsDone(context, what);
  const { newId } = context;
  yield* scriptCalls([makeCall(tool)], cutArguments ? { newId, cutArguments } : { newId });
}

function callsDone({ request }: ScenarioContext, what: string): Iterable<Piece> {
  const { exchanges } = readConversation(request.messages);
  if (exchanges.length === 0)
    return say('text', `The demo scenario needs a declared tool to show ${what}; this request allows none.`);
  const failed = exchanges.filter(({ result }) => !result || result.isError).length;
  return say(
    'text',
    `The demo scenario for ${what} is over: ${exchanges.length} calls, ${failed} of them without a good result.`,
  );
}

function hasResults(request: TurnRequest): boolean {
  return readConversation(request.messages).exchanges.length > 0;
}

function sampleCall(tool: CallableTool, words: readonly string[], seed = 0): PlannedCall {
  const purpose = `call ${tool.name}`;
  if (tool.kind === 'custom') return { tool, argumentsText: words.join(' ') || 'demo', purpose };
  const root = tool.parameters ?? {};
  return { tool, argumentsText: JSON.stringify(createInstance(root, { root, words, seed })), purpose };
}

function emptyCall(tool: CallableTool): PlannedCall {
  return { tool, argumentsText: '', purpose: `call ${tool.name} without any argument text` };
}

function hugeCall(tool: CallableTool): PlannedCall {
  const purpose = `call ${tool.name} with a very long argument`;
  const filler = 'demo text '.repeat(Math.ceil(HUGE_CHARACTERS / 10)).slice(0, HUGE_CHARACTERS);
  if (tool.kind === 'custom') return { tool, argumentsText: filler, purpose };
  const root = tool.parameters ?? {};
  const input = asObject(createInstance(root, { root, words: ['demo'] }));
  const key = freeStringKey(root);
  if (key !== undefined) {
    setOwn(input, key, filler);
    return { tool, argumentsText: JSON.stringify(input), purpose };
  }
  // No property takes a long text: blanks between the tokens of JSON are always allowed.
  const text = JSON.stringify(input);
  return { tool, argumentsText: text.slice(0, -1) + ' '.repeat(HUGE_CHARACTERS) + text.slice(-1), purpose };
}

/** A property whose value may be any string, a required one first. */
function freeStringKey(root: JsonObject): string | undefined {
  const schema = schemaVariants(root, root)[0] ?? {};
  const isFree = (part: JsonValue | undefined) => {
    const variant = schemaVariants(part, root)[0] ?? {};
    const isBound = ['enum', 'const', 'maxLength', 'pattern', 'format'].some(
      (keyword) => variant[keyword] !== undefined,
    );
    return isJsonObject(part) && typesOf(variant).includes('string') && !isBound;
  };
  const properties = propertiesOf(schema);
  return [...requiredOf(schema), ...Object.keys(properties)].find((key) => isFree(properties[key]));
}
