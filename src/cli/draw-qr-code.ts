import type { QrCode } from './qr-code.ts';

/** Scanners want four light modules around the code; two are enough on a screen, where no print touches it. */
const QUIET_ZONE = 2;

/** Two rows of modules a line, light ones drawn: a terminal is taken for dark, or (with colours) made so. */
export function drawQrCode(code: QrCode, isColoured: boolean): string {
  const edge = code.length + QUIET_ZONE;
  const isLight = (row: number, column: number) => !(code[row]?.[column] ?? false);
  const lines: string[] = [];
  for (let row = -QUIET_ZONE; row < edge; row += 2) {
    let line = '';
    for (let column = -QUIET_ZONE; column < edge; column++) {
      // An odd number of rows leaves half a line; it lies outside of the quiet zone.
      line += blockFor(isLight(row, column), row + 1 < edge && isLight(row + 1, column));
    }
    lines.push(isColoured ? `\u001b[97;40m${line}\u001b[0m` : line);
  }
  return lines.join('\n');
}

/** The width of the drawing, in columns. */
export function qrCodeWidth(code: QrCode): number {
  return code.length + 2 * QUIET_ZONE;
}

function blockFor(isUpperLight: boolean, isLowerLight: boolean): string {
  if (isUpperLight) return isLowerLight ? '█' : '▀';
  return isLowerLight ? '▄' : ' ';
}
