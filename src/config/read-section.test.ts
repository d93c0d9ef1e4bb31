import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GatewayError } from '../core/index.ts';
import { readSection } from './read-section.ts';
import { choice, flag, section, text, wholeNumber } from './schema-parts.ts';

const schema = section({
  colour: choice(['red', 'green']).default('red'),
  size: wholeNumber(1, 9).default(3),
  apiKey: text('must be a non-empty string').optional(),
  isOpen: flag().default(false),
  places: z
    .record(z.string(), section({ host: text('must be a host'), port: wholeNumber(1, 99).optional() }))
    .default({}),
  list: z.array(section({ kind: choice(['a', 'b']) })).default([]),
});

function messageOf(value: unknown): string {
  try {
    readSection('shop', schema, value, '/etc/crosspoint.yaml');
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
  return '';
}

describe('a section that others read', () => {
  it('gets its defaults, also when it is not there', () => {
    const defaults = { colour: 'red', size: 3, isOpen: false, places: {}, list: [] };
    expect(readSection('shop', schema, undefined)).toEqual(defaults);
    expect(readSection('shop', schema, { size: '7', isOpen: 'true' })).toEqual({
      ...defaults,
      size: 7,
      isOpen: true,
    });
  });

  it.each([
    [{ colour: 'gren' }, 'shop.colour must be red or green, not "gren". Did you mean green?'],
    [{ siz: 1 }, 'shop.siz is not a known key. Did you mean size?'],
    [{ size: 12 }, 'shop.size must be a whole number from 1 to 9, not 12.'],
    [{ places: { a: { hst: 'x' } } }, 'shop.places.a.hst is not a known key. Did you mean host?'],
    [{ places: { a: {} } }, 'shop.places.a.host is missing; it must be a host.'],
    [{ list: [{ knd: 'a' }] }, 'shop.list[0].knd is not a known key. Did you mean kind?'],
    [[], 'shop must be a mapping of keys, not a list.'],
  ])('names key, value and remedy of %j', (value, message) => {
    expect(messageOf(value)).toContain(message);
    expect(messageOf(value)).toContain('The section shop of /etc/crosspoint.yaml has');
  });

  it('lists every problem at once and never repeats what may be a secret', () => {
    const message = messageOf({ colour: 'blue', apiKey: 12345678, size: 'many' });
    expect(message).toContain('has 3 problems');
    expect(message).not.toContain('12345678');
  });
});
