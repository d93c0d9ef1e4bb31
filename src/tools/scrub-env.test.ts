import { describe, expect, it } from 'vitest';
import { isSecretName, scrubEnv } from './scrub-env.ts';

describe('scrubEnv', () => {
  it.each([
    'OPENAI_API_KEY',
    'STRIPE_KEY',
    'GITHUB_TOKEN',
    'npm_config__authToken',
    'NODE_AUTH_TOKEN',
    'DB_PASSWORD',
    'PGPASSWORD',
    'MYSQL_PWD',
    'CLIENT_SECRET',
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'AZURE_CLIENT_ID',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'SENTRY_DSN',
    'SSH_PASSPHRASE',
    'apikey',
    'CURSOR_ACCESS',
    'CROSSPOINT_HOME',
  ])('removes %s by its name', (name) => {
    expect(scrubEnv({ [name]: 'harmless' })).toEqual({});
  });

  it.each([
    'PATH',
    'HOME',
    'PWD',
    'LANG',
    'LC_ALL',
    'SSH_AUTH_SOCK',
    'XDG_SESSION_ID',
    'JAVA_HOME',
    'GOPATH',
    'NODE_ENV',
    'VIRTUAL_ENV',
    'TOKENIZERS_PARALLELISM',
    'KEYBOARD_LAYOUT',
    'http_proxy',
  ])('keeps %s', (name) => {
    expect(scrubEnv({ [name]: 'http://plain.example' })).toHaveProperty(name);
  });

  it.each([
    ['a password in an address', 'postgres://me:hunter2@db.example/app'],
    ['a proxy with a password', 'http://me:hunter2@proxy.example:8080'],
    ['a model key', `sk-ant-api03-${'a'.repeat(40)}`],
    ['a forge token', `ghp_${'a1'.repeat(18)}`],
    ['an AWS key id', 'AKIAABCDEFGHIJKLMNOP'],
    ['a JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${'x'.repeat(20)}`],
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc'],
  ])('removes %s under a harmless name', (_what, value) => {
    expect(scrubEnv({ SETTINGS: value })).toEqual({});
  });

  it.each(['BASH_ENV', 'ENV', 'SHELLOPTS', 'PROMPT_COMMAND', 'BASH_FUNC_ls%%', 'IFS'])(
    'removes %s, which would run or change what runs before the command',
    (name) => {
      expect(scrubEnv({ [name]: '() { evil; }' })).toEqual({});
    },
  );

  it('keeps what the user names, and drops what the user names', () => {
    const env = { DEPLOY_TOKEN: 't', EDITOR: 'vi', GONE: undefined };
    expect(scrubEnv(env, { keep: ['DEPLOY_TOKEN'], drop: ['EDITOR'] })).toEqual({ DEPLOY_TOKEN: 't' });
  });

  it('does not care about the case of a name', () => {
    expect(isSecretName('My_Api_Key')).toBe(true);
  });
});
