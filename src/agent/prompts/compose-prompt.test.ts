import { describe, expect, it } from 'vitest';
import { MODES } from '../../core/index.ts';
import { composePrompt, DEFAULT_PROMPTS } from './index.ts';

const base = { mode: 'agent', texts: DEFAULT_PROMPTS, startedAtMs: Date.UTC(2026, 10, 15, 23, 30) } as const;

describe('the system prompt', () => {
  it.each(MODES)('has a text of its own in %s mode', (mode) => {
    const text = composePrompt({ ...base, task: {}, mode });
    expect(text).toContain(`Mode: ${mode}.`);
    expect(text).toContain(DEFAULT_PROMPTS.base);
  });

  it('says where the run works and what is asked of it', () => {
    const text = composePrompt({
      ...base,
      task: {
        surroundings: {
          workspaces: ['/home/u/app'],
          os: 'linux',
          shell: 'zsh',
          timeZone: 'Asia/Tokyo',
          rules: [{ name: 'AGENTS.md', text: 'Use tabs.' }],
          onDemand: [{ name: 'deploy', text: '/home/u/app/deploy.md' }],
          instructions: [{ name: 'github', text: 'Search before you list.' }],
        },
        systemPrompt: { append: 'Be kind.' },
      },
    });
    for (const part of [
      'Workspace: /home/u/app',
      'linux',
      'zsh',
      'Use tabs.',
      '/home/u/app/deploy.md',
      'github',
    ]) {
      expect(text).toContain(part);
    }
    // Whether there is a comma depends on the platform's locale data.
    expect(text).toMatch(/Monday,? 16 November 2026 \(time zone Asia\/Tokyo\)/);
    expect(text.endsWith('Be kind.')).toBe(true);
  });

  it('leaves out what nobody said', () => {
    expect(composePrompt({ ...base, task: {} })).not.toMatch(/# (Rules|On demand|Servers)|undefined/);
  });

  it('can be replaced by the task, rules aside, and by the configuration', () => {
    const rules = [{ name: 'house', text: 'Knock first.' }];
    const systemPrompt = { replace: 'You are Bob.' };
    expect(composePrompt({ ...base, task: { systemPrompt } })).toBe('You are Bob.');
    expect(composePrompt({ ...base, task: { systemPrompt, surroundings: { rules } } })).toMatch(
      /^You are Bob\.\n\n# Rules\n[\s\S]*Knock first\.$/,
    );
    const texts = { ...DEFAULT_PROMPTS, agent: 'Go fast.' };
    expect(composePrompt({ ...base, texts, task: {} })).toContain('Go fast.');
  });

  it('falls back to UTC for a time zone that is none', () => {
    const text = composePrompt({ ...base, task: { surroundings: { timeZone: 'Mars/Base' } } });
    expect(text).toMatch(/15 November 2026 \(UTC\)/);
  });
});
