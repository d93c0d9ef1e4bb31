// How servers that have a screen want its steps told. Two families are known: Playwright's browser tools with pixel
// coordinates (`--caps=vision`), and the single tool `computer` that servers copied from Anthropic's computer use.
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { MouseButton, ScreenAction } from './media-ports.ts';

export interface ScreenStep {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface ScreenDialect {
  /** A server with all of these speaks it. */
  readonly needs: readonly string[];
  /** The calls for one action, or why it cannot be done. */
  steps(action: ScreenAction): readonly ScreenStep[] | string;
}

/** A notch of a wheel, as browsers count it. */
const NOTCH_PIXELS = 100;
/** Typed as single keys; a longer text belongs into a file or a form. */
const MAX_TYPED = 2_000;

const playwright: ScreenDialect = {
  needs: ['browser_mouse_click_xy', 'browser_mouse_move_xy', 'browser_take_screenshot', 'browser_press_key'],
  steps(action) {
    switch (action.type) {
      case 'mouse_move':
        return [{ tool: 'browser_mouse_move_xy', args: { ...action.at } }];
      case 'click': {
        if (!action.at) return 'this screen clicks only where x and y are given';
        if (action.modifierKeys) return 'this screen cannot hold keys while clicking';
        const { at, button, count } = action;
        return [{ tool: 'browser_mouse_click_xy', args: { ...at, button, clickCount: count } }];
      }
      case 'mouse_down':
      case 'mouse_up':
        return [{ tool: `browser_${action.type}`, args: { button: action.button } }];
      case 'drag': {
        const [start, end, ...more] = action.path;
        if (!start || !end || more.length > 0) return 'this screen drags from one point to one other';
        const args = { startX: start.x, startY: start.y, endX: end.x, endY: end.y };
        return [{ tool: 'browser_mouse_drag_xy', args }];
      }
      case 'scroll': {
        const pixels = action.amount * NOTCH_PIXELS * (/left|up/.test(action.direction) ? -1 : 1);
        const isSideways = action.direction === 'left' || action.direction === 'right';
        const wheel = { deltaX: isSideways ? pixels : 0, deltaY: isSideways ? 0 : pixels };
        const move = action.at ? [{ tool: 'browser_mouse_move_xy', args: { ...action.at } }] : [];
        return [...move, { tool: 'browser_mouse_wheel', args: wheel }];
      }
      case 'type': {
        if (action.text.length > MAX_TYPED)
          return `this screen types at most ${MAX_TYPED} characters at once`;
        return [...action.text].map((letter) => press(letter === '\n' ? 'Enter' : letter));
      }
      case 'key':
        return [press(playwrightKey(action.key))];
      case 'screenshot':
        return [{ tool: 'browser_take_screenshot', args: { type: 'png', scale: 'css' } }];
      case 'cursor_position':
        return 'this screen does not tell where its pointer is';
      case 'wait':
        return [];
    }
  },
};

function press(key: string): ScreenStep {
  return { tool: 'browser_press_key', args: { key } };
}

/** X's names of keys, which models learn from computer use, in the browser's words. */
const BROWSER_KEYS: Readonly<Record<string, string>> = {
  ctrl: 'Control',
  control: 'Control',
  alt: 'Alt',
  shift: 'Shift',
  super: 'Meta',
  cmd: 'Meta',
  meta: 'Meta',
  return: 'Enter',
  enter: 'Enter',
  esc: 'Escape',
  escape: 'Escape',
  tab: 'Tab',
  space: 'Space',
  backspace: 'Backspace',
  delete: 'Delete',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  page_up: 'PageUp',
  page_down: 'PageDown',
  home: 'Home',
  end: 'End',
};

function playwrightKey(key: string): string {
  if (key === '+') return key;
  return key
    .split('+')
    .map((part) => BROWSER_KEYS[part.toLowerCase()] ?? part)
    .join('+');
}

const CLICKS: Readonly<Partial<Record<MouseButton, readonly string[]>>> = {
  left: ['left_click', 'double_click', 'triple_click'],
  right: ['right_click'],
  middle: ['middle_click'],
};

const computerTool: ScreenDialect = {
  needs: ['computer'],
  steps(action) {
    const computer = (args: JsonObject): ScreenStep[] => [{ tool: 'computer', args }];
    switch (action.type) {
      case 'mouse_move':
        return computer({ action: 'mouse_move', coordinate: [action.at.x, action.at.y] });
      case 'click': {
        const word = CLICKS[action.button]?.[action.count - 1];
        if (word === undefined) return `this screen cannot click ${action.button} ${action.count} times`;
        const coordinate = action.at && [action.at.x, action.at.y];
        return computer(omitUndefined({ action: word, coordinate, text: action.modifierKeys }));
      }
      case 'mouse_down':
      case 'mouse_up':
        return action.button === 'left'
          ? computer({ action: `left_${action.type}` })
          : `this screen holds the left button only, not ${action.button}`;
      case 'drag': {
        const [start, end, ...more] = action.path;
        if (!start || !end || more.length > 0) return 'this screen drags from one point to one other';
        const start_coordinate = [start.x, start.y];
        return computer({ action: 'left_click_drag', start_coordinate, coordinate: [end.x, end.y] });
      }
      case 'scroll': {
        const coordinate = action.at && [action.at.x, action.at.y];
        const { direction: scroll_direction, amount: scroll_amount, modifierKeys: text } = action;
        return computer(
          omitUndefined({ action: 'scroll', coordinate, scroll_direction, scroll_amount, text }),
        );
      }
      case 'type':
        return computer({ action: 'type', text: action.text });
      case 'key':
        return action.holdMs === undefined
          ? computer({ action: 'key', text: action.key })
          : computer({ action: 'hold_key', text: action.key, duration: action.holdMs / 1_000 });
      case 'screenshot':
      case 'cursor_position':
        return computer({ action: action.type });
      case 'wait':
        return [];
    }
  },
};

export const SCREEN_DIALECTS: readonly ScreenDialect[] = [playwright, computerTool];
