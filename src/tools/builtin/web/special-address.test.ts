import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './special-address.ts';

describe('closed', () => {
  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001:0:1::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    'example.org',
    '',
    '127.1',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('open', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '192.169.0.1',
    '223.255.255.254',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

test('an IPv4 address and the IPv6 forms that carry it are judged alike', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const hex = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
      const expected = isPublicAddress(address);
      expect(isPublicAddress(`::ffff:${address}`)).toBe(expected);
      expect(isPublicAddress(`::ffff:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`)).toBe(expected);
      expect(isPublicAddress(`64:ff9b::${address}`)).toBe(expected);
    }),
  );
});

test('any IPv6 address gets an answer, and only global unicast a good one', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const isOpen = isPublicAddress(address);
      if (isOpen) expect(address.toLowerCase()).toMatch(/^(?:[23][\da-f]{3}:|64:ff9b:|0*:)/);
    }),
  );
});
