import 'graphiql/setup-workers/vite'
import '@graphiql/react/font/roboto.css'
import '@graphiql/react/font/fira-code.css'
import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import '@graphiql/plugin-history/style.css'
import 'graphiql/graphiql.css'
import './style.css'
import { createRoot } from 'react-dom/client'
import { type Config, fetchFile } from './config.js'
import { Collection } from './operations/collection.js'
import { Page } from './page.js'

const root = document.getElementById('root') as HTMLElement

try {
  const collection = new Collection(() => fetchFile('operations.json'))
  const [response] = await Promise.all([fetchFile('config.json'), collection.read()])
  const config: Config = await response.json()
  // Somebody may have changed the files in an editor.
  addEventListener('focus', collection.read)
  createRoot(root).render(<Page config={config} collection={collection} />)
} catch (error) {
  root.textContent = `GraphiQL could not start: ${error instanceof Error ? error.message : error}`
}
