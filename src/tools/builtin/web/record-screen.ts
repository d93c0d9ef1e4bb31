// RECORD_SCREEN (56): `agent.v1.RecordScreenArgs`, a mode and a name for the file.
import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { portTouches, screenPort } from './media-ports.ts';
import { settleWeb } from './web-fault.ts';

const RECORDING_MODES = ['start_recording', 'save_recording', 'discard_recording'] as const;

const args = toolArguments(
  {
    mode: z
      .preprocess(recordingMode, z.enum(RECORDING_MODES))
      .describe('Start recording, or end it and keep or drop what was recorded.'),
    save_as_filename: z.string().max(100).optional().describe('Name of the file, without a folder.'),
  },
  { aliases: { mode: ['action'], save_as_filename: ['filename', 'file_name'] } },
);

/** By number, by the enum's full name, or by the verb alone. */
function recordingMode(given: unknown): unknown {
  if (typeof given === 'number') return RECORDING_MODES[given - 1] ?? given;
  if (typeof given !== 'string') return given;
  const verb = given
    .toLowerCase()
    .replace(/^recording_mode_/, '')
    .replace(/_recording$/, '');
  return verb === 'stop' ? 'save_recording' : `${verb}_recording`;
}

export const recordScreen = defineTool({
  number: 56,
  name: 'record_screen',
  description:
    'Record a film of the connected screen: start it, then save or discard it. One recording at a time.',
  args,
  risk: 'execute',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: (_given, context) => portTouches(context.resources.get(screenPort)),
  run: (given, context) =>
    settleWeb(context, async () => {
      const recorder = context.resources.get(screenPort)?.recorder;
      if (!recorder) {
        return fail(
          'UNAVAILABLE',
          'No screen that can be recorded is connected. Configure an MCP server that can record one (crosspoint.yaml, section mcp), or describe in words what was seen.',
        );
      }
      switch (given.mode) {
        case 'start_recording': {
          const { wasPriorCancelled } = await recorder.start(context.signal);
          const note = wasPriorCancelled ? ' The recording before it was dropped.' : '';
          return succeed(`Recording has begun.${note}`, {
            data: {
              start_success: {
                was_prior_recording_cancelled: wasPriorCancelled,
                was_save_as_filename_ignored: given.save_as_filename !== undefined,
              },
            },
          });
        }
        case 'save_recording': {
          if (given.save_as_filename !== undefined && /[/\\\0]|^\.\.?$/.test(given.save_as_filename)) {
            return fail(
              'EINVAL',
              `"${given.save_as_filename}" is not a plain file name; leave out the folder. The recording goes on.`,
            );
          }
          const { path, durationMs } = await recorder.save(given.save_as_filename, context.signal);
          return succeed(`The recording is saved as ${path} (${durationMs} ms).`, {
            attachments: { file_path: path, duration_ms: durationMs },
            data: { save_success: { path, recording_duration_ms: durationMs } },
          });
        }
        case 'discard_recording':
          await recorder.discard(context.signal);
          return succeed('The recording is dropped.', { data: { discard_success: {} } });
      }
    }),
});
