// The schema against the fact sheets it was written from. The sheets are working papers beside the project, not part of
// it: where one is not at hand (CROSSPOINT_PROTOCOL_SHEET names the first), its suite is skipped.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseChatSheet } from './support/chat-sheet.ts';
import { compareWithSheet } from './support/compare-with-sheet.ts';
import { loadSchema } from './support/generated-schema.ts';
import { parseAgentSheet, parseMethods } from './support/protocol-sheet.ts';

const AGENT_SHEET =
  process.env.CROSSPOINT_PROTOCOL_SHEET ?? resolve(import.meta.dirname, '../../shared/protocol/agent-v1.md');
const CHAT_SHEET = resolve(dirname(AGENT_SHEET), 'aiserver-v1.md');

interface Deliberate {
  readonly difference: RegExp;
  readonly reason: string;
}

const UNKNOWN_KIND: Deliberate = {
  difference:
    /\.(model_picker_badges|remote_authority|in_app_ad_trigger|dev_environment|client_surface|scm_connect_ad_context|folder_size_limit|client_version_status|ModelVendor\.id): number \d+ is not in the schema/,
  reason:
    'no source says whether the type is a message or an enum; left out, its bytes survive as an unknown field',
};

describe.skipIf(!existsSync(AGENT_SHEET))(`the agent.v1 sheet${whereIs(AGENT_SHEET)}`, () => {
  const deliberate: Deliberate[] = [
    UNKNOWN_KIND,
    {
      difference:
        /^agent\.v1\.(Exec(Server|Client)Message|Interaction(Query|Response))\.(id|exec_id|span_context|accept_hook_additional_contexts|machine_id|local_execution_time_ms|hook_additional_contexts): not in the sheet/,
      reason: 'the sheet lists these in its text, beside the table of members',
    },
    {
      difference: /^agent\.v1\.Exa(Search|Fetch)RequestResponse[._]/,
      reason: 'nested here like its siblings; the sheet keeps the flattened name of its oldest source',
    },
    {
      difference: /^agent\.v1\.Frame\.Kind: not in the schema/,
      reason: 'the message Frame is not described anywhere',
    },
    {
      difference:
        /(scope|degradation_status|cloud_agent_effort_mode): the sheet says .*, the schema optional /,
      reason: 'the chat sheet gives these enums explicit presence; the tables of this one do not mark it',
    },
    {
      difference: /parameter_values: the sheet says repeated RequestedModel/,
      reason: 'the sheet says in its text that this is the type of agent.v1',
    },
    {
      difference: /^aiserver\.v1\.ErrorDetails\.Error: (15|16|17|19|24|26|27|32) /,
      reason: 'retired values, taken from the chat sheet',
    },
  ];
  const sheet = parseAgentSheet(readIfPresent(AGENT_SHEET));

  it('is read whole', () => {
    expect(sheet.messages.length).toBeGreaterThan(1000);
    expect(sheet.enums.length).toBeGreaterThan(60);
    expect(sheet.messages.flatMap(({ fields }) => fields).length).toBeGreaterThan(3000);
  });

  it('agrees with the schema, deliberate differences aside', async () => {
    const differences = compareWithSheet(sheet, await loadSchema(), { completePackages: ['agent.v1'] });
    expectOnly(differences, deliberate);
  });

  it('names no method that the schema lacks or declares in another way', async () => {
    const schema = await loadSchema();
    const methods = parseMethods(readIfPresent(AGENT_SHEET));
    expect(methods.length).toBeGreaterThan(40);
    const wrong = methods.filter(({ path, kind }) => {
      const [service = '', name] = path.split('/');
      return schema.getService(service)?.methods.find((method) => method.name === name)?.methodKind !== kind;
    });
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(!existsSync(CHAT_SHEET))(`the aiserver.v1 sheet${whereIs(CHAT_SHEET)}`, () => {
  const sheet = parseChatSheet(readIfPresent(CHAT_SHEET));

  it('is read whole', () => {
    expect(sheet.messages.length).toBeGreaterThan(240);
    expect(sheet.messages.flatMap(({ fields }) => fields).length).toBeGreaterThan(1000);
  });

  it('agrees with the schema, deliberate differences aside', async () => {
    expectOnly(compareWithSheet(sheet, await loadSchema(), { completePackages: [] }), []);
  });
});

/** Every difference has a reason, and every reason still has a difference. */
function expectOnly(differences: readonly string[], deliberate: readonly Deliberate[]): void {
  const unexplained = differences.filter(
    (text) => !deliberate.some(({ difference }) => difference.test(text)),
  );
  expect(unexplained).toEqual([]);
  const stale = deliberate.filter(({ difference }) => !differences.some((text) => difference.test(text)));
  expect(stale.map(({ reason }) => reason)).toEqual([]);
}

function whereIs(path: string): string {
  return existsSync(path) ? '' : ` (skipped: there is no ${path})`;
}

function readIfPresent(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
