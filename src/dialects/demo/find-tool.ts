// Finds the declared tool that does a job, by the names coding agents give their tools.
// Names are those seen in OpenCode, Claude Code, Codex, Cline, Continue, Cursor and common MCP servers.
import type { CustomTool, FunctionTool, ToolDefinition } from '../../core/index.ts';
import type { ToolIntentKind } from './intent.ts';

export type CallableTool = FunctionTool | CustomTool;
export type ToolJob = Exclude<ToolIntentKind, 'call'> | 'patch';

/** Folded names, best first. */
const NAMES: Readonly<Record<ToolJob, string>> = {
  read: 'read readfile readfiles readfilev2 readtextfile readmultiplefiles view viewfile viewfiles cat openfile getfile getfilecontents readcurrentlyopenfile filereader fsread strreplacebasededittool strreplaceeditor texteditor',
  write:
    'write writefile writetofile writefiles createfile createnewfile savefile putfile editfilev2 filewriter fswrite editor strreplacebasededittool strreplaceeditor texteditor editfile',
  run: 'bash shell run exec execute command terminal runterminalcmd runterminalcommand runterminalcommandv2 runcommand runcommands runshellcommand runshell runbash runinterminal execcommand executecommand executebash executeshell shellcommand localshell shellexec containerexec terminalexec powershell cmd',
  search:
    'grep grepsearch ripgrep ripgrepsearch ripgreprawsearch rg searchfiles searchfilecontent searchcodebase searchcode codesearch searchtext searchinfiles findinfiles contentsearch textsearch codebasesearch semanticsearch search',
  find: 'glob globfilesearch globsearch filesearch findfiles findfile findbyname searchfilesbyname listfilesbypattern find',
  list: 'ls list listdir listdirv2 listdirectory listfiles listfolder directorylist viewdirectory readdir readdirectory dir directorytree',
  edit: 'edit strreplace editfile searchreplace searchandreplace replace replaceinfile replacestring replacestringinfile multiedit editor strreplacebasededittool strreplaceeditor texteditor singlefindandreplace modifyfile updatefile fileedit',
  delete: 'delete deletefile deletefiles removefile remove rm unlink',
  fetch:
    'webfetch fetch fetchurl fetchwebcontent fetchwebpage geturl urlfetch readurl openurl browse httpget httprequest webreader fetchurlcontent viewwebpage',
  'web-search':
    'websearch searchweb searchtheweb internetsearch googlesearch googlewebsearch bravewebsearch search tavilysearch exasearch',
  todo: 'todowrite writetodos updatetodos todo todolist updateplan checklist taskcreate managetodolist addtodo createtodo updatetodolist',
  patch: 'applypatch applypatchtool applydiff patch',
};

/** Whole names that end like a job's name but do something else. */
const OTHER_NAMES = new Set(
  'todoread readtodos readlints readmcpresource notebookread notebookedit editnotebook writestdin writeshellstdin killshell bashoutput killbash readmailbox teamreadmailbox toolsearch readproject viewimage taskoutput tasklist'.split(
    ' ',
  ),
);

const JOBS_BY_NAME = buildIndex();

function buildIndex(): ReadonlyMap<string, readonly { job: ToolJob; rank: number }[]> {
  const index = new Map<string, { job: ToolJob; rank: number }[]>();
  for (const [job, names] of Object.entries(NAMES)) {
    for (const [rank, name] of names.split(' ').entries()) {
      const entries = index.get(name) ?? [];
      entries.push({ job: job as ToolJob, rank }); // Object.entries widens the key; NAMES has no other
      index.set(name, entries);
    }
  }
  return index;
}

/** The declared tools that may do a job, best first. Whether their arguments fit is for others to find out. */
export function findTools(
  job: ToolJob,
  tools: readonly CallableTool[],
  hint?: string,
): readonly CallableTool[] {
  const ranked = tools.flatMap((tool) => {
    const rank = rankFor(job, tool.name);
    return rank === undefined ? [] : [{ tool, rank: isNamed(tool, hint) ? -1 : rank }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ tool }) => tool);
}

/** A tool by its exact name, or by its name without case, punctuation and server prefix. */
export function findToolByName(name: string, tools: readonly CallableTool[]): CallableTool | undefined {
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => foldName(tool.name) === foldName(name)) ??
    tools.find((tool) => suffixesOf(tool.name).includes(foldName(name)))
  );
}

/** Hosted tools run at the upstream that offers them, so this model cannot call any. */
export function isCallable(tool: ToolDefinition): tool is CallableTool {
  return tool.kind !== 'hosted';
}

/** What a tool's name says it does; used to explain results. */
export function jobsOf(name: string): readonly ToolJob[] {
  const jobs = Object.keys(NAMES) as ToolJob[]; // the record's keys are exactly the jobs
  return jobs.filter((job) => rankFor(job, name) !== undefined);
}

export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isNamed(tool: CallableTool, hint: string | undefined): boolean {
  return (
    hint !== undefined &&
    (foldName(tool.name) === foldName(hint) || suffixesOf(tool.name).includes(foldName(hint)))
  );
}

function rankFor(job: ToolJob, name: string): number | undefined {
  const whole = foldName(name);
  if (OTHER_NAMES.has(whole)) return undefined;
  const exact = JOBS_BY_NAME.get(whole);
  if (exact) return exact.find((entry) => entry.job === job)?.rank;
  for (const [distance, suffix] of suffixesOf(name).entries()) {
    if (OTHER_NAMES.has(suffix)) return undefined;
    const entries = JOBS_BY_NAME.get(suffix);
    if (!entries) continue;
    // The longest known ending decides; and a tool with a server prefix comes after every tool without one.
    const entry = entries.find((candidate) => candidate.job === job);
    return entry && 1000 + distance * 100 + entry.rank;
  }
  return undefined;
}

/** `mcp__files__read_file` may be meant as `files__read_file`, `read_file` or `file`. */
function suffixesOf(name: string): readonly string[] {
  const suffixes: string[] = [];
  for (const match of name.matchAll(/[^A-Za-z0-9]+/g)) {
    const suffix = foldName(name.slice(match.index));
    if (suffix !== '') suffixes.push(suffix);
  }
  return suffixes;
}
