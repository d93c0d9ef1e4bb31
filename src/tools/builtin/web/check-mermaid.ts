// What is obviously wrong with a Mermaid text, without Mermaid itself (which needs a browser): the kind of diagram,
// brackets and quotes, blocks that are not closed, arrows that lead nowhere. Known from Mermaid's public documentation.
import { nearestName } from '../../../core/index.ts';

export interface MermaidProblem {
  readonly line: number;
  readonly message: string;
}

const KINDS = [
  ...[
    'flowchart',
    'graph',
    'sequenceDiagram',
    'classDiagram',
    'classDiagram-v2',
    'stateDiagram',
    'stateDiagram-v2',
  ],
  ...[
    'erDiagram',
    'journey',
    'gantt',
    'pie',
    'quadrantChart',
    'requirementDiagram',
    'gitGraph',
    'mindmap',
    'timeline',
  ],
  ...[
    'zenuml',
    'sankey',
    'sankey-beta',
    'xychart',
    'xychart-beta',
    'block',
    'block-beta',
    'packet',
    'packet-beta',
  ],
  ...['kanban', 'architecture', 'architecture-beta', 'radar-beta', 'treemap', 'treemap-beta', 'info'],
  ...['C4Context', 'C4Container', 'C4Component', 'C4Dynamic', 'C4Deployment'],
];
const DIRECTIONS = new Set(['TB', 'TD', 'BT', 'RL', 'LR', '<', '>', '^', 'v']);
const SEQUENCE_BLOCKS = /^(?:loop|alt|opt|par|par_over|rect|critical|break|box)\b/;
const ARROW_END = /(?:-->|---|==>|===|-\.->|-\.-|--o|--x|<-->)\s*(?:\|[^|]*\|)?\s*$/;

interface Line {
  readonly number: number;
  readonly text: string;
}

export function checkMermaid(source: string): MermaidProblem | undefined {
  const lines = contentLines(source);
  const [first, ...body] = lines;
  if (!first) return { line: 1, message: 'the diagram is empty' };
  // `graph TD;` and `pie title Pets` go on behind the word.
  const kind = /^[\w-]+/.exec(first.text)?.[0] ?? '';
  if (!KINDS.includes(kind)) {
    const near = nearestName(kind, KINDS);
    return {
      line: first.number,
      message: `"${kind || first.text}" is not a kind of diagram${near ? `; did you mean "${near}"?` : ''}; begin with one such as flowchart TD or sequenceDiagram`,
    };
  }
  const rest = first.text.slice(kind.length).trim();
  if (body.length === 0 && rest.replace(/^(?:TB|TD|BT|RL|LR)\b;?/, '') === '')
    return { line: first.number, message: `the ${kind} has no content` };
  switch (kind) {
    case 'flowchart':
    case 'graph':
      return checkDirection(first, rest) ?? checkFlowchart(body);
    case 'sequenceDiagram':
      return checkBlocks(body, SEQUENCE_BLOCKS) ?? checkSequenceArrows(body);
    case 'classDiagram':
    case 'classDiagram-v2':
    case 'stateDiagram':
    case 'stateDiagram-v2':
    case 'erDiagram':
    case 'requirementDiagram':
      return checkBraces(body);
    default:
      return undefined;
  }
}

/** Without front matter, comments, directives and blank lines. */
function contentLines(source: string): Line[] {
  // Runs of spaces mean nothing to Mermaid and much to patterns that would try every way to divide them.
  const all = source
    .split(/\r?\n/)
    .map((text, index) => ({ number: index + 1, text: text.replace(/\s+/g, ' ').trim() }));
  const firstText = all.findIndex((line) => line.text !== '');
  const head =
    all[firstText]?.text === '---' ? all.findIndex((line, at) => at > firstText && line.text === '---') : -1;
  return all.slice(head + 1).filter((line) => line.text !== '' && !line.text.startsWith('%%'));
}

