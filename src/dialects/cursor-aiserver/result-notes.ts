// aiserver.v1: some results say in fields of their own what the model needs beside the text, such as the exit code of a
// command. Known: the fields. Guessed: that clients leave them out of the text.
import type { ClientSideToolV2Result } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import type { HumanReview, LinterError } from '../../gen/aiserver/v1/common_pb.ts';
import type { ReadFileResult, ReadFileV2Result } from '../../gen/aiserver/v1/tool_files_pb.ts';
import {
  RunTerminalCommandEndedReason as EndedReason,
  type RunTerminalCommandV2Result,
} from '../../gen/aiserver/v1/tool_shell_pb.ts';

/** What the model reads behind the text of a result that went well. */
export function resultNotes({ result }: ClientSideToolV2Result): readonly string[] {
  switch (result.case) {
    case 'runTerminalCommandV2Result':
      return commandNotes(result.value);
    case 'readFileV2Result':
      return rangeNotes(result.value);
    case 'readFileResult':
      return olderRangeNotes(result.value);
    case 'editFileResult': {
      const { linterErrors, humanReview, humanReviewV2 } = result.value;
      return [...lints(linterErrors), ...said(humanReview?.textResult), ...reviewed(humanReviewV2)];
    }
    case 'editFileV2Result': {
      const { resultForModel, fileWasCreated, linterErrors, humanReviewV2 } = result.value;
      const done = fileWasCreated ? 'The file was created.' : 'The edit was applied.';
      return [...(resultForModel === '' ? [done] : []), ...lints(linterErrors), ...reviewed(humanReviewV2)];
    }
    default:
      return [];
  }
}

function commandNotes(value: RunTerminalCommandV2Result): readonly string[] {
  const { output, updatedCommand, outputLocation, endedReason, backgroundShellId } = value;
  const notes: string[] = [];
  if (updatedCommand) notes.push(`[the user changed the command to: ${updatedCommand}]`);
  if (outputLocation?.filePath) notes.push(`[whole output: ${outputLocation.filePath}]`);
  if (value.isRunningInBackground || value.poppedOutIntoBackground) {
    const shell = backgroundShellId === undefined ? '' : ` as shell ${backgroundShellId}`;
    return [...notes, `[still running in the background${shell}]`];
  }
  if (endedReason === EndedReason.EXECUTION_ABORTED) notes.push('[the command was aborted]');
  if (endedReason === EndedReason.IDLE_TIMEOUT)
    notes.push('[still running: it printed nothing for too long]');
  const exitCode = value.exitCodeV2 ?? value.exitCode;
  const note = `[exit code ${exitCode}]`;
  if (exitCode !== 0 && !output.includes(note)) notes.push(note);
  return notes;
}

function rangeNotes(value: ReadFileV2Result): readonly string[] {
  if (!value.offsetIsBiggerThanNumberOfLinesInFile) return [];
  return [`[the offset is behind the end of the file; it has ${value.totalLinesInFile ?? 'fewer'} lines]`];
}

function olderRangeNotes(value: ReadFileResult): readonly string[] {
  const { startLineOneIndexed: start, endLineOneIndexedInclusive: end, totalLines, outline } = value;
  const isPart = start !== undefined && end !== undefined && (start > 1 || end !== totalLines);
  const total = totalLines === undefined ? '' : ` of ${totalLines}`;
  const range = isPart ? [`[lines ${start} to ${end}${total}]`] : [];
  return outline ? [...range, `Outline:\n${outline}`] : range;
}

function lints(errors: readonly LinterError[]): readonly string[] {
  if (errors.length === 0) return [];
  const lines = errors.map(({ message, range, source }) => {
    const line = range?.startPosition?.line;
    return `- ${line === undefined ? '' : `line ${line}: `}${message}${source ? ` (${source})` : ''}`;
  });
  return [`The linter says after this edit:\n${lines.join('\n')}`];
}

function reviewed(review: HumanReview | undefined): readonly string[] {
  return said(review?.feedbackText || review?.selectedOption);
}

function said(text: string | undefined): readonly string[] {
  return text ? [`The user says: ${text}`] : [];
}
