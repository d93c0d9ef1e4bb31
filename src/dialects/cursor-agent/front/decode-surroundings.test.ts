import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { SystemPromptSpecSchema } from '../../../gen/agent/v1/model_pb.ts';
import { RequestContextSchema } from '../../../gen/agent/v1/request_context_pb.ts';
import { decodePromptSpec, decodeSurroundings } from './decode-surroundings.ts';

const context = create(RequestContextSchema, {
  env: { workspacePaths: ['/w'], osVersion: 'linux 6', shell: 'zsh', timeZone: 'Europe/Zagreb' },
  rules: [
    { fullPath: 'AGENTS.md', content: 'Be brief.' },
    { fullPath: 'g.mdc', content: 'Global.', type: { type: { case: 'global', value: {} } } },
    {
      fullPath: 'ts.mdc',
      content: 'Types!',
      type: { type: { case: 'fileGlobbed', value: { globs: ['*.ts'] } } },
    },
    {
      fullPath: 'f.mdc',
      content: 'F',
      type: { type: { case: 'agentFetched', value: { description: 'On forms.' } } },
    },
    { fullPath: 'm.mdc', content: 'M', type: { type: { case: 'manuallyAttached', value: {} } } },
  ],
  cloudRule: 'From the team.',
  agentSkills: [
    { fullPath: 's/SKILL.md', description: 'Draws.' },
    { fullPath: 'h/SKILL.md', description: 'Hidden.', disableModelInvocation: true },
  ],
  customSubagents: [{ name: 'scout', description: 'Looks around.' }],
  mcpInstructions: [{ serverName: 'db', instructions: 'Read only.' }],
});

describe('surroundings', () => {
  it('say where the client works, what holds always, and what can be read up', () => {
    expect(decodeSurroundings(context)).toEqual({
      workspaces: ['/w'],
      os: 'linux 6',
      shell: 'zsh',
      timeZone: 'Europe/Zagreb',
      rules: [
        { name: 'AGENTS.md', text: 'Be brief.' },
        { name: 'g.mdc', text: 'Global.' },
        { name: 'rule', text: 'From the team.' },
      ],
      onDemand: [
        { name: 'ts.mdc', text: 'Holds for files matching *.ts. Read ts.mdc for it.' },
        { name: 'f.mdc', text: 'On forms. Read f.mdc for it.' },
        { name: 's/SKILL.md', text: 'Skill: Draws. Read s/SKILL.md for it.' },
        { name: 'scout', text: 'Sub-agent: Looks around.' },
      ],
      instructions: [{ name: 'db', text: 'Read only.' }],
    });
    expect(decodeSurroundings(context, true).workspaces).toBeUndefined();
    expect(decodeSurroundings(create(RequestContextSchema))).toEqual({});
  });

  it('may come with a prompt that replaces or extends ours', () => {
    const spec = (kind: 'replace' | 'append', value: string) =>
      create(SystemPromptSpecSchema, { spec: { case: kind, value } });
    expect(decodePromptSpec([], undefined)).toBeUndefined();
    expect(decodePromptSpec([undefined], 'old')).toEqual({ replace: 'old' });
    expect(decodePromptSpec([spec('append', 'a'), spec('append', 'b')], undefined)).toEqual({
      append: 'a\n\nb',
    });
    expect(decodePromptSpec([spec('replace', 'new'), spec('append', 'b')], 'old')).toEqual({
      replace: 'new',
      append: 'b',
    });
  });
});
