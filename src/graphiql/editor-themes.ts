/** The names of the themes of the editors, by colour scheme: the prop `editorTheme` of GraphiQL. */
export const EDITOR_THEMES = { light: 'lms-graphql-light', dark: 'lms-graphql-dark' } as const

/** The colours of the page. */
const PALETTE = {
  light: { base: '#ffffff', primary: '#d60590', shade: '#d6059019', field: '#3b4b6811', text: '#444444', line: '#1f6f88' },
  dark: { base: '#212a3b', primary: '#ff5794', shade: '#ff579419', field: '#b7c2d711', text: '#ffffff', line: '#98a4ba' },
} as const

const CLEAR = '#ffffff00'

/**
 * Themes in the colours of GraphiQL. All texts have a contrast of at least 4.5 to the background of the query, and of the response, which is
 * darker.
 */
export const EDITOR_THEME_DATA = {
  light: {
    base: 'vs' as const,
    inherit: true,
    colors: colors('light'),
    rules: [
      { token: 'argument.identifier.gql', foreground: '#5b58c4' },
      { token: 'type.identifier.gql', foreground: '#006a6a' },
      { token: 'number', foreground: '#05704a' },
    ],
  },
  dark: {
    base: 'vs-dark' as const,
    inherit: true,
    colors: colors('dark'),
    rules: [
      { token: 'argument.identifier.gql', foreground: '#a29dff' },
      { token: 'comment', foreground: '#86b573' },
      { token: 'keyword', foreground: '#6cb1e8' },
    ],
  },
}

function colors(scheme: keyof typeof PALETTE): Record<string, string> {
  const { base, primary, shade, field, text, line } = PALETTE[scheme]
  return {
    'editor.background': CLEAR,
    'editorLineNumber.foreground': line,
    'scrollbar.shadow': CLEAR,
    focusBorder: primary,
    'textLink.foreground': primary,
    'textLink.activeForeground': primary,
    'editorLink.activeForeground': primary,
    'editorWidget.background': base,
    'editorWidget.resizeBorder': primary,
    'editorHoverWidget.background': base,
    'editorSuggestWidget.background': base,
    'editorSuggestWidget.selectedBackground': shade,
    'editorSuggestWidget.selectedForeground': primary,
    'input.background': field,
    'inputOption.hoverBackground': shade,
    'list.hoverBackground': shade,
    'list.highlightForeground': primary,
    'list.focusHighlightForeground': primary,
    'menu.background': base,
    'menu.selectionBackground': shade,
    'menu.selectionForeground': primary,
    'pickerGroup.foreground': primary,
    'quickInput.background': base,
    'quickInputList.focusBackground': shade,
    'quickInputList.focusForeground': text,
    'toolbar.hoverBackground': shade,
  }
}
