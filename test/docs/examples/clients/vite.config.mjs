/** Puts compiled documents in place of the tags of Relay, as `babel-plugin-relay` does. */
const relay = {
  name: 'relay',
  enforce: 'pre',
  transform(code, file) {
    if (!file.includes('/relay/') || !code.includes('graphql`')) return undefined
    const imports = []
    const compiled = code.replace(/graphql`\s*query (\w+)[^`]*`/g, (_, name) => {
      imports.push(`import ${name}Document from './__generated__/${name}.graphql'\n`)
      return `${name}Document`
    })
    return imports.join('') + compiled
  },
}

export default { logLevel: 'warn', plugins: [relay], build: { chunkSizeWarningLimit: 1_000 } }
