import 'graphiql/setup-workers/vite'
import '@graphiql/react/font/roboto.css'
import '@graphiql/react/font/fira-code.css'
import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import '@graphiql/plugin-history/style.css'
import 'graphiql/graphiql.css'
import './style.css'
import { createRoot } from 'react-dom/client'
import { readConfig } from './config.js'
import { Page } from './page.js'

const root = document.getElementById('root') as HTMLElement

try {
  const config = await readConfig()
  createRoot(root).render(<Page {...config} />)
} catch (error) {
  root.textContent = `GraphiQL could not start: ${error instanceof Error ? error.message : error}`
}
