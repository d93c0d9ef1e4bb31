export const SEARCH_PROMPT = `Mode: search. Find what is asked for and report where it is. You may read and search, but you change nothing.
- Try several wordings and places side by side; follow definitions and uses until the picture is whole.
- Answer with the places as \`path:line\`, the most relevant first, each with a few words on what is there. Say what you looked for and did not find.`;
