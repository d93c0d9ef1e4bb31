import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listModelAlternatives } from './model-alternatives.ts';

describe('other readings of a model name', () => {
  it('takes off one suffix after another', () => {
    expect(listModelAlternatives('claude-opus-5-thinking-xhigh-fast')).toEqual([
      { model: 'claude-opus-5-thinking-xhigh', serviceTier: 'priority' },
      { model: 'claude-opus-5-thinking', serviceTier: 'priority', reasoningEffort: 'xhigh' },
      { model: 'claude-opus-5', serviceTier: 'priority', reasoningEffort: 'xhigh' },
    ]);
  });

  it.each(['kimi-high', 'kimi(high)', 'kimi (high)', 'kimi:high'])('reads the level in %s', (name) => {
    expect(listModelAlternatives(name)).toContainEqual({ model: 'kimi', reasoningEffort: 'high' });
  });

  it('knows the long word for the highest level', () => {
    expect(listModelAlternatives('kimi-extra-high')).toContainEqual({
      model: 'kimi',
      reasoningEffort: 'xhigh',
    });
  });

  it('leaves the name alone at the first token it does not know', () => {
    expect(listModelAlternatives('foo-thinking-ultra-fast')).toEqual([
      { model: 'foo-thinking-ultra', serviceTier: 'priority' },
    ]);
    expect(listModelAlternatives('foo-bar')).toEqual([]);
  });

  it('strips its own prefixes and the tilde', () => {
    expect(listModelAlternatives('crosspoint/local/llama')).toEqual([{ model: 'local/llama' }]);
    expect(listModelAlternatives('byok-llama')).toEqual([{ model: 'llama' }]);
    expect(listModelAlternatives('~anthropic/opus')).toEqual([{ model: 'anthropic/opus' }]);
  });

  it('reads a colon as the separator of upstream and model', () => {
    expect(listModelAlternatives('anthropic:opus')).toEqual([{ model: 'anthropic/opus' }]);
    expect(listModelAlternatives('anthropic:opus-high')).toContainEqual({
      model: 'anthropic/opus',
      reasoningEffort: 'high',
    });
  });

  it('ends with the default model for names that OpenAI sells, and only for them', () => {
    expect(listModelAlternatives('gpt-3.5-turbo')).toEqual([{ model: '' }]);
    expect(listModelAlternatives('gpt-5.6-high').at(-1)).toEqual({ model: '', reasoningEffort: 'high' });
    expect(listModelAlternatives('o3')).toEqual([{ model: '' }]);
    for (const name of ['openai/gpt-4o', 'llama', 'claude-opus-5', 'o-matic']) {
      expect(listModelAlternatives(name).map(({ model }) => model)).not.toContain('');
    }
  });

  it('never offers the name itself, nor one name twice, and ends for any name', () => {
    const tokens = fc.array(
      fc.constantFrom('gpt-5', 'x', '-high', '-fast', '-thinking', ':low', '(max)', '/'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          tokens.map((parts) => parts.join('')),
        ),
        (name) => {
          const models = listModelAlternatives(name).map(({ model }) => model);
          expect(models).not.toContain(name === '' ? undefined : name);
          expect(new Set(models).size).toBe(models.length);
        },
      ),
    );
  });
});
