import { Command } from 'commander';
import { findAdminClient } from '../admin-client.ts';
import { formatTable, printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson } from '../command.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { loadSettings } from '../load-settings.ts';
import { listUpstreamModels } from '../open-upstreams.ts';
import { readModels, type ShownModel } from '../read-models.ts';

const TIMEOUT_MS = 5_000;

export const modelsCommand: CreateCommand = (context, finish) =>
  new Command('models')
    .summary('the models that can be asked for')
    .description(
      'Lists the models of the running gateway. When none runs, reads the configuration and asks the upstreams directly.',
    )
    .option('-c, --config <file>', 'the configuration to read when no gateway runs')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(['crosspoint models', 'a table'], ['crosspoint models --json | jq -r ".[].id"', 'names only']),
    )
    .action(async (flags: { config?: string; json?: boolean }) => {
      const running = flags.config === undefined ? await findAdminClient(context) : undefined;
      const { models, failures } = running
        ? { models: readModels(await running.get('/api/models')), failures: [] }
        : await listDirectly(context, flags.config);
      if (flags.json) printJson(context, models);
      else context.stdout.write(formatModels(models));
      for (const failure of failures) context.stderr.write(`! ${failure}\n`);
      if (models.length === 0 && failures.length > 0) finish(EXIT.upstream);
    });

async function listDirectly(context: CliContext, configFile: string | undefined) {
  const { config } = await loadSettings(context, { configFile });
  const lists = await listUpstreamModels(context, config, TIMEOUT_MS);
  const aliases = Object.entries(config.models).map(
    ([id, { upstream, targets, contextWindow }]): ShownModel => {
      const name = upstream ?? targets?.[0]?.split('/', 1)[0] ?? '';
      return contextWindow === undefined ? { id, upstream: name } : { id, upstream: name, contextWindow };
    },
  );
  const direct = lists.flatMap(({ name, models }) =>
    models.map(({ id, contextWindow }): ShownModel => {
      const model = { id: `${name}/${id}`, upstream: name };
      return contextWindow === undefined ? model : { ...model, contextWindow };
    }),
  );
  const failures = lists.flatMap(({ name, error }) => (error ? [`${name}: ${error.message}`] : []));
  return { models: [...aliases, ...direct], failures };
}

function formatModels(models: readonly ShownModel[]): string {
  if (models.length === 0) return 'No models. `crosspoint doctor` says why.\n';
  const rows = models.map(({ id, upstream, contextWindow }) => [
    printable(id),
    printable(upstream),
    contextWindow === undefined ? '' : `${contextWindow} tokens`,
  ]);
  return `${formatTable([['MODEL', 'UPSTREAM', 'CONTEXT'], ...rows])}\n`;
}
