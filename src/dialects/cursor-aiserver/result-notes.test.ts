import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ClientSideToolV2ResultSchema } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { RunTerminalCommandEndedReason as EndedReason } from '../../gen/aiserver/v1/tool_shell_pb.ts';
import { resultNotes } from './result-notes.ts';

type Result = NonNullable<MessageInitShape<typeof ClientSideToolV2ResultSchema>['result']>;
type ValueOf<Case extends string> = Exclude<
  Extract<Result, { case: Case }>['value'],
  { $typeName: string } | undefined
>;

const notesOf = (result: Result) => resultNotes(create(ClientSideToolV2ResultSchema, { result }));
const command = (value: ValueOf<'runTerminalCommandV2Result'>) =>
  notesOf({ case: 'runTerminalCommandV2Result', value });

describe('the model is told of a command', () => {
  it('its exit code, by either field, unless it went well or the output says it', () => {
    expect(command({ output: 'x', exitCode: 3 })).toEqual(['[exit code 3]']);
    expect(command({ output: 'x', exitCodeV2: 4 })).toEqual(['[exit code 4]']);
    expect(command({ output: 'x', exitCode: 1, exitCodeV2: 0 })).toEqual([]);
    expect(command({ output: 'x\n[exit code 3]', exitCode: 3 })).toEqual([]);
  });

  it('that it still runs, and as what', () => {
    expect(command({ isRunningInBackground: true, backgroundShellId: 4 })).toEqual([
      '[still running in the background as shell 4]',
    ]);
    expect(command({ poppedOutIntoBackground: true })).toEqual(['[still running in the background]']);
  });

  it('that it was aborted, changed or printed more than fits', () => {
    expect(command({ endedReason: EndedReason.EXECUTION_ABORTED, exitCode: 130 })).toEqual([
      '[the command was aborted]',
      '[exit code 130]',
    ]);
    expect(command({ updatedCommand: 'ls -l', outputLocation: { filePath: '/tmp/out' } })).toEqual([
      '[the user changed the command to: ls -l]',
      '[whole output: /tmp/out]',
    ]);
  });
});

describe('the model is told of a file', () => {
  it('that it asked for lines behind the end', () => {
    const value = { offsetIsBiggerThanNumberOfLinesInFile: true, totalLinesInFile: 3 };
    expect(notesOf({ case: 'readFileV2Result', value })[0]).toContain('it has 3 lines');
    expect(notesOf({ case: 'readFileV2Result', value: { contents: 'a' } })).toEqual([]);
  });

  it('which lines an older client sent, when they are not all', () => {
    const lines = { startLineOneIndexed: 1, endLineOneIndexedInclusive: 20 };
    const read = (value: ValueOf<'readFileResult'>) => notesOf({ case: 'readFileResult', value });
    expect(read({ ...lines, totalLines: 300, outline: 'class A' })).toEqual([
      '[lines 1 to 20 of 300]',
      'Outline:\nclass A',
    ]);
    expect(read({ ...lines, totalLines: 20 })).toEqual([]);
    expect(read({ contents: 'a' })).toEqual([]);
  });

  it('that an edit was done when the client has no words for it, and what linter and user say', () => {
    const linterErrors = [{ message: 'no semicolon', range: { startPosition: { line: 7 } }, source: 'lint' }];
    expect(notesOf({ case: 'editFileV2Result', value: { fileWasCreated: true, linterErrors } })).toEqual([
      'The file was created.',
      'The linter says after this edit:\n- line 7: no semicolon (lint)',
    ]);
    expect(notesOf({ case: 'editFileV2Result', value: {} })).toEqual(['The edit was applied.']);
    expect(
      notesOf({
        case: 'editFileV2Result',
        value: { resultForModel: 'ok', humanReviewV2: { feedbackText: 'good' } },
      }),
    ).toEqual(['The user says: good']);
    expect(notesOf({ case: 'editFileResult', value: { humanReview: { textResult: 'not here' } } })).toEqual([
      'The user says: not here',
    ]);
  });
});
