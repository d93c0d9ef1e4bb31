// GENERATE_IMAGE (53). It has no params in `aiserver.v1`; arguments of Cursor's published prompts and of
// `agent.v1.GenerateImageArgs`. Where the original saves the picture is not known; here it is the folder `assets`.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { openFile, withFolder } from '../files/anchored-folder.ts';
import { settle } from '../files/file-fault.ts';
import { mediaTypeOf } from '../files/media-type.ts';
import { claimPaths, usePath } from '../files/path-claims.ts';
import { fileSlug } from '../planning/state-file.ts';
import { ASPECT_RATIOS, type ImagePort, imagePort, type Picture, portTouches } from './media-ports.ts';
import { settleWeb, WebFault } from './web-fault.ts';

const FOLDER = 'assets';
const MAX_REFERENCE_BYTES = 10 * 1024 * 1024;

const args = toolArguments(
  {
    description: z.string().min(1).max(4_000).describe('What the picture should show, and in which style.'),
    filename: z
      .string()
      .regex(/^(?!\.)[^/\\\0]{1,100}$/, 'must be a file name without a folder')
      .optional()
      .describe(`Name of the file, without a folder; it is put into "${FOLDER}".`),
    reference_image_paths: z.array(z.string()).max(8).default([]).describe('Pictures to go by.'),
    aspect_ratio: z.enum(ASPECT_RATIOS).default('1:1').describe('Width to height.'),
  },
  {
    aliases: { description: ['prompt'], filename: ['file_name', 'file_path'] },
    rewrite: (given) => {
      if (typeof given.file_path === 'string') given.file_path = path.posix.basename(given.file_path);
    },
  },
);

type ImageArguments = z.output<typeof args>;

export const generateImage = defineTool({
  number: 53,
  name: 'generate_image',
  description: `Make a picture from a description and save it in the folder "${FOLDER}" of the workspace. Only when the user has asked for a picture; diagrams are better made with create_diagram.`,
  args,
  risk: 'write',
  modes: ['agent'],
  parallel: 'alone',
  status: 'local',
  async touches(given, context) {
    const port = context.resources.get(imagePort);
    if (!port) return portTouches(port);
    const paths = await claimPaths(context, [
      ...given.reference_image_paths.map((file) => ({ path: file, access: ['read'] as const })),
      { path: targetOf(given), access: ['write'] as const },
    ]);
    return [...port.touches, ...paths];
  },
  preview: (given) => given.description,
  run: (given, context) =>
    settle(context, () =>
      settleWeb(context, async () => {
        const port = context.resources.get(imagePort);
        if (port) return generate(port, given, context);
        return fail(
          'UNAVAILABLE',
          'No service that makes pictures is configured. Set tools.images in crosspoint.yaml (baseUrl, apiKey and model of a service with the OpenAI images API), or use an MCP server that has such a tool.',
        );
      }),
    ),
});

async function generate(port: ImagePort, given: ImageArguments, context: ToolContext): Promise<ToolOutcome> {
  const target = await usePath(context, targetOf(given), 'write');
  const shown = context.workspace.display(target.path);
  if (target.exists) throw new WebFault('EEXIST', `${shown} exists already; give another filename.`);
  const references: Picture[] = [];
  for (const file of given.reference_image_paths) references.push(await readReference(file, context));
  context.progress({ text: 'The picture is being made.' });
  const request = { description: given.description, aspectRatio: given.aspect_ratio, references };
  const picture = await port.generate(request, context.signal);
  context.signal.throwIfAborted();
  const folder = path.dirname(target.realPath);
  await mkdir(folder, { recursive: true });
  // `wx` follows no link and overwrites nothing that appeared meanwhile.
  await withFolder(folder, (at) =>
    writeFile(at(path.basename(target.realPath)), picture.bytes, { flag: 'wx' }),
  );
  const data = Buffer.from(picture.bytes).toString('base64');
  return succeed(`The picture is saved as ${shown} (${picture.mediaType}, ${picture.bytes.length} bytes).`, {
    parts: [{ type: 'image', source: { type: 'base64', data, mediaType: picture.mediaType } }],
    attachments: { file_path: target.path, size_bytes: picture.bytes.length },
    data: { success: { file_path: target.path } },
  });
}

async function readReference(file: string, context: ToolContext): Promise<Picture> {
  const target = await usePath(context, file, 'read');
  const handle = await openFile(target.realPath);
  try {
    if ((await handle.stat()).size > MAX_REFERENCE_BYTES)
      throw new WebFault(
        'EFBIG',
        `${file} is larger than ${MAX_REFERENCE_BYTES} bytes; make it smaller first.`,
      );
    const bytes = await handle.readFile({ signal: context.signal });
    const mediaType = mediaTypeOf(bytes);
    if (!mediaType?.startsWith('image/'))
      throw new WebFault('EINVAL', `${file} is not a picture (jpeg, png, gif or webp).`);
    return { mediaType, bytes };
  } finally {
    await handle.close();
  }
}

function targetOf(given: ImageArguments): string {
  const name = given.filename ?? `${fileSlug(given.description)}.png`;
  return `${FOLDER}/${/\.\w+$/.test(name) ? name : `${name}.png`}`;
}