function checkDirection(first: Line, rest: string): MermaidProblem | undefined {
  const direction = /^[^\s;]+/.exec(rest)?.[0];
  if (direction === undefined || DIRECTIONS.has(direction)) return undefined;
  return { line: first.number, message: `"${direction}" is not a direction; use TB, TD, BT, RL or LR` };
}

function checkFlowchart(body: readonly Line[]): MermaidProblem | undefined {
  for (const line of body) {
    const problem = checkBrackets(line);
    if (problem) return problem;
    if (ARROW_END.test(line.text))
      return { line: line.number, message: `the arrow leads nowhere: ${line.text}` };
    if (/(?:-->|---|==>)\s*(?:\|[^|]*\|\s*)?end\s*(?:$|;|-->|---)/.test(line.text))
      return {
        line: line.number,
        message: '"end" ends a subgraph and cannot be a node; write End or use another id',
      };
  }
  return checkBlocks(body, /^subgraph\b/);
}

/** Quoted text may hold anything; outside of it every bracket has its partner. */
function checkBrackets({ number, text }: Line): MermaidProblem | undefined {
  if ((text.match(/"/g)?.length ?? 0) % 2 === 1)
    return { line: number, message: `a quotation mark is not closed: ${text}` };
  const bare = text
    .replace(/"[^"]*"/g, '')
    .replace(/\|[^|]*\|/g, '') // labels of arrows
    .replace(/(\w)>/g, '$1[') // the flag-shaped node id>text]
    .replace(/\[[/\\]|[/\\]\]/g, (pair) => pair.replace(/[/\\]/, ''));
  const open: string[] = [];
  for (const character of bare) {
    const partner = PARTNERS[character];
    if ('[({'.includes(character)) open.push(character);
    else if (partner !== undefined && open.pop() !== partner)
      return {
        line: number,
        message: `"${character}" has no partner: ${text}; put text with brackets into quotes`,
      };
  }
  const left = open.at(-1);
  return left === undefined
    ? undefined
    : { line: number, message: `"${left}" is not closed: ${text}; put text with brackets into quotes` };
}

const PARTNERS: Readonly<Record<string, string>> = { ']': '[', ')': '(', '}': '{' };

function checkBlocks(body: readonly Line[], opening: RegExp): MermaidProblem | undefined {
  const open: Line[] = [];
  for (const line of body) {
    if (opening.test(line.text)) open.push(line);
    else if (/^end\b\s*;?$/.test(line.text) && open.pop() === undefined)
      return { line: line.number, message: '"end" closes nothing' };
  }
  const left = open.at(-1);
  return left && { line: left.number, message: `"${left.text}" is not closed with "end"` };
}

function checkSequenceArrows(body: readonly Line[]): MermaidProblem | undefined {
  for (const line of body) {
    const message = /^[^:]*?(?:<<)?--?(?:>>|>|x|\))[+-]?([^:]*)(:.*)?$/.exec(line.text);
    if (!message || /^(?:note|title|participant|actor)\b/i.test(line.text)) continue;
    if ((message[1] ?? '').trim() === '')
      return { line: line.number, message: `the arrow leads nowhere: ${line.text}` };
  }
  return undefined;
}

/** Bodies of classes, states and entities; relations such as `||--o{` use braces of their own. */
function checkBraces(body: readonly Line[]): MermaidProblem | undefined {
  const open: Line[] = [];
  for (const line of body) {
    const bare = line.text.replace(/"[^"]*"/g, '');
    if (/\{\s*$/.test(bare) && !/(?:--|\.\.)[o|}]*\{\s*$/.test(bare)) open.push(line);
    else if (/^\}/.test(bare) && open.pop() === undefined)
      return { line: line.number, message: '"}" closes nothing' };
  }
  const left = open.at(-1);
  return left && { line: left.number, message: `"${left.text}" is not closed with "}"` };
}
